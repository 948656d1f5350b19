"""The evidence for the claims of the DPALS paper, and the registry of their predicates.

Claims are judged on the methods in the paper's own form. "dpals" accounts for both statistics and
adds lambda after the projection, as the authors' program does. "dpfw_jain" has the noise that Jain,
Thakkar and Thakurta publish. Other forms are readings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.dpals.cells import DPALS_COLUMNS, DPALS_COORDINATES, STANDARD
from dpmc_studies.studies.dpals.frames import BY_ITEMS, dataset_label, method_label, standard
from dpmc_studies.studies.dpals.variant_names import variant_label

EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0)
TABLES = ("trials", "iterations", "timing", "coverage", "accounting")
PUBLISHED = "published"  # numbers from elsewhere, which no job makes
SIZES = {"synthetic-5k": 5000, "synthetic-10k": 10_000, "synthetic-20k": 20_000,
         "synthetic-50k": 50_000}  # fmt: skip
RESCALED = "jester-5k"  # the ratings of "jester" once more
PLACE = ("dataset", "epsilon")


class Results:
    """RMSE and Recall@20 of every cell by trial.

    Every row has shape (trials,) and is NaN where a trial or the whole cell is missing. On one data
    set, rows are paired, because trials with the same number share data. Trials of different data
    sets are independent, so pairing them by number is as good as any other pairing.

    ``trials`` has the columns :data:`dpmc_studies.studies.dpals.cells.DPALS_COLUMNS`, any order of
    rows.
    """

    def __init__(self, trials: pd.DataFrame):
        measured = trials[["rmse", "recall"]].T
        names, (self._rmse, self._recall) = trial_matrix(trials, measured, DPALS_COORDINATES)
        cells = names.itertuples(index=False, name=None)
        self._places = {_known(*cell): number for number, cell in enumerate(cells)}

    def rmse(
        self, dataset: str, method: str, epsilon: float | None = None, variant: str = STANDARD
    ) -> np.ndarray:
        """Return the RMSE on test entries, of ratings or of the scaled matrix."""
        return self._row(self._rmse, dataset, method, variant, epsilon)

    def log_rmse(self, *cell: object, **named: object) -> np.ndarray:
        """Return its natural logarithm."""
        return log_positive(self.rmse(*cell, **named))

    def recall(
        self, dataset: str, method: str, epsilon: float | None = None, variant: str = STANDARD
    ) -> np.ndarray:
        """Return Recall@20."""
        return self._row(self._recall, dataset, method, variant, epsilon)

    def _row(self, matrix: np.ndarray, *cell: object) -> np.ndarray:
        place = self._places.get(_known(*cell))
        return np.full(matrix.shape[1], np.nan) if place is None else matrix[place]


@dataclass(frozen=True)
class DpalsEvidence:
    """The inputs of the predicates: the trials, and those of :data:`TABLES` that have rows.

    ``tables`` also holds numbers from elsewhere.
    """

    results: Results
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials of the standard variant."""
        return standard(self.tables.get("trials"))

    @cached_property
    def places(self) -> Mapping[tuple, pd.DataFrame]:
        """Log RMSE at each of :data:`PLACE`, of what our own claims compare: a column a method."""
        if self.trials.empty:
            return {}
        rows = self.trials[~self.trials["dataset"].str.startswith((BY_ITEMS, RESCALED))]
        return paired.places(rows, log_positive(rows["rmse"]), PLACE, "method")


Predicate = Callable[[DpalsEvidence], Finding]
PREDICATES: dict[str, Predicate] = {}
claim = registering(PREDICATES)


def evidence_of(frames: Mapping[str, pd.DataFrame | None]) -> DpalsEvidence:
    """Return the evidence in the tables of a result folder.

    ``frames`` are the tables of :data:`TABLES` and numbers from other sources. A table that was not
    made is absent, None or empty.
    """
    given = {name: frames.get(name) for name in (*TABLES, PUBLISHED)}
    tables = {name: table for name, table in given.items() if table is not None and len(table)}
    trials = tables.get("trials", pd.DataFrame(columns=list(DPALS_COLUMNS)))
    return DpalsEvidence(Results(trials), tables)


def method_named(name: str) -> str:
    """Return what reasons call a method."""
    return in_list(method_label(name))


def dataset_named(name: str) -> str:
    """Return what reasons call a data set."""
    return in_list(dataset_label(name))


def at(epsilon: float) -> str:
    """Return what reasons call an epsilon."""
    return f"ε = {epsilon:g}"


def place_named(dataset: str, epsilon: float, variant: str = STANDARD) -> str:
    """Return what reasons call a cell of some method; one that is not private has no epsilon."""
    beside = [] if variant == STANDARD else [variant_label(variant)]
    private = at(epsilon) if pd.notna(epsilon) else "not private"
    return ", ".join([dataset_named(dataset), *beside, private])


def _known(dataset: str, method: str, variant: str, epsilon: float | None) -> tuple:
    """Return the cell with epsilon as it compares equal, None where there is none."""
    known = None if pd.isna(epsilon) else round(float(epsilon), 9)
    return str(dataset), str(method), str(variant), known
