"""The papers' own metric: means of cells, differences between cells that share their trials."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import DATASET_LABELS, percent, split
from dpmc_studies.statistics.tests import log_positive, row_tests, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES


def published_metric(trials: pd.DataFrame) -> pd.Series:
    """Return per row the RMSE that the papers print: all entries, or held out on real data."""
    synthetic = trials["dataset"] == SYNTHETIC
    return trials["rmse_all"].where(synthetic, trials["rmse_heldout"]).astype(float)


def cell_summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, 95 % t-interval and number of trials of every cell.

    The metric is the published one, see :func:`published_metric`, on its own scale.
    """
    cells, matrix = trial_matrix(trials, published_metric(trials), COORDINATES)
    tests = row_tests(matrix)
    fields = ("mean", "standard_error", "low", "high", "trials")
    return cells.assign(**{field: getattr(tests, field) for field in fields})


def log_by_trial(cell: pd.DataFrame) -> pd.Series:
    """Return log RMSE (published metric) of the trials of one cell, indexed by trial."""
    return pd.Series(log_positive(published_metric(cell)), index=cell["trial"].to_numpy())


def shares_above(losses: pd.DataFrame | None) -> str:
    """Say, by data set, in how many changes of a rating the loss exceeds the total of a run."""
    if losses is None:
        return "– % of cases"
    shares = (
        (name, np.average(part["share_above_total"], weights=part["neighbours"]))
        for name, part in split(losses, dataset=DATASET_LABELS)
    )
    return ", ".join(
        f"{percent(float(share))} of cases on {DATASET_LABELS[name]}" for name, share in shares
    )


THESIS_LABELS = {
    "svt": "SVT (3.2)",
    "svd": "Truncated SVD (3.3.1)",
    "fast_tri": "Fast tri-factorisation (3.3.2)",
    "als": "ALS (3.4.1)",
    "als_published": "ALS, the papers’ settings (5.2)",
}
NEAR = 0.01  # a method has arrived when its error is this near to its least


def seconds_and_errors(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return speed and accuracy by trial and method from the table of ``thesis_methods``.

    ``runs`` has a row per method, trial and iteration. Each table of the result has a row per trial
    and a column per method. ``seconds`` is the time until the RMSE is within 1 % of its minimum;
    ``rmse`` and ``rse`` are the minima on held-out ratings; ``last`` is the RMSE after the last
    iteration; ``total`` is the seconds of the whole fit, and ``step`` the seconds of one iteration.
    """
    order = list(dict.fromkeys(runs["name"]))
    runs = runs.sort_values("iteration")
    keys = [runs["trial"], runs["name"]]
    least = runs["rmse_heldout"].groupby(keys).transform("min")
    near = runs[runs["rmse_heldout"] <= (1 + NEAR) * least]

    def by_method(values: pd.Series) -> pd.DataFrame:
        return values.unstack("name")[order]

    grouped = runs.groupby(["trial", "name"])
    last = grouped.last()
    return {
        "seconds": by_method(near.groupby(["trial", "name"])["seconds"].first()),
        "rmse": by_method(grouped["rmse_heldout"].min()),
        "rse": by_method(grouped["rse_heldout"].min()),
        "last": by_method(last["rmse_heldout"]),
        "total": by_method(last["seconds"]),
        "step": by_method(last["seconds"] / last["iteration"]),
    }
