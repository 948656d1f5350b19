"""Judging every claim of the study's ``claims.yaml``."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.claims import table_of_verdicts
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.claims import (  # noqa: F401  (importing them registers their predicates)
    budgets,
    compared,
    discussion,
    noise_comparisons,
    noise_facts,
    own,
    real_data,
    reweighting,
    side_experiments,
    thesis_methods,
    trends,
)
from dpmc_studies.studies.huber.claims.contrasts import LogRmse
from dpmc_studies.studies.huber.claims.evidence import PREDICATES, Evidence

CELLS = {
    "trials": (*COORDINATES, "trial"),
    "convergence": (*COORDINATES[:-1], "noise_target", "iteration", "trial"),
    "starts": (*COORDINATES[1:-1], "trial", "start"),
    "weights": (*COORDINATES, "trial"),
    "heldout": (*COORDINATES, "iteration", "trial"),
    "sweetrs_variances": (*COORDINATES, "trial"),
}
"""Columns that name a cell, then the one that numbers its trials."""


CHOICES = {
    "equal weights": Choices(weighted=False),
    "margins times two": Choices(widening=2.0),
}
"""Readings of the same trials by other choices that we made."""


def judge(
    trials: pd.DataFrame,
    published: pd.DataFrame,
    table_one: list[dict] | pd.DataFrame,
    claims: list[dict[str, str]],
    *,
    seed: int = 0,
    **experiments: pd.DataFrame | None,
) -> pd.DataFrame:
    """Judge claims on our trials, in any order, and on the papers' own reported numbers.

    ``published`` is as :func:`dpmc_studies.studies.huber.reported.numbers.load` returns it,
    ``table_one`` as :func:`dpmc.privacy.nominal.table_one` does at the paper's settings. ``seed``
    is that of the samples behind the facts about the mechanisms. ``experiments`` are those beside
    the grid and other tables by the names of :class:`Evidence`.

    The result has the columns :data:`CLAIM_COLUMNS`, one row per claim in the order given. Effects
    are natural logarithms of RMSE ratios unless the predicate says otherwise; NaN where a claim has
    no effect or interval.
    """
    tables = {"trials": trials, **experiments}
    cells = {name: CELLS[name] for name in CELLS if tables.get(name) is not None}
    evidence = evidence_beside(published, table_one, seed)
    readings = {name: evidence(**changed) for name, changed in on_trials(tables, cells)}
    judged = evidence(**tables)
    readings |= {name: replace(judged, choices=other) for name, other in CHOICES.items()}
    return table_of_verdicts(claims, PREDICATES, judged, readings)


def evidence_beside(
    published: pd.DataFrame, table_one: list[dict] | pd.DataFrame, seed: int = 0
) -> Callable[..., Evidence]:
    """Return what makes evidence of tables by name, beside what is published."""
    epsilon = published["metric"] == "epsilon"
    noisy = published[~epsilon & (published["mechanism"] != "none")]
    variances = noisy.groupby("dataset")["variance"].first().to_dict()
    reported, nominal = LogRmse.of_published(published), pd.DataFrame(table_one)

    def evidence(trials, **experiments):
        return Evidence(
            LogRmse.of_trials(trials),
            reported,
            variances,
            nominal,
            published[epsilon],
            trials=trials,
            seed=seed,
            **experiments,
        )

    return evidence
