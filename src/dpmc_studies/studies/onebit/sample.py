"""The data of a one-bit trial, and the accuracy of a completed matrix on them.

Source: [Li 2021], section 5. The paper does not state a rank for its real data, so accuracy is
measured after truncation to several ranks. All ranks use one decomposition and the same noise.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpmc.ratings import Ratings
from dpmc.ties import margin, signs
from dpmc_studies.methods.onebit.projection import leading_factors
from dpmc_studies.studies.onebit.cells import RANK_COLUMNS

METRICS = ("are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated")
BY_RANK = "accuracy_by_rank"  # in the row of a trial: rank -> accuracy


@dataclass(frozen=True, eq=False)
class Sample:
    """The data of a trial: signs to learn from, and the matrix or the signs to be compared with.

    ``matrix``, float64 of shape (users, items), is the truth of synthetic data; ``test`` are
    held-out signs of real data.
    """

    training: Ratings
    matrix: np.ndarray | None = None
    test: Ratings | None = None

    def errors(
        self, completed: np.ndarray, rank: int, ranks: Sequence[int] = ()
    ) -> dict[str, object]:
        """Return :data:`METRICS` of a completed matrix; None where a metric does not apply.

        "Truncated" means the best approximation of rank ``rank``, taken after any noise. With
        ``ranks``, for real data, :data:`BY_RANK` holds the accuracy at each of these ranks.
        """
        left, right = leading_factors(completed, max([rank, *ranks]))
        both = {"raw": completed, "truncated": left[:, :rank] @ right[:rank]}
        found = dict.fromkeys(METRICS)
        for name, matrix in both.items():
            if self.matrix is not None:
                found[f"are_{name}"] = relative_error(matrix, self.matrix)
            else:
                found[f"accuracy_{name}"] = accuracy(matrix, self.test)
        if ranks:
            tie = margin(both["truncated"])  # one scale for all ranks
            sums = np.cumsum(left[self.test.users] * right[:, self.test.items].T, axis=1)
            found[BY_RANK] = {  # a rank above that of the matrix is that of the whole
                each: right_signs(sums[:, min(each, sums.shape[1]) - 1], tie, self.test)
                for each in ranks
            }
        return found


def rank_rows(rows: Sequence[Mapping[str, object]]) -> Iterator[dict[str, object]]:
    """Yield a row of the table of ranks for each trial and rank."""
    for row in rows:
        for rank, accuracy in row.get(BY_RANK, {}).items():
            found = {**row, "rank": rank, "accuracy": accuracy}
            yield {name: found[name] for name in RANK_COLUMNS}


def relative_error(completed: np.ndarray, truth: np.ndarray) -> float:
    """Return the average relative error ||X - M||_F^2 / ||M||_F^2 (Li et al., section 5)."""
    return float(np.square(completed - truth).sum() / np.square(truth).sum())


def accuracy(completed: np.ndarray, test: Ratings) -> float:
    """Return the share of test signs that a matrix has right; a tie with 0 counts one half.

    Ties are those of :mod:`dpmc.ties`, measured by the largest entry of the matrix.
    """
    return right_signs(completed[test.users, test.items], margin(completed), test)


def right_signs(predictions: np.ndarray, tie: float, test: Ratings) -> float:
    """Return the share of test signs that predictions have right; within ``tie`` of 0 one half."""
    return float((1 + signs(predictions, tie) * test.values).mean() / 2)
