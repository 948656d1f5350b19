"""What tables, figures and the page share: labels, selection of cells, paired differences.

The published metric is the RMSE on all entries on synthetic data and on held-out ratings on
real data ("Introducing the Huber mechanism for differentially private low-rank matrix
completion", section 4). Differences between two models are paired by trial and taken between
logarithms, so that they are relative: -.01 means one per cent less error.
"""

import numpy as np
import pandas as pd
from scipy import special

from dpmc.statistics.tests import CONFIDENCE, log_positive, published_metric
from dpmc.studies.huber.cells import SYNTHETIC

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
    "user_item_bias": "Item + user bias",
    "rank_one": "Rank one",
}
DATASET_LABELS = {
    SYNTHETIC: "Synthetic",
    "ml-100k": "MovieLens 100K",
    "sweetrs": "SweetRS",
    "restaurant": "Restaurant & consumer",
    "jester": "Jester 5k",
}


def select(frame: pd.DataFrame, **coordinates) -> pd.DataFrame:
    """Return the rows with these coordinates; None and NaN both stand for "has none"."""
    keep = np.ones(len(frame), dtype=bool)
    for name, value in coordinates.items():
        column = frame[name]
        if value is None or pd.isna(value):
            keep &= column.isna().to_numpy()
        elif isinstance(value, str):
            keep &= (column == value).fillna(False).to_numpy(dtype=bool)
        else:
            keep &= np.isclose(column.to_numpy(dtype=float, na_value=np.nan), float(value))
    return frame[keep]


def log_by_trial(cell: pd.DataFrame) -> pd.Series:
    """Return log RMSE (published metric) of the trials of one cell, indexed by trial."""
    return pd.Series(log_positive(published_metric(cell)), index=cell["trial"].to_numpy())


def paired_difference(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Return log RMSE of ``first`` minus that of ``second``, for the trials that both have.

    Both are trial tables of one cell each.
    """
    return (log_by_trial(first) - log_by_trial(second)).dropna().sort_index().to_numpy()


def trials_text(counts) -> str:
    """Say how many trials stand behind some numbers: "10 trials", "8 to 10 trials"."""
    counts = [int(count) for count in counts if pd.notna(count) and count > 0]
    if not counts:
        return "no trials"
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} trial{'s' if low != 1 else ''}"
    return f"{low} to {high} trials"


def half_width(standard_error: pd.Series, trials: pd.Series) -> np.ndarray:
    """Half width of the 95 % t interval of a mean; NaN with fewer than two trials."""
    error = np.asarray(standard_error, dtype=float)
    freedom = np.asarray(trials, dtype=float) - 1
    quantile = special.stdtrit(np.maximum(freedom, 1), (1 + CONFIDENCE) / 2)
    return np.where(freedom >= 1, quantile * error, np.nan)
