"""The third release: the covariance of the residuals of ratings of frequent items.

**Sensitivity.** A user's row of residuals is scaled to norm at most 1. Adding or removing one user
therefore changes the sum of outer products by at most 1 in the Frobenius norm
(:func:`dpmc.methods.user_level.covariance.outer_sensitivity`).

Eigenvectors of the covariance whose eigenvalues exceed the edge of the noise are directions in
which users differ. Rows and columns are first divided by the noise that they carry, so that the
noise is about the same everywhere. The eigenvalues of the noise then end at twice the square root
of the matrix size, times the standard deviation of an entry (Wigner; the largest is within
size^(-2/3) of this edge: Tracy and Widom, "On orthogonal and symplectic matrix ensembles",
Communications in Mathematical Physics 177, 1996). The diagonal contains the noise of single
ratings; it is removed and refilled from the factors that were found. Each eigenvalue and the angle
of its vector are corrected for the noise (Benaych-Georges and Nadakuditi, "The eigenvalues and
eigenvectors of finite, low rank perturbations of large random matrices", Advances in Mathematics
227, 2011; Gavish and Donoho, "The optimal hard threshold for singular values is 4/sqrt(3)", IEEE
Transactions on Information Theory 60, 2014). On noise for a covariance see Dwork, Talwar, Thakurta
and Zhang, "Analyze Gauss" (STOC 2014), and for recommendations McSherry and Mironov (KDD 2009).
"""

from functools import partial

import numpy as np
from scipy.linalg import eigh

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.covariance import add_outer, margin, packed, unpack
from dpmc.methods.user_level.local_bayes.constants import (
    CLEAR,
    CLEAR_OF_EDGE,
    EDGE_WIDTH,
    FEWEST_ITEMS,
    LEAST_TOLD,
    MOST_FACTORS,
    MOST_ITEMS,
    REFILLS,
    SMALLEST_PART,
    TIMES_EXPLAINED,
    TOLD_ALREADY,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.privacy.sums import Sums


def asked_for(
    shares: np.ndarray, noise: float, scale: Scale, explained: float, unknown: float
) -> tuple[np.ndarray, float, float]:
    """Return the items of the covariance, its part of the budget, and ``least`` for :func:`read`.

    If a direction that explains the share ``explained`` would be visible (:func:`items_worth_it`),
    the covariance gets its full budget. It also gets the full budget if a direction
    :data:`TIMES_EXPLAINED` times as strong would be visible and the offsets hardly need the budget.
    Otherwise it gets the smallest part with which such a strong direction would be clear, so that
    little is lost if there is none; if no part is enough, there are no items. ``unknown`` is the
    remaining variance of the offsets over the square of a typical rating.
    """
    items, strong = items_worth_it(shares, noise, scale, explained), TIMES_EXPLAINED * explained
    if not items.size and unknown < TOLD_ALREADY:
        items = items_worth_it(shares, noise, scale, strong)
    if items.size:
        return items, 1.0, 0.0
    part = SMALLEST_PART
    while part <= 1:
        if part * unknown < TOLD_ALREADY:
            items = items_worth_it(shares, noise / part**0.5, scale, strong, clear=True)
            if items.size:
                return items, part, strong / 2
        part *= 2
    return items, 0.0, 0.0


def items_worth_it(
    shares: np.ndarray, noise: float, scale: Scale, explained: float, *, clear: bool = False
) -> np.ndarray:
    """Return the most frequent items whose covariance could show a direction, in ascending order.

    The function compares numbers of items from :data:`FEWEST_ITEMS` to :data:`MOST_ITEMS`. For
    each, it assumes a direction that explains half the share ``explained`` of each rating's
    residual. A bound on the edge of the noise gives the squared cosine between this direction and
    its estimate. More items make more ratings informative but add noise, so the best number has the
    largest product of squared cosine and part of all ratings. No item is returned if the product is
    below :data:`LEAST_TOLD`. With ``clear``, the squared cosine alone must reach :data:`CLEAR`
    instead. ``noise`` is the standard deviation on the diagonal.
    """
    order = np.argsort(-shares, kind="stable")
    most = min(order.size, MOST_ITEMS)
    sizes = np.unique(np.round(np.geomspace(min(FEWEST_ITEMS, most), most, 40)).astype(int))
    ratios = np.zeros(sizes.size)
    for place, size in enumerate(sizes):
        units = _units(_counts(shares[order[:size]], scale), noise, scale)
        ratios[place] = explained * scale.typical**2 * np.sum(units**2) / (2 * np.sqrt(size))
    cosines2 = 1 - np.maximum(ratios, 1) ** -2
    told = np.cumsum(shares[order])[sizes - 1] * cosines2
    best = np.argmax(told)
    if cosines2[best] < CLEAR if clear else told[best] < LEAST_TOLD:
        return np.empty(0, dtype=np.int64)
    return np.sort(order[: sizes[best]])


def _counts(shares, scale):
    """Return how many ratings of items with these shares there are about: one of a user at most."""
    return np.minimum(scale.ratings * shares, scale.users)


def _units(counts, noise, scale):
    """Return what a factor of 1 of each item is in the scaled covariance, as a vector."""
    return _scales(counts, noise, scale) * counts / np.sqrt(counts.sum() * scale.typical**2)


def _scales(counts, noise, scale):
    """Return by what rows and columns are multiplied so that noise has a variance of at most 1.

    An entry has the variance noise^2/2, plus n_i n_j users/(sum n)^2 from rows of unit length.
    """
    return (noise / np.sqrt(2) + np.sqrt(scale.users) * counts / counts.sum()) ** -0.5


def _edge(counts, noise, scale):
    """Return where the eigenvalues of noise in the scaled covariance end, by its mean variance."""
    squares, part = _scales(counts, noise, scale) ** 2, counts / counts.sum()
    privacy = np.mean(squares) ** 2 * noise**2 / 2
    users = scale.users * np.mean(squares * part) ** 2
    # noise of users is that of a sum of squares: its upper edge is further out (Marchenko, Pastur)
    skew = (users / (privacy + users)) ** 1.5 * np.sqrt(counts.size / scale.users) / 2
    return 2 * np.sqrt(counts.size * (privacy + users)) * (1 + skew)


def statistic(
    rows: Source, items: np.ndarray, n_items: int, typical: float
) -> tuple[np.ndarray, float]:
    """Return the packed sum of outer products of shortened rows, and the norm of the longest.

    A row holds a user's residuals on ``items``, which must ascend. It is divided by its norm or by
    ``typical``, whichever is larger.
    """
    add = partial(_add, items=items, n_items=n_items, typical=typical)
    sums = total(add, rows, Sums(items.size * (items.size + 1) // 2, 1.0))
    return packed(sums), sums.longest


def _add(sums, rows, first, *, items, n_items, typical):
    chosen = rows.columns(items, n_items)
    lengths = chosen.norms()
    shrink = (1 - margin(chosen.values.dtype)) / np.maximum(lengths, typical)
    short = chosen.with_values(chosen.values * chosen.per_rating(shrink))
    # whole numbers are no longer than the products of what they are made of
    sums.saw_squares((short.squares() / sums.step) ** 2)
    add_outer(sums, short, first, n_columns=items.size)


def read(
    noised: np.ndarray,
    noise: float,
    items: np.ndarray,
    shares: np.ndarray,
    scale: Scale,
    least: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return factors of the items and their precisions, from a noised :func:`statistic`.

    Factors and precisions have shape (n_items, rank). The precision is 0 for items outside the
    covariance, and the rank is 0 if no eigenvalue exceeds the edge of the noise. A direction is
    kept only if it explains at least the share ``least`` of the square of a typical rating.
    """
    size, counts = items.size, _counts(shares[items], scale)
    scales = _scales(counts, noise, scale)
    matrix = unpack(noised, size) * np.outer(scales, scales)
    edge = _edge(counts, noise, scale)
    units = _units(counts, noise, scale)[:, None]
    # the largest eigenvalue of noise alone fluctuates by size^(-2/3) of the edge (Tracy, Widom)
    lowest = (1 - EDGE_WIDTH * size ** (-2 / 3)) * edge
    clear = least * scale.typical**2 * np.sum(units**2)  # of one that explains so much
    if clear > edge / 2:
        lowest = max(lowest, clear + edge**2 / (4 * clear))
    diagonal = np.zeros(size)
    # the diagonal holds squares of single ratings and no covariance: fill in what the factors say
    for _ in range(REFILLS):
        np.fill_diagonal(matrix, diagonal)
        values, vectors = eigh(matrix, subset_by_index=(max(0, size - MOST_FACTORS), size - 1))
        above = np.flatnonzero(values > lowest)[::-1]
        values, vectors = np.maximum(values[above], CLEAR_OF_EDGE * edge), vectors[:, above]
        # spiked model: noise raises an eigenvalue c to c + (edge / 2)^2 / c, and turns its vector
        clear = (values + np.sqrt(values**2 - edge**2)) / 2  # the eigenvalue without noise
        cosine2 = 1 - (edge / (2 * clear)) ** 2
        diagonal = vectors**2 @ (clear * cosine2)
    # the sign of an eigenvector is the library's choice: fix it, for the same model everywhere
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(above.size)]
    vectors = vectors * np.where(largest < 0, -1.0, 1.0)
    factors, precisions = (np.zeros((shares.size, above.size)) for _ in range(2))
    factors[items] = vectors * np.sqrt(clear / cosine2) / units
    precisions[items] = units**2 * size / (clear * (1 / cosine2 - 1))
    return factors, precisions
