"""The labels, errors and compared places that tables, figures and claims at equal privacy share.

RMSE is computed on all entries of synthetic data and on held-out ratings of real data. Models of
one (data set, relation, epsilon) share the data, split and start of a trial, so differences are
paired by trial. They are differences of logarithms.
"""

import pandas as pd

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import (
    BASELINE_LABELS,
    METHOD_LABELS,
    PRIVATE_BASELINES,
    DatasetLabels,
    Labels,
    cell_means,
)
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive

NAMES = ("calibrated", "frontier")
CELL = ["dataset", "relation", "epsilon"]
MODEL = ["method", "mechanism"]
REFERENCE_LABELS = Labels({**METHOD_LABELS, "bayesian_als": "Bayesian ALS", **BASELINE_LABELS})
HUBER = "huber"
TRIVIAL = "private_global_mean"
UNTUNED = Labels(local_bayes="Local Bayes")
"""Models of which nothing was chosen on other seeds."""
DATASETS = DatasetLabels(
    {
        SYNTHETIC: "Synthetic, 100 × 500",
        "synthetic_large": "Synthetic, 20,000 × 500",
        "ml-100k": "MovieLens 100K",
        "sweetrs": "SweetRS",
        "jester": "Jester 5k",
    }
)
RELATION_TITLES = {
    ENTRY_CHANGE: "Entry level: one rating changes",
    USER_ADD_REMOVE: "User level: one user joins or leaves",
    ENTRY_ADD_REMOVE: "Entry level: one rating is added or removed",
    USER_REPLACE: "User level: one user is replaced",
}
EVENTS = {
    ENTRY_CHANGE: "if one rating changes",
    USER_ADD_REMOVE: "if one user joins or leaves",
    ENTRY_ADD_REMOVE: "if one rating is added or removed",
    USER_REPLACE: "if one user is replaced",
}


dataset_label = DATASETS.__getitem__


def error(calibrated: pd.DataFrame) -> pd.Series:
    """Return the RMSE of each row: on all entries where they are known, else on held-out ones."""
    whole = calibrated["rmse_all"].astype(float)
    return whole.where(whole.notna(), calibrated["rmse_heldout"].astype(float))


def summary(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Return :func:`cell_means` of the RMSE of models; a reference has no relation, no epsilon."""
    return cell_means(calibrated.assign(rmse=error(calibrated)), "rmse", [*CELL, *MODEL])


def one_mechanism_per_baseline(calibrated: pd.DataFrame) -> pd.DataFrame:
    """Keep of every private baseline, at every budget, the mechanism of the lowest mean log RMSE.

    That choice is made on the errors themselves, so it favours the baselines.
    """
    is_baseline = calibrated["method"].isin(PRIVATE_BASELINES) & calibrated["relation"].notna()
    baselines = calibrated[is_baseline]
    logs = baselines.assign(log_rmse=log_positive(error(baselines)))
    means = logs.groupby([*CELL, *MODEL], as_index=False)["log_rmse"].mean().dropna()
    best = means.loc[means.groupby([*CELL, "method"])["log_rmse"].idxmin(), [*CELL, *MODEL]]
    kept = baselines.merge(best, on=[*CELL, *MODEL])
    return pd.concat([calibrated[~is_baseline], kept], ignore_index=True)


def places(calibrated: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """Return log RMSE of the private models by (data set, relation, epsilon)."""
    rows = calibrated[calibrated["relation"].notna()]
    return paired.places(rows, log_positive(error(rows)), CELL, MODEL)


def places_and_references(calibrated: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """Return :func:`places`, each with the references of its data set beside the private models."""
    rows = calibrated[calibrated["relation"].isna()]
    rows = rows.assign(log_rmse=log_positive(error(rows)))
    plain = {
        dataset: part.pivot(index="trial", columns=MODEL, values="log_rmse")
        for dataset, part in rows.groupby("dataset")
    }
    return {
        place: errors.join(plain[place[0]]) if place[0] in plain else errors
        for place, errors in places(calibrated).items()
    }
