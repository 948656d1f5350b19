"""Everything a claim may be judged on, and the registry of the predicates that judge.

What a predicate asks for stands in ``claims.yaml``, once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Sample
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import Contrast, LogRmse, delta


@dataclass(frozen=True)
class Evidence:
    """The inputs of the predicates.

    Attributes
    ----------
    ours, reported : LogRmse
        Our trials and the papers' tables.
    real_variances : dict
        Noise variance of our runs by real data set.
    budgets : DataFrame
        ``mechanism, variance, epsilon_corrected, epsilon_exact`` for the papers' table 1.
    reported_budgets : DataFrame
        ``mechanism, variance, published``.
    convergence, starts, timing : DataFrame or None
        The experiments beside the grid, None where they have not been run.
    weights, heldout, sweetrs_variances, thesis_methods : DataFrame or None
        Those of :mod:`dpmc_studies.studies.huber.experiments`, without rows where data are absent.
    trials, comparison, totals, transcript_loss : DataFrame or None
        Our trials; published numbers beside them; what the reported budgets add up to over a
        training, and the losses that were measured.
    seed : int
        Seed of the samples that some facts need.
    choices : Choices
        By which it is judged.
    """

    ours: LogRmse
    reported: LogRmse
    real_variances: dict[str, float]
    budgets: pd.DataFrame
    reported_budgets: pd.DataFrame
    convergence: pd.DataFrame | None = None
    starts: pd.DataFrame | None = None
    timing: pd.DataFrame | None = None
    weights: pd.DataFrame | None = None
    heldout: pd.DataFrame | None = None
    sweetrs_variances: pd.DataFrame | None = None
    thesis_methods: pd.DataFrame | None = None
    trials: pd.DataFrame | None = None
    comparison: pd.DataFrame | None = None
    totals: pd.DataFrame | None = None
    transcript_loss: pd.DataFrame | None = None
    seed: int = 0
    choices: Choices = USUAL

    def sample(self, contrasts: Iterable[Contrast]) -> Sample:
        """Evaluate contrasts on our trials and on the reported tables."""
        contrasts = list(contrasts)
        return Sample(self.ours.matrix(contrasts), self.reported.matrix(contrasts), self.choices)

    def sample_against_best(self, first: Sequence[Cell], *others: Sequence[Cell]) -> Sample:
        """Compare each cell with the better of the others: the one reported with less error.

        Chosen by our own trials, another would have the luckier of its draws; chosen for each
        trial by the others, the trials would depend on each other. What is reported
        is independent of both.
        """
        rows = zip(first, *others, strict=True)
        return self.sample(
            delta(cell, min(others, key=lambda other: self.reported.row(other)[0]))
            for cell, *others in rows
        )


Predicate = Callable[[Evidence], Finding]
PREDICATES: dict[str, Predicate] = {}


claim = registering(PREDICATES)
