"""What the claims of the one-bit paper are judged on, and the registry of what judges them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dpmc.frame.judging.claims import registering
from dpmc.frame.judging.finding import Finding
from dpmc.statistics.tests import log_positive, trial_matrix
from dpmc.studies.onebit.cells import BOTH, ONEBIT_COORDINATES, SYNTHETIC, OneBitCell

LINKS = ("gaussian", "logistic")
# the paper's four mechanisms as it runs them, by the names it gives them
PAPER = {"InP": "inp", "ObjP": "objp_paper", "GraP": "grap", "OutP": "outp_paper"}
PERTURBED = ("InP", "ObjP", "GraP")  # all but OutP


class Outputs:
    """How good one kind of output is, ``"raw"`` or ``"truncated"``, by cell and trial.

    Every row has shape (trials,) and is NaN where a trial, or the cell, is missing. Within a data
    set and an observed fraction, trials with the same number share data: rows are paired. Across
    observed fractions they are independent, and pairing them by number is as good as any pairing.

    ``places`` is the row of each cell, see :func:`_known`, in matrices of shape (cells, trials).
    """

    def __init__(
        self, kind: str, places: Mapping[tuple, int], log_are: np.ndarray, accuracy: np.ndarray
    ):
        self.kind = kind
        self._places = places
        self._log_are = log_are
        self._accuracy = accuracy

    def log_are(self, cell: OneBitCell) -> np.ndarray:
        """Return log ARE, ARE = ||X - M||_F^2 / ||M||_F^2, of a cell of synthetic data."""
        return self._row(self._log_are, cell)

    def accuracy(self, cell: OneBitCell) -> np.ndarray:
        """Return the share of held-out signs that are right, of a cell of real data."""
        return self._row(self._accuracy, cell)

    def _row(self, matrix: np.ndarray, cell: OneBitCell) -> np.ndarray:
        place = self._places.get(_known(*vars(cell).values()))
        return np.full(matrix.shape[1], np.nan) if place is None else matrix[place]


@dataclass(frozen=True)
class OneBitEvidence:
    """The inputs of the predicates.

    ``judged`` and ``beside`` are of the trials: what verdicts are about, and what stands beside
    them in reasons; outputs cut to the rank after the noise, and as the mechanism gives them.
    ``by_rank`` is rank -> the former, with real data cut to another rank, as far as that was run.
    ``change`` and ``attack`` are what one flip does to the solution, and the attack on output
    perturbation; None where they have not been run.
    """

    trials: pd.DataFrame
    judged: Outputs
    beside: Outputs
    by_rank: Mapping[int, Outputs] = field(default_factory=dict)
    change: pd.DataFrame | None = None
    attack: pd.DataFrame | None = None


def evidence_of(
    trials: pd.DataFrame,
    ranks: pd.DataFrame | None = None,
    outp_change: pd.DataFrame | None = None,
    outp_attack: pd.DataFrame | None = None,
) -> OneBitEvidence:
    """Return what the predicates judge, of the study's tables; None is one that was not made.

    ``trials`` has the columns :data:`dpmc.studies.onebit.cells.ONEBIT_COLUMNS`, any order of rows.
    """
    at_ranks = {} if ranks is None else dict(accuracies_at_ranks(trials, ranks))
    errors = [log_positive(trials[f"are_{kind}"]) for kind in ("truncated", "raw")]
    accuracies = [trials["accuracy_truncated"], trials["accuracy_raw"], *at_ranks.values()]
    names, matrices = trial_matrix(trials, [*errors, *accuracies], ONEBIT_COORDINATES)
    cells = names.itertuples(index=False, name=None)
    places = {_known(*cell): number for number, cell in enumerate(cells)}
    log_are, log_are_raw, accuracy, accuracy_raw, *cut = matrices
    return OneBitEvidence(
        trials,
        Outputs("truncated", places, log_are, accuracy),
        Outputs("raw", places, log_are_raw, accuracy_raw),
        {r: Outputs("truncated", places, log_are, c) for r, c in zip(at_ranks, cut, strict=True)},
        outp_change,
        outp_attack,
    )


def accuracies_at_ranks(
    trials: pd.DataFrame, ranks: pd.DataFrame
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each rank with the truncated accuracies of all rows of ``trials`` at it.

    Those of the data sets in ``ranks``, columns :data:`dpmc.studies.onebit.cells.RANK_COLUMNS`, are
    NaN where a trial is missing there; the others are as in ``trials``.
    """
    keys = [*ONEBIT_COORDINATES, "trial"]
    for rank, there in ranks.groupby("rank"):
        cut = trials["dataset"].isin(there["dataset"]).to_numpy()
        found = trials.loc[cut, keys].merge(there, how="left", on=keys, validate="many_to_one")
        accuracy = trials["accuracy_truncated"].to_numpy(dtype=float, copy=True)
        accuracy[cut] = found["accuracy"]
        yield int(rank), accuracy


Predicate = Callable[[OneBitEvidence], Finding]
PREDICATES: dict[str, Predicate] = {}
claim = registering(PREDICATES)


def synthetic_cell(name: str, link: str, fraction: float, epsilon: float | None) -> OneBitCell:
    """Return the cell of synthetic data, both constraints, of a mechanism by its published name."""
    return OneBitCell(SYNTHETIC, link, BOTH, fraction, PAPER.get(name, name), epsilon)


def _known(
    dataset: str,
    link: str,
    constraint: str,
    observed_fraction: float,
    mechanism: str,
    epsilon: float | None,
) -> tuple:
    """Return the cell with numbers as they compare equal, None where there is none."""
    known = None if pd.isna(epsilon) else round(float(epsilon), 9)
    return dataset, link, constraint, round(float(observed_fraction), 9), mechanism, known
