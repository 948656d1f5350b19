"""Everything a claim may be judged on, and the registry of the predicates that judge.

What a predicate asks for stands in ``claims.yaml``, once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Sample, not_available
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import Contrast, LogRmse, delta


@dataclass(frozen=True)
class Evidence:
    """The inputs of the predicates."""

    # ours, reported: our trials and the papers' tables
    ours: LogRmse
    reported: LogRmse
    real_variances: dict[str, float]  # noise variance of our runs by real data set
    # `mechanism, variance, epsilon_corrected, epsilon_exact` for the papers' table 1
    budgets: pd.DataFrame
    reported_budgets: pd.DataFrame  # `mechanism, variance, published`
    # tables by name: `trials`, `comparison` and those of the experiments
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    seed: int = 0  # seed of the samples that some facts need
    choices: Choices = USUAL  # by which it is judged

    def sample(self, contrasts: Iterable[Contrast]) -> Sample:
        """Evaluate contrasts on our trials and on the reported tables."""
        contrasts = list(contrasts)
        return Sample(self.ours.matrix(contrasts), self.reported.matrix(contrasts), self.choices)

    def sample_against_best(self, first: Sequence[Cell], *others: Sequence[Cell]) -> Sample:
        """Compare each cell with the better of the others: the one reported with less error.

        If our own trials chose, the choice would favour lucky draws. The reported numbers are
        independent of our draws.
        """
        rows = zip(first, *others, strict=True)
        return self.sample(
            delta(cell, min(others, key=lambda other: self.reported.row(other)[0]))
            for cell, *others in rows
        )

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table, None without rows."""
        found = self.tables.get(name)
        return None if found is None or found.empty else found


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)


def claim_of(identifier: str, table: str, what: str) -> Callable:
    """Register a predicate of evidence and of one of its tables; without it the claim is not run.

    ``what`` names what is missing then.
    """

    def register(predicate: Callable[[Evidence, pd.DataFrame], Finding]) -> Callable:
        @claim(identifier)
        def judged(evidence: Evidence) -> Finding:
            rows = evidence.table(table)
            return not_available(what) if rows is None else predicate(evidence, rows)

        return predicate

    return register
