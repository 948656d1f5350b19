"""Accuracy after truncation to several ranks: the paper states none for its real data.

All ranks come from one decomposition of a trial's completed matrix, so that a sweep needs no other
solution and no other noise.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dpmc.ratings import Ratings
from dpmc_studies.studies.onebit.cells import RANK_COLUMNS

BY_RANK = "accuracy_by_rank"  # in the row of a trial: rank -> accuracy


def predictions_by_rank(
    left: np.ndarray, right: np.ndarray, ranks: Sequence[int], test: Ratings
) -> dict[int, np.ndarray]:
    """Return the entries at the n test signs of a matrix truncated to each rank: arrays of shape
    (n,).

    ``left``, shape (users, r), and ``right``, shape (r, items), are what
    :func:`dpmc_studies.methods.onebit.projection.leading_factors` returns. Ranks are at least 1;
    one above r is that of the whole matrix, which has no more.
    """
    sums = np.cumsum(left[test.users] * right[:, test.items].T, axis=1)
    return {rank: sums[:, min(rank, sums.shape[1]) - 1] for rank in ranks}


def rank_rows(rows: Sequence[Mapping[str, object]]) -> Iterator[dict[str, object]]:
    """Yield a row of :data:`dpmc_studies.studies.onebit.cells.RANK_COLUMNS` for each trial and
    rank.
    """
    for row in rows:
        for rank, accuracy in row.get(BY_RANK, {}).items():
            found = {**row, "rank": rank, "accuracy": accuracy}
            yield {name: found[name] for name in RANK_COLUMNS}
