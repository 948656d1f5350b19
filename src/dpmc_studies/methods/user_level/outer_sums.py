"""Noised sums of outer products over users, and their eigenvectors."""

from functools import partial

import numpy as np
from scipy.linalg import eigh

from dpmc.errors import InputError
from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.covariance import SLACK, add_outer, outer_sensitivity, packed, unpack
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

MOST_COLUMNS = 2**15
"""Columns for which the matrix of all pairs takes 8 GiB."""


def check_row_lengths(rows: Compressed, bound: float) -> None:
    """Raise PrivacyViolation unless every row has l2 norm at most ``bound``."""
    longest = rows.norms().max(initial=0.0)
    if not longest <= bound * SLACK:
        raise PrivacyViolation(f"a row has an l2 norm above the bound {bound:g}")


def outer_sum(rows: Source, n_columns: int, bound: float, *, plain: bool = False) -> np.ndarray:
    """Return the sum of a a^T over the rows a, as an upper triangle in the order of ``pack``.

    Each product of two numbers of a row has at most the size ``bound``^2. It is truncated to a
    whole number of steps of :class:`dpmc.privacy.sums.Sums`.
    """
    return packed(outer_sums(rows, n_columns, bound), plain=plain)


def outer_sums(rows: Source, n_columns: int, bound: float) -> Sums:
    """Return :func:`outer_sum` as exact sums, of the upper triangle row by row."""
    check_columns(n_columns)
    sums = Sums(n_columns * (n_columns + 1) // 2, bound**2)
    return total(partial(add_outer, n_columns=n_columns), rows, sums)


def release_outer_sum(
    what: str, rows: Compressed, n_columns: int, ledger: Ledger, bound: float, relation: str,
    weight: float,
) -> np.ndarray:  # fmt: skip
    """Return the noised sum of a a^T over rows a, shape (n_columns, n_columns).

    ``what`` names the release, and ``weight`` is the weight of its noise. A row longer than
    ``bound`` raises PrivacyViolation.
    """
    check_row_lengths(rows, bound)
    exact = outer_sum(rows, n_columns, bound)
    noised = ledger.release(what, exact, outer_sensitivity(relation, bound), weight=weight)
    return unpack(noised, n_columns)


def check_columns(n_columns: int) -> None:
    """Raise InputError if a matrix of all pairs of columns takes too much memory."""
    if n_columns > MOST_COLUMNS:
        raise InputError(
            f"A matrix of all pairs of {n_columns} items takes too much memory: give item_share "
            f"and counts_share, so that at most {MOST_COLUMNS} items get factors."
        )


def top_eigenvectors(matrix: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, descending, and their vectors as columns.

    The sign of each vector makes its entry of largest size positive.
    """
    n = len(matrix)
    check_rank(rank, n)
    values, vectors = eigh(matrix, subset_by_index=(n - rank, n - 1))
    vectors = vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(rank)]
    return values[::-1], vectors * np.where(largest < 0, -1.0, 1.0)


def check_rank(rank: int, n_items: int) -> None:
    """Raise InputError if there are fewer items than columns of factors."""
    if rank > n_items:
        raise InputError(f"rank must be at most {n_items}, the number of items, got {rank}.")
