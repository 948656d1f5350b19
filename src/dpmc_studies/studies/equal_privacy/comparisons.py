"""Models at an equal total budget: their errors, and the places at which they are compared.

RMSE is on all entries of synthetic data and on held-out ratings of real data. Models of one
(data set, relation, epsilon) share the data, split and start of a trial, so that differences are
paired by trial, on the logarithmic scale.
"""

import pandas as pd

from dpmc_studies.frame.showing.frames import PRIVATE_BASELINES, cell_means
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.equal_privacy.frames import CELL, MODEL


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
