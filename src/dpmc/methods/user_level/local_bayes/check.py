"""The last release: do the ratings show that a simpler model predicts them better?

The simpler models are the biases with which the fit began, and users' own shrunk means, which use
no item parameters. Each user compares two models by their errors on the user's own ratings. Each
rating is predicted from the user's other ratings. Its error is also corrected for what the item
learnt from this rating, as far as that is known.

**Sensitivity.** A user sends two numbers of size at most 2^-1/2: a vector of norm at most 1.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.local_bayes.constants import (
    CHECK_LARGEST,
    CHECK_LEVERAGE,
    CHECK_SURE,
    CREDITED,
    FULL_WEIGHT_RATINGS,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.local_bayes.users import Model, left_out_errors
from dpmc.privacy.sums import Sums

NORM = 1.0
"""Largest norm of what one user adds."""


def own_means(n_items: int, scale: Scale) -> Model:
    """Return the model of users' own means, shrunk towards that of all by :data:`CREDITED`."""
    level = scale.typical * CREDITED**-0.5
    return Model(
        np.full(n_items, scale.mean),
        np.full((n_items, 1), level),
        np.full(n_items, scale.typical**-2.0),
        np.zeros(n_items),
    )


def statistic(
    rows: Source, model: Model, others: Sequence[Model], typical: float
) -> tuple[np.ndarray, float]:
    """Return sums over users of the model's squared error less each of two others, and a norm.

    A user's error is a mean over ratings of items that do not depend on a single rating. A
    difference of errors is in squares of a typical rating, clipped to [-1, 1] and divided by
    2^(1/2). A user with few such ratings counts in part.
    """
    add = partial(_add, models=(model, *others), typical=typical)
    sums = total(add, rows, Sums(len(others), NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, models, typical):
    chosen = models[0].leverages <= CHECK_LEVERAGE
    found = [left_out_errors(rows, each, chosen) for each in models]
    part = 0.5**0.5 * np.minimum(1, found[0][1] / FULL_WEIGHT_RATINGS)
    # noise may have put items so far out that errors overflow; what a user sends is finite
    ours, *theirs = (np.fmin(errors / typical**2, CHECK_LARGEST) for errors, _ in found)
    sent = sums.whole(np.column_stack([part * np.clip(ours - each, -1, 1) for each in theirs]))
    sums.add(0, sent)
    sums.saw(sent)


def better(noised: np.ndarray, noise: float) -> int | None:
    """Return the index of the other model that a noised :func:`statistic` prefers, or None."""
    best = int(np.argmax(noised))
    return best if noised[best] > CHECK_SURE * noise else None
