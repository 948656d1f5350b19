"""The last release: do the ratings agree that the model is no worse than simpler ones?

These are the biases that it began with, and users' own shrunk means, which take nothing from items.
Each user compares what two models leave of the own ratings, each rating predicted from the user's
others and, as far as is known, from items that had not learnt from it.

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
"""Of what one user adds."""


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
    """Return sums over users of what the model's squared error is above those of two others.

    In squares of a typical rating, within 2^-1/2 either way, on ratings of items that do not hang
    on one rating alone. A user with few such ratings counts in part.
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
    """Return which of the others a noised :func:`statistic` says is better, None for neither."""
    best = int(np.argmax(noised))
    return best if noised[best] > CHECK_SURE * noise else None
