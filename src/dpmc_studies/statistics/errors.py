"""How far predictions are from the truth."""

import numpy as np


def rmse(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Return the root mean square error, NaN if there is nothing to compare.

    Parameters
    ----------
    predicted, truth : arrays of one shape
    """
    difference = np.asarray(predicted) - np.asarray(truth)
    if difference.size == 0:
        return float("nan")
    return float(np.sqrt(np.mean(np.square(difference))))


def rmse_clipped(
    predicted: np.ndarray, truth: np.ndarray, rating_range: tuple[float, float]
) -> float:
    """Return the root mean square error after clipping predictions to the range of ratings."""
    return rmse(np.clip(predicted, *rating_range), truth)
