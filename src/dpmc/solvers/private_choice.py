"""Which ratings of a user count, where a guarantee covers users and so bounds their number."""

import numpy as np
from numba import njit

from dpmc.ratings import Compressed


def choose_ratings(rows: Compressed, most: int, seed: int) -> Compressed:
    """Keep at most ``most`` ratings of each row, chosen at random.

    Those with the smallest keys stay, a key being a hash of the seed, the number of the row and the
    column. So, whatever the seed, the choice of one row depends neither on values nor on what other
    rows hold; a user who leaves is a row that becomes empty. Numbering the others anew changes
    their choices, but not the law of them, as far as hashes can be taken for random.

    Parameters
    ----------
    rows : Compressed
    most : int
        At least 1.
    seed : int
        0 <= seed < 2^64.
    """
    counts = np.diff(rows.indptr)
    if not (counts > most).any():
        return rows
    row = np.repeat(np.arange(counts.size, dtype=np.uint64), counts)
    pairs = (row << np.uint64(32)) + rows.indices.astype(np.uint64)
    return keep_smallest(rows, most, _mix(_mix(pairs) ^ np.uint64(seed)))


def keep_smallest(rows: Compressed, most: int, keys: np.ndarray) -> Compressed:
    """Keep at most ``most`` ratings of each row: those with the smallest keys, of equal ones the
    first.

    Parameters
    ----------
    rows : Compressed
    most : int
        At least 1.
    keys : array, shape (n_ratings,)
    """
    kept = _smallest(rows.indptr, keys, most)
    sizes = np.minimum(np.diff(rows.indptr), most)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return Compressed(indptr, rows.indices[kept], rows.values[kept])


@njit(cache=True)
def _smallest(indptr, keys, most):
    kept = np.ones(keys.size, dtype=np.bool_)
    for row in range(indptr.size - 1):
        begin, end = indptr[row], indptr[row + 1]
        if end - begin > most:
            last = np.partition(keys[begin:end], most - 1)[most - 1]
            left = most
            for i in range(begin, end):
                left -= keys[i] < last
            for i in range(begin, end):
                if keys[i] == last and left > 0:
                    left -= 1
                elif keys[i] >= last:
                    kept[i] = False
    return kept


def _mix(x: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
