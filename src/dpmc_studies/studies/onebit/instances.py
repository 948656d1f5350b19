"""One-bit data: signs drawn from a known matrix, and the first lines of a file for testing.

Source: Davenport, Plan, van den Berg and Wootters, "1-bit matrix completion" (2014), for the model;
[Li 2021], section 5, for the instances.
"""

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.signs import SIGN_RANGE


def instance(
    rng: np.random.Generator,
    users: int,
    items: int,
    rank: int,
    share: float,
    link,
    alpha: float,
    drawn: float | None = None,
) -> tuple[np.ndarray, Ratings]:
    """Draw a matrix of low rank and the signs of some of its entries.

    The entries of the factors are U(-1/2, 1/2). Their product is divided by its largest *absolute*
    entry and multiplied by alpha. (Li et al. divide by the largest entry, so a negative entry can
    exceed alpha.) The stream draws first the factors, then the observed entries, then one uniform
    number u for each; the sign is +1 where u < h(M_ij). So the same stream with another link gives
    the same matrix, entries and uniform numbers. ``drawn`` is at least ``share``: that share of the
    entries is drawn, and only part of it is kept. The same stream with a smaller share then gives
    the same matrix and a subset of the signs.

    ``share`` is the share of observed entries; their number is rounded and at least 1. ``link`` is
    any object with a method ``cdf``, such as :data:`dpmc_studies.methods.onebit.links.LINKS` has.
    ``alpha``, the largest absolute entry, is positive. The matrix is float64 of shape (users,
    items); the signs are -1 and +1, row by row.
    """
    drawn = share if drawn is None else drawn
    count, most = (
        round(each * users * items) if np.isfinite(each) else 0 for each in (share, drawn)
    )
    if not 1 <= count <= users * items:
        raise InputError(
            f"The observed share must leave at least one entry and at most all, got {share:g} of "
            f"{users} x {items}."
        )
    if not count <= most <= users * items:
        raise InputError(f"Of {drawn:g} of the entries {share:g} of all cannot be kept.")
    user_factors = rng.uniform(-0.5, 0.5, (users, rank))
    item_factors = rng.uniform(-0.5, 0.5, (items, rank))
    # einsum, not BLAS: the same bits on every CPU
    matrix = np.einsum("ir,jr->ij", user_factors, item_factors)
    matrix *= alpha / np.abs(matrix).max()
    places = rng.permutation(matrix.size)[:most]
    kept = np.argsort(places) < count
    observed = np.sort(places)
    positive = rng.random(most) < link.cdf(matrix.ravel()[observed])
    observed, positive = observed[kept], positive[kept]
    rows, columns = np.divmod(observed, items)
    signs = np.where(positive, 1.0, -1.0)
    return matrix, Ratings(rows, columns, signs, users, items, "synthetic", SIGN_RANGE)


def first_split(ratings: Ratings, test: int) -> tuple[Ratings, Ratings]:
    """Split off the first ratings of the file for testing; return (training, test).

    MovieLens 100K's own split u1 tests on the first 20,000 lines of ``u.data``. Readers keep the
    file's order.
    """
    if not 0 < test < len(ratings):
        raise InputError(
            f"{ratings.name}: {test} test ratings of {len(ratings)} leave none to train or test on."
        )
    return ratings.take(slice(test, None)), ratings.take(slice(None, test))
