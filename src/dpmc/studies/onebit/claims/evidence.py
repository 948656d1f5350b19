"""What the claims of the one-bit paper are judged on, and the registry of what judges them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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

    ``trials`` has the columns :data:`dpmc.studies.onebit.cells.ONEBIT_COLUMNS`, any order of rows.
    """

    def __init__(self, trials: pd.DataFrame, kind: str):
        self.kind = kind
        errors = log_positive(trials[f"are_{kind}"])
        names, self._log_are = trial_matrix(trials, errors, ONEBIT_COORDINATES)
        _, self._accuracy = trial_matrix(trials, trials[f"accuracy_{kind}"], ONEBIT_COORDINATES)
        places = (_known(OneBitCell(*values)) for values in names.itertuples(index=False))
        self._places = {cell: number for number, cell in enumerate(places)}

    def log_are(self, cell: OneBitCell) -> np.ndarray:
        """Return log ARE, ARE = ||X - M||_F^2 / ||M||_F^2, of a cell of synthetic data."""
        return self._row(self._log_are, cell)

    def accuracy(self, cell: OneBitCell) -> np.ndarray:
        """Return the share of held-out signs that are right, of a cell of real data."""
        return self._row(self._accuracy, cell)

    def _row(self, matrix: np.ndarray, cell: OneBitCell) -> np.ndarray:
        place = self._places.get(_known(cell))
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
    """Return what the predicates judge, of the study's tables; None is one that was not made."""
    known = [] if ranks is None else sorted(ranks["rank"].unique())
    return OneBitEvidence(
        trials,
        Outputs(trials, "truncated"),
        Outputs(trials, "raw"),
        {int(rank): Outputs(cut_to(trials, ranks, rank), "truncated") for rank in known},
        outp_change,
        outp_attack,
    )


def cut_to(trials: pd.DataFrame, ranks: pd.DataFrame, rank: int) -> pd.DataFrame:
    """Return the trials with the truncated accuracies of another rank.

    Of the data sets in ``ranks``, columns :data:`dpmc.studies.onebit.cells.RANK_COLUMNS`; NaN where
    a trial of these is missing.
    """
    keys = [*ONEBIT_COORDINATES, "trial"]
    there = ranks[ranks["rank"] == rank]
    found = trials[keys].merge(there, how="left", on=keys, validate="many_to_one")["accuracy"]
    cut = trials["dataset"].isin(there["dataset"]).to_numpy()
    accuracy = np.where(cut, found.to_numpy(dtype=float), trials["accuracy_truncated"])
    return trials.assign(accuracy_truncated=accuracy)


Predicate = Callable[[OneBitEvidence], Finding]
PREDICATES: dict[str, Predicate] = {}
claim = registering(PREDICATES)


def synthetic_cell(name: str, link: str, fraction: float, epsilon: float | None) -> OneBitCell:
    """Return the cell of synthetic data, both constraints, of a mechanism by its published name."""
    return OneBitCell(SYNTHETIC, link, BOTH, fraction, PAPER.get(name, name), epsilon)


def _known(cell: OneBitCell) -> OneBitCell:
    """Return the cell with numbers as they compare equal, None where there is none."""
    epsilon = None if pd.isna(cell.epsilon) else round(float(cell.epsilon), 9)
    fraction = round(float(cell.observed_fraction), 9)
    return replace(cell, observed_fraction=fraction, epsilon=epsilon)
