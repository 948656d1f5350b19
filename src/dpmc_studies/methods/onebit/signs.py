"""Signs of ratings, which one-bit completion learns from: cut at a threshold."""

from dataclasses import replace

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings

MEAN = "mean"
SIGN_RANGE = (-1.0, 1.0)


def binarise(ratings: Ratings, threshold: float | str) -> Ratings:
    """Return the signs of ratings: +1 above a threshold, else -1; their order stays.

    The threshold "mean" is that of all ratings that are passed. It is computed from private values,
    so a guarantee covers the signs only if it is taken as public, as Li et al. do.
    """
    if not len(ratings):
        raise InputError(f"{ratings.name}: there are no ratings to make signs of.")
    if threshold == MEAN:
        threshold = ratings.values.mean()
    elif isinstance(threshold, str) or not np.isfinite(threshold):
        raise InputError(f"The threshold of signs must be a number or '{MEAN}', got {threshold!r}.")
    signs = np.where(ratings.values > threshold, 1.0, -1.0)
    return replace(ratings, values=signs, rating_range=SIGN_RANGE)
