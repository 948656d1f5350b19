"""Our numbers next to the published ones, and whether they agree."""

import numpy as np
import pandas as pd
from scipy import special

from dpmc_studies.frame.judging.chance import detectable
from dpmc_studies.frame.judging.finding import AGREES, DEVIATES, NOT_COMPARED
from dpmc_studies.statistics.tests import LEVEL, holm, row_tests, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.reported.numbers import as_run, cells_of
from dpmc_studies.studies.huber.statistics import published_metric

COMPARISON_COLUMNS = (
    "table",
    *COORDINATES,
    "metric",
    "published",
    "mean",
    "standard_error",
    "trials",
    "log_ratio",
    "detectable",
    "status",
)
CLOSE = 0.15


def compare(trials: pd.DataFrame, published: pd.DataFrame, budgets: pd.DataFrame) -> pd.DataFrame:
    """Return our mean next to every published number, and whether the two agree.

    An RMSE deviates if the hypothesis "the paper drew its mean from the distribution of ours" is
    rejected at 5 % after Holm's correction over all rows tested. The paper prints no standard
    error, so the test assumes that it equals ours: with n trials, (mean - published) / (sqrt(2)
    standard_error) has a t distribution with n - 1 degrees of freedom. The test uses the published
    scale, because the papers average RMSE and not its logarithm. With fewer than two trials there
    is no test, and the status is "not run".

    A budget agrees if the corrected value of the paper's formula, rounded to the printed decimals,
    is the printed number.

    The result has the columns :data:`COMPARISON_COLUMNS` and one row per published number, in the
    order of the paper's numbers. Where the two agree, ``detectable`` is the smallest difference
    that the test would have found in 80 % of repeats, as a share of the published number and at the
    strictest level of Holm's correction (:func:`dpmc_studies.frame.judging.chance.detectable`).
    """
    comparison = published.drop(columns=["sensitivity", "delta"], errors="ignore").copy()
    measured = (comparison["metric"] != "epsilon").to_numpy()
    tests = _tests(trials, comparison[measured])
    for column, values in zip(("mean", "standard_error", "trials"), tests.T, strict=True):
        comparison.loc[measured, column] = values
    comparison["status"] = NOT_COMPARED
    comparison.loc[measured, "status"] = _statuses(comparison[measured])
    comparison.loc[measured, "detectable"] = _detectable(comparison[measured])
    _add_budgets(comparison, ~measured, budgets)
    comparison["log_ratio"] = np.log(comparison["mean"] / comparison["published"])
    whole = dict.fromkeys(("rank", "irls_iterations", "trials"), "Int64")
    return comparison[list(COMPARISON_COLUMNS)].astype(whole)


def _tests(trials: pd.DataFrame, published: pd.DataFrame) -> np.ndarray:
    """Return mean, standard error and number of trials of our cell for each published row."""
    names, matrix = trial_matrix(trials, published_metric(trials), COORDINATES)
    tests = row_tests(matrix)
    fields = np.column_stack([tests.mean, tests.standard_error, tests.trials])
    ours = dict(zip(cells_of(names), fields, strict=True))
    none = np.array([np.nan, np.nan, 0.0])
    return np.array([ours.get(as_run(cell), none) for cell in cells_of(published)])


def _statuses(rows: pd.DataFrame) -> np.ndarray:
    """Return the status of each row from its mean, standard error and number of trials."""
    trials = rows["trials"].to_numpy()
    distance = np.abs(rows["mean"] - rows["published"]).to_numpy()
    error = np.sqrt(2) * rows["standard_error"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(distance == 0, 0.0, distance / error)
    p_values = 2 * special.stdtr(np.maximum(trials - 1, 1), -statistic)
    p_values = holm(np.where(trials > 1, p_values, np.nan))
    status = np.where(p_values <= LEVEL, DEVIATES, AGREES)
    return np.where(np.isfinite(p_values), status, NOT_COMPARED)


def _detectable(rows: pd.DataFrame) -> np.ndarray:
    trials = rows["trials"].to_numpy()
    error = np.sqrt(2) * rows["standard_error"].to_numpy() / rows["published"].to_numpy()
    shown = detectable(error, trials, LEVEL / max(int((trials > 1).sum()), 1))
    return np.where(rows["status"] == AGREES, shown, np.nan)


def _add_budgets(comparison: pd.DataFrame, rows: np.ndarray, budgets: pd.DataFrame) -> None:
    """Fill mean and status of the budget rows, in place."""
    ours = budgets.set_index(["mechanism", "variance"])["epsilon_corrected"].to_dict()
    for index, row in comparison[rows].iterrows():
        epsilon = ours.get((row["mechanism"], row["variance"]))
        if epsilon is not None:
            agrees = f"{epsilon:.{row['decimals']}f}" == f"{row['published']:.{row['decimals']}f}"
            comparison.loc[index, "mean"] = epsilon
            comparison.loc[index, "status"] = AGREES if agrees else DEVIATES
