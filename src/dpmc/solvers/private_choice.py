"""Which ratings of a user count, where a guarantee covers users and so bounds their number."""

import numpy as np

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
    row = np.repeat(np.arange(counts.size), counts)
    crowded = np.flatnonzero(counts[row] > most)
    owner, column = row[crowded], rows.indices[crowded]
    pairs = (owner.astype(np.uint64) << np.uint64(32)) + column.astype(np.uint64)
    order = np.lexsort((_mix(_mix(pairs) ^ np.uint64(seed)), owner))
    # place of each in its row, in the order of keys
    sizes = counts[counts > most]
    place = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.ones(rows.values.size, dtype=bool)
    kept[crowded[order[place >= most]]] = False
    indptr = np.concatenate([[0], np.cumsum(np.minimum(counts, most))])
    return Compressed(indptr, rows.indices[kept], rows.values[kept])


def _mix(x: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
