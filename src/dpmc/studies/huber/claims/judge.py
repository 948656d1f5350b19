"""Judging every claim of the study's ``claims.yaml``, and whether halves of the trials agree."""

import pandas as pd

from dpmc.studies.huber.claims import (  # noqa: F401  (importing them registers their predicates)
    budgets,
    method_comparisons,
    noise_comparisons,
    noise_facts,
    real_data,
    reweighting,
    side_experiments,
    thesis_methods,
    variance_and_rank,
)
from dpmc.studies.huber.claims.contrasts import LogRmse
from dpmc.studies.huber.claims.evidence import PREDICATES, Evidence
from dpmc.study.claims import table_of_verdicts
from dpmc.study.rules import INCONCLUSIVE


def judge(
    trials: pd.DataFrame,
    published: pd.DataFrame,
    table_one: list[dict] | pd.DataFrame,
    claims: list[dict[str, str]],
    *,
    seed: int = 0,
    **experiments: pd.DataFrame | None,
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
    seed : int
        Seed of the samples behind the facts about the mechanisms.
    experiments : DataFrame, optional
        The side experiments by the names of :class:`Evidence`.

    Returns
    -------
    DataFrame
        Columns :data:`CLAIM_COLUMNS`, one row per claim in the order given. Effects are
        natural logarithms of RMSE ratios unless the predicate says otherwise; NaN where a
        claim has no effect or interval.
    """
    epsilon = published["metric"] == "epsilon"
    noisy = published[~epsilon & (published["mechanism"] != "none")]
    evidence = Evidence(
        LogRmse.of_trials(trials),
        LogRmse.of_published(published),
        noisy.groupby("dataset")["variance"].first().to_dict(),
        pd.DataFrame(table_one),
        published[epsilon],
        seed=seed,
        **experiments,
    )
    return table_of_verdicts(claims, PREDICATES, evidence)


def stability(judged: pd.DataFrame, first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Set the verdicts on all trials and on two halves of them side by side.

    Returns
    -------
    DataFrame
        Columns ``id, verdict, first_half, second_half, stable``, in the order of ``judged``. A
        verdict is stable if each half gives it too, or is inconclusive for want of trials.
    """
    table = judged[["id", "verdict"]].copy()
    for name, half in (("first_half", first), ("second_half", second)):
        table[name] = table["id"].map(dict(zip(half["id"], half["verdict"], strict=True)))
    halves = table[["first_half", "second_half"]]
    agrees = halves.eq(table["verdict"], axis=0) | halves.eq(INCONCLUSIVE)
    return table.assign(stable=agrees.all(axis=1))
