"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.judging.claims import load_claims, table_of_verdicts
from dpmc.frame.judging.finding import INCONCLUSIVE
from dpmc.studies.dpals.claims import (  # noqa: F401  (importing them registers their predicates)
    altmin,
    curves,
    facts,
    movielens,
    own,
    sampling,
    synthetic,
    theory,
)
from dpmc.studies.dpals.claims.evidence import PREDICATES, PUBLISHED, TABLES, evidence_of
from dpmc.studies.dpals.claims.readings import readings

CLAIMS = Path(__file__).parents[1] / "claims.yaml"
NUMBERS = CLAIMS.with_name("published.csv")

# what needs MovieLens 10M or 20M, and is looked at on generated data too
ON_GENERATED = (
    "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15", "D16", "D17", "D18", "D19",
    "D20", "D31", "D32", "A2",
)  # fmt: skip


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Return the tables ``claims`` and ``claims_surrogate``: on the paper's data, and generated."""
    frames = {name: read_frame(folder / f"{name}.csv") for name in TABLES}
    frames[PUBLISHED] = pd.read_csv(NUMBERS)
    claims = load_dpals_claims()
    return {
        "claims": judge_dpals(frames, claims),
        "claims_surrogate": judge_dpals(frames, claims, surrogate=True),
    }


def load_dpals_claims(path: str | Path = CLAIMS) -> list[dict[str, str]]:
    """Load the claims of the DPALS paper, as :func:`dpmc.frame.judging.claims.load_claims` does."""
    return load_claims(path, PREDICATES)


def judge_dpals(
    frames: Mapping[str, pd.DataFrame | None],
    claims: list[dict[str, str]],
    *,
    surrogate: bool = False,
) -> pd.DataFrame:
    """Judge the claims of the DPALS paper and of the read-me, and our own.

    ``frames`` holds ``trials`` and ``iterations`` with the columns of
    :mod:`dpmc.studies.dpals.cells`, ``timing``, ``coverage`` and ``accounting`` with those of
    :mod:`dpmc.studies.dpals.experiments`, and numbers from elsewhere, ``published``; absent, None
    or without rows where they have not been made.

    With ``surrogate``, what is said of MovieLens 10M and 20M (:data:`ON_GENERATED`) is judged on
    the data sets that were generated in their shape. That says nothing of MovieLens: every reason
    begins so.

    The result has the columns :data:`dpmc.frame.judging.claims.CLAIM_COLUMNS`, one row per claim in
    the order given. Effects are natural logarithms of RMSE ratios unless the predicate says
    otherwise; NaN where there is none.
    """
    evidence = evidence_of(frames, surrogate)
    if not surrogate:
        return table_of_verdicts(claims, PREDICATES, evidence, readings(evidence))
    some = [claim for claim in claims if claim["id"] in ON_GENERATED]
    table = table_of_verdicts(some, PREDICATES, evidence, readings(evidence))
    reasons = "generated data, not MovieLens: " + table["reason"].astype(str)
    return table.assign(reported_verdict=INCONCLUSIVE, reason=reasons)
