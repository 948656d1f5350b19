"""Signs of ratings, the input of one-bit completion."""

from dataclasses import replace

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings

MEAN = "mean"
SIGN_RANGE = (-1.0, 1.0)


def binarise(ratings: Ratings, threshold: float | str) -> Ratings:
    """Return the signs of ratings, in their order: +1 above the threshold, else -1.

    The threshold "mean" is the mean of all ratings passed. It is computed from private values, so a
    guarantee covers the signs only if the mean is taken as public, as Li et al. do.
    """
    if not len(ratings):
        raise InputError(f"{ratings.name}: there are no ratings to make signs of.")
    if threshold == MEAN:
        threshold = ratings.values.mean()
    elif isinstance(threshold, str) or not np.isfinite(threshold):
        raise InputError(f"The threshold of signs must be a number or '{MEAN}', got {threshold!r}.")
    signs = np.where(ratings.values > threshold, 1.0, -1.0)
    return replace(ratings, values=signs, rating_range=SIGN_RANGE)
