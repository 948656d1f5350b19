"""What tables, figures and the page share: labels, selection of trials, paired differences.

The published metric is the RMSE on all entries on synthetic data and on held-out ratings on
real data ("Introducing the Huber mechanism for differentially private low-rank matrix
completion", section 4). Differences between two models are paired by trial and taken between
logarithms, so that they are relative: -.01 means one per cent less error.
"""

import numpy as np
import pandas as pd
from scipy import stats

SYNTHETIC = "synthetic"
PRIVATE = ("gaussian", "laplace", "huber")
MECHANISM_LABELS = {
    "none": "No noise",
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "huber": "Huber",
}
SOLVER_LABELS = {"als": "ALS", "irls": "IRLS"}
BASELINE_LABELS = {
    "global_mean": "Global mean",
    "item_bias": "Item bias",
    "user_item_bias": "Item and user bias",
    "rank_one": "Rank one",
}
DATASET_LABELS = {
    "synthetic": "Synthetic",
    "ml-100k": "MovieLens 100K",
    "sweetrs": "SweetRS",
    "restaurant": "Restaurant & consumer",
    "jester": "Jester 5k",
}
COORDINATES = [
    "dataset",
    "rank",
    "variance",
    "observed_fraction",
    "solver",
    "mechanism",
    "irls_iterations",
]


def with_rmse(trials: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of the trial table with the published metric in a column ``rmse``."""
    synthetic = trials["dataset"] == SYNTHETIC
    metric = trials["rmse_all"].where(synthetic, trials["rmse_heldout"])
    return trials.assign(rmse=pd.to_numeric(metric))


def select(frame: pd.DataFrame, **coordinates) -> pd.DataFrame:
    """Return the rows with these coordinates; None and NaN both stand for "has none"."""
    keep = np.ones(len(frame), dtype=bool)
    for name, value in coordinates.items():
        column = frame[name]
        if value is None or (isinstance(value, float) and np.isnan(value)):
            keep &= column.isna().to_numpy()
        elif isinstance(value, float):
            keep &= np.isclose(pd.to_numeric(column).to_numpy(dtype=float), value)
        else:
            keep &= (column == value).to_numpy()
    return frame[keep]


def interval_halfwidth(standard_error, count, level: float = 0.95):
    """Half width of the t interval of a mean of ``count`` values; NaN below two values."""
    count = np.asarray(count, dtype=float)
    freedom = np.where(count > 1, count - 1, np.nan)
    return stats.t.ppf(0.5 + level / 2, freedom) * np.asarray(standard_error, dtype=float)


def summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """Return one row per cell: coordinates, mean, standard_error, trials, low, high (95 %)."""
    grouped = with_rmse(trials).groupby(COORDINATES, dropna=False, sort=False)["rmse"]
    frame = grouped.agg(mean="mean", standard_error="sem", trials="count").reset_index()
    frame = frame[frame["trials"] > 0]
    half = interval_halfwidth(frame["standard_error"], frame["trials"])
    return frame.assign(low=frame["mean"] - half, high=frame["mean"] + half)


def by_trial(trials: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return log RMSE with a row per trial and a column per combination of ``columns``."""
    frame = with_rmse(trials)
    frame = frame.assign(log_rmse=np.log(frame["rmse"]))
    return frame.pivot_table(index="trial", columns=columns, values="log_rmse", dropna=False)


def paired_difference(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Return log RMSE of ``first`` minus that of ``second`` for the trials that both have.

    Both are trial tables of one cell each.
    """
    logs = [np.log(with_rmse(part).set_index("trial")["rmse"]) for part in (first, second)]
    return (logs[0] - logs[1]).dropna().sort_index().to_numpy()


def mean_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Return the mean of ``values`` with the ends of its t interval (NaN below two values)."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return (float(values.mean()) if len(values) else np.nan, np.nan, np.nan)
    half = float(interval_halfwidth(stats.sem(values), len(values), level))
    mean = float(values.mean())
    return mean, mean - half, mean + half


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return Holm's adjusted p-values (Scandinavian Journal of Statistics 6, 1979)."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * p_values[order]))
    return adjusted


def paired_p_value(differences: np.ndarray) -> float:
    """Two-sided p-value of the paired t-test; 1 with fewer than two trials."""
    differences = np.asarray(differences, dtype=float)
    if len(differences) < 2:
        return 1.0
    if np.ptp(differences) == 0:
        return 1.0 if differences[0] == 0 else 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def trials_text(counts) -> str:
    """Say how many trials stand behind some numbers: "10 trials", "8 to 10 trials"."""
    counts = [int(count) for count in counts if pd.notna(count) and count > 0]
    if not counts:
        return "no trials"
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} trial{'s' if low != 1 else ''}"
    return f"{low} to {high} trials"
