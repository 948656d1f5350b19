"""What the claims of the DPALS paper are judged on, and the registry of what judges them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dpmc.frame.judging.claims import registering
from dpmc.frame.judging.finding import NOT_AVAILABLE, Finding
from dpmc.statistics.tests import log_positive, trial_matrix
from dpmc.studies.dpals.cells import DPALS_COLUMNS, DPALS_COORDINATES

STANDARD = "standard"
EPSILONS = (1.0, 2.0, 5.0, 10.0, 20.0)
TABLES = ("trials", "iterations", "timing", "coverage", "accounting")
PUBLISHED = "published"  # numbers from elsewhere, which no job makes
CURVE = ["dataset", "variant", "epsilon"]  # of a method, in tables of iterations
# beside these the generated data sets, "surrogate-10m" for "ml-10m" and so on
LARGE, SURROGATE, REAL = ("ml-10m", "ml-20m"), "surrogate-", "ml-"


@dataclass(frozen=True)
class Form:
    """One way to run the two private methods that the paper compares, by their names."""

    dpals: str
    dpfw: str


# Noise for the epsilon that is claimed; and the noise and the lines that the papers print.
EXACT = Form("dpals", "dpfw")
AS_PUBLISHED = Form("dpals_literal", "dpfw_jain")


class Results:
    """RMSE and Recall@20 of every cell by trial.

    Every row has shape (trials,) and is NaN where a trial, or the cell, is missing. On one data
    set, trials with the same number share data: rows are paired. Between data sets they are
    independent, and pairing them by number is as good as any pairing.

    ``trials`` has the columns :data:`dpmc.studies.dpals.cells.DPALS_COLUMNS`, any order of rows.
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

    def log_rmse(
        self, dataset: str, method: str, epsilon: float | None = None, variant: str = STANDARD
    ) -> np.ndarray:
        """Return its natural logarithm."""
        return log_positive(self.rmse(dataset, method, epsilon, variant))

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

    ``tables`` also holds numbers from elsewhere. ``surrogate`` says whether "ml-10m" and "ml-20m"
    are data sets generated in their shape: what a claim says of numbers that only the real ones can
    give is then left out.
    """

    results: Results
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    surrogate: bool = False


Predicate = Callable[[DpalsEvidence], Finding]
PREDICATES: dict[str, Predicate] = {}
claim = registering(PREDICATES)


def evidence_of(frames: Mapping[str, pd.DataFrame], surrogate: bool) -> DpalsEvidence:
    """Return the evidence in the tables of a result folder.

    ``frames`` are those of :data:`TABLES`, and numbers from elsewhere; absent or without rows where
    they have not been made. With ``surrogate`` the generated data sets are taken for those in whose
    shape they are.
    """
    names = (*TABLES, PUBLISHED)
    given = {name: frames[name] for name in names if frames.get(name) is not None}
    if surrogate:
        given = {name: _with_generated(table) for name, table in given.items()}
    return evidence_from(given, surrogate)


def evidence_from(given: Mapping[str, pd.DataFrame], surrogate: bool) -> DpalsEvidence:
    """Return the evidence in tables whose data sets have the names that predicates ask for."""
    tables = {name: table for name, table in given.items() if not table.empty}
    trials = tables.get("trials", pd.DataFrame(columns=list(DPALS_COLUMNS)))
    return DpalsEvidence(Results(trials), tables, surrogate)


def on_both_forms(
    evidence: DpalsEvidence, judge: Callable[[Form], Finding], forms: str = "{0.dpals}, {0.dpfw}"
) -> Finding:
    """Judge the methods with exact noise, and name in the reason what the reported ones give.

    ``forms`` names the methods that are judged. What was not run as published is no reason for
    having no verdict, and does not say that data are missing.
    """
    found, reported = judge(EXACT), judge(AS_PUBLISHED)
    beside = f"({reported.verdict}): {reported.reason}"
    if NOT_AVAILABLE in reported.reason:
        beside = "was not run"
    return replace(
        found,
        reason=f"{forms.format(EXACT)}: {found.reason}. As published, {forms.format(AS_PUBLISHED)} "
        f"{beside}",
    )


def _with_generated(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the generated data sets in the place of those they stand for."""
    if "dataset" not in table:
        return table
    names = table["dataset"].astype(str)
    table = table[~names.str.startswith(LARGE)]
    names = names[~names.str.startswith(LARGE)]
    return table.assign(dataset=names.str.replace(f"^{SURROGATE}", REAL, regex=True))


def _known(dataset: str, method: str, variant: str, epsilon: float | None) -> tuple:
    """Return the cell with epsilon as it compares equal, None where there is none."""
    known = None if pd.isna(epsilon) else round(float(epsilon), 9)
    return str(dataset), str(method), str(variant), known
