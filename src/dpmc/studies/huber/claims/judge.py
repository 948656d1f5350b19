"""Judging every claim of ``config/paper/claims.yaml``, and whether a second seed agrees."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import yaml

from dpmc.errors import InputError, did_you_mean
from dpmc.studies.huber.claims.contrasts import LogRmse
from dpmc.studies.huber.claims.evidence import PREDICATES, Evidence

STATEMENT = ("id", "source", "claim", "predicate")
CLAIM_COLUMNS = (
    *STATEMENT,
    "verdict",
    "printed_verdict",
    "effect",
    "interval_low",
    "interval_high",
    "n",
    "reason",
)


def load_claims(
    path: str | Path, predicates: Mapping[str, Callable] = PREDICATES
) -> list[dict[str, str]]:
    """Load the claims: for each its id, source, claim in our words and predicate.

    Parameters
    ----------
    path : path
    predicates : mapping
        Id of a claim -> what judges it; those of the Huber papers unless others are given.

    Raises
    ------
    InputError
        If the file is missing or malformed, an entry lacks a key, or an id has no predicate
        in the library or comes twice.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: the file with the claims is missing")
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" at line {where.line + 1}" if where else ""
        raise InputError(f"{path}: not valid YAML{line}") from None
    if not isinstance(entries, list):
        raise InputError(f"{path}: must be a list of claims")
    seen = set()
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or set(entry) != set(STATEMENT):
            raise InputError(f"{path}: entry {number} must have the keys {', '.join(STATEMENT)}")
        identifier = entry["id"]
        if identifier not in predicates:
            near = did_you_mean(identifier, predicates)
            raise InputError(f"{path}: no predicate is known for the claim {identifier!r}{near}")
        if identifier in seen:
            raise InputError(f"{path}: the claim {identifier!r} comes twice")
        seen.add(identifier)
    return entries


def judge(
    trials: pd.DataFrame,
    published: pd.DataFrame,
    table_one: list[dict] | pd.DataFrame,
    claims: list[dict[str, str]],
    *,
    convergence: pd.DataFrame | None = None,
    starts: pd.DataFrame | None = None,
    timing: pd.DataFrame | None = None,
    calibrated: pd.DataFrame | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Judge claims on our trials and on the papers' own printed numbers.

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
    calibrated : DataFrame, optional
        The fits at equal total privacy.
    seed : int
        Seed of the samples behind the facts about the mechanisms.

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
        convergence,
        starts,
        timing,
        calibrated,
        seed,
    )
    return table_of_verdicts(claims, PREDICATES, evidence)


def table_of_verdicts(
    claims: list[dict[str, str]], predicates: Mapping[str, Callable], evidence: object
) -> pd.DataFrame:
    """Judge claims by their predicates, columns :data:`CLAIM_COLUMNS`, in the order given."""
    rows = [claim | asdict(predicates[claim["id"]](evidence)) for claim in claims]
    table = pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))
    return table.astype({"n": "Int64"})


def stability(main: pd.DataFrame, replication: pd.DataFrame) -> pd.DataFrame:
    """Set the verdicts of two seeds side by side.

    Returns
    -------
    DataFrame
        Columns ``id, verdict, verdict_replication, stable``, in the order of ``main``; a
        claim that only one of the two judged is left out.
    """
    columns = ["id", "verdict"]
    table = main[columns].merge(replication[columns], on="id", suffixes=("", "_replication"))
    return table.assign(stable=table["verdict"] == table["verdict_replication"])
