"""Predictions that are equal up to rounding are ties, so that no processor decides between them.

The last digits of a product depend on the instructions of the linear algebra library. If users and
items fall into groups without common ratings, the best matrix of rank 1 is exactly 0 outside one
group. Its computed value is about 1e-20 there, with the sign of a rounding error.

**Lists** are ordered by predictions rounded to multiples of the largest difference of a tie, halves
up, and then by position. The order of two items therefore depends on no third, and a list of n
items is the beginning of every longer one. :meth:`dpmc.released.PublishedItems.best`,
:mod:`dpmc.methods.kernels.completion` and the script of a page do this with the same operations.
"""

import numpy as np

TOLERANCE = 1e-9
"""Largest difference of a tie, relative to the largest prediction. Measured on the restaurant
ratings: zeros come out below 1e-17, no other prediction below 1e-8."""


def margin(predictions: np.ndarray, axis: int | None = None) -> np.ndarray:
    """Return the largest difference of a tie among finite predictions, 0 where there are none.

    ``predictions`` must be all that are compared, because the largest sets the scale; infinite ones
    are ignored. With ``axis`` there is one margin for each slice, in an array that broadcasts.
    """
    asked = {"axis": axis, "keepdims": axis is not None, "initial": 0.0}
    largest = np.maximum(predictions.max(**asked), -predictions.min(**asked))
    if not np.isfinite(largest).all():
        largest = np.abs(np.where(np.isfinite(predictions), predictions, 0.0)).max(**asked)
    return TOLERANCE * largest


def descending(predictions: np.ndarray, tie: float) -> np.ndarray:
    """Return the places of n predictions, the largest first, ties in their order.

    The largest difference of a tie is from :func:`margin`.
    """
    rounded = np.floor(predictions / tie + 0.5) if tie else predictions
    return np.argsort(-rounded, kind="stable")


def signs(predictions: np.ndarray, tie: float) -> np.ndarray:
    """Return the signs of predictions, 0 where one is within ``tie`` of 0."""
    return np.where(np.abs(predictions) <= tie, 0.0, np.sign(predictions))
