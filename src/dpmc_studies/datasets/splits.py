"""Random splits of ratings into training and held-out ratings."""

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings


def random_split(
    ratings: Ratings, share: float, rng: np.random.Generator, name: str
) -> tuple[Ratings, Ratings]:
    """Split ratings at random, ``share`` of them first; ``name`` is the data set, for errors."""
    order = rng.permutation(len(ratings))
    size = round(share * len(ratings))
    if not 0 < size < len(ratings):
        raise InputError(
            f"{name}: a training share of {share:g} of "
            f"{len(ratings)} ratings leaves no rating to train on or none to test on."
        )
    return ratings.take(np.sort(order[:size])), ratings.take(np.sort(order[size:]))
