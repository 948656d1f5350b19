"""Judging every claim of the study's ``claims.yaml``."""

import pandas as pd

from dpmc.studies.huber.cells import COORDINATES
from dpmc.studies.huber.claims import (  # noqa: F401  (importing them registers their predicates)
    budgets,
    method_comparisons,
    noise_comparisons,
    noise_facts,
    real_data,
    side_experiments,
    variance_and_rank,
)
from dpmc.studies.huber.claims.contrasts import LogRmse
from dpmc.studies.huber.claims.evidence import PREDICATES, Evidence
from dpmc.study.claims import table_of_verdicts
from dpmc.study.readings import on_trials

CELLS = {
    "trials": (*COORDINATES, "trial"),
    "convergence": (*COORDINATES[:-1], "noise_target", "iteration", "trial"),
    "starts": (*COORDINATES[1:-1], "trial", "start"),
}
"""Columns that name a cell, then the one that numbers its trials."""


def judge(
    trials: pd.DataFrame,
    published: pd.DataFrame,
    table_one: list[dict] | pd.DataFrame,
    claims: list[dict[str, str]],
    *,
    convergence: pd.DataFrame | None = None,
    starts: pd.DataFrame | None = None,
    timing: pd.DataFrame | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Judge claims on our trials and on the papers' own reported numbers.

    Parameters
    ----------
    trials : DataFrame
        The trials table, any order.
    published : DataFrame
        As :func:`dpmc.studies.huber.published.numbers.load` returns it.
    table_one : DataFrame or list of dict
        As :func:`dpmc.privacy.nominal.table_one` returns it at the paper's settings.
    claims : list of dict
        As :func:`load_claims` returns it.
    convergence, starts, timing : DataFrame, optional
        The side experiments.
    seed : int
        Seed of the samples behind the facts about the mechanisms.

    Returns
    -------
    DataFrame
        Columns :data:`CLAIM_COLUMNS`, one row per claim in the order given. Effects are
        natural logarithms of RMSE ratios unless the predicate says otherwise; NaN where a
        claim has no effect or interval.
    """
    tables = {"trials": trials, "convergence": convergence, "starts": starts}
    cells = {name: CELLS[name] for name, table in tables.items() if table is not None}
    epsilon = published["metric"] == "epsilon"
    noisy = published[~epsilon & (published["mechanism"] != "none")]

    def evidence(tables):
        return Evidence(
            LogRmse.of_trials(tables["trials"]),
            LogRmse.of_published(published),
            noisy.groupby("dataset")["variance"].first().to_dict(),
            pd.DataFrame(table_one),
            published[epsilon],
            tables["convergence"],
            tables["starts"],
            timing,
            seed,
        )

    readings = {name: evidence(changed) for name, changed in on_trials(tables, cells)}
    return table_of_verdicts(claims, PREDICATES, evidence(tables), readings)
