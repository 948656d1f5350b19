"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import load_claims, table_of_verdicts
from dpmc_studies.frame.judging.finding import NOT_RUN
from dpmc_studies.studies.dpals.claims import (  # noqa: F401  (importing them registers their predicates)
    compared,
    facts,
    followed,
    movielens,
    own,
    theory,
)
from dpmc_studies.studies.dpals.claims.evidence import (
    LARGE,
    PREDICATES,
    PUBLISHED,
    TABLES,
    dataset_named,
    evidence_of,
)
from dpmc_studies.studies.dpals.claims.readings import readings

CLAIMS = Path(__file__).parents[1] / "claims.yaml"
NUMBERS = CLAIMS.with_name("published.csv")

# what needs MovieLens 10M or 20M
OF_LARGE = (
    "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15", "D16", "D17", "D18", "D19",
    "D20", "D32", "A2",
)  # fmt: skip
OF_IMPLICIT = ("D11", "D12", "D32")  # of these, what needs MovieLens 20M


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Return the table of verdicts; no setting is used."""
    frames = {name: read_frame(folder / f"{name}.csv") for name in TABLES}
    frames[PUBLISHED] = pd.read_csv(NUMBERS)
    claims = load_dpals_claims()
    return {"claims": judge_dpals(frames, claims)}


def load_dpals_claims(path: str | Path = CLAIMS) -> list[dict[str, str]]:
    """Load the claims of the DPALS paper, as :func:`dpmc_studies.frame.judging.claims.load_claims`
    does.
    """
    return load_claims(path, PREDICATES)


def judge_dpals(
    frames: Mapping[str, pd.DataFrame | None],
    claims: list[dict[str, str]],
) -> pd.DataFrame:
    """Judge the claims of the DPALS paper and of the read-me, and our own.

    ``frames`` holds ``trials`` and ``iterations`` with the columns of
    :mod:`dpmc_studies.studies.dpals.cells`, ``timing``, ``coverage`` and ``accounting`` with those
    of :mod:`dpmc_studies.studies.dpals.experiments`, and numbers from elsewhere, ``published``;
    absent, None or without rows where they have not been made.

    The result has the columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`, one row per
    claim in the order given. Effects are natural logarithms of RMSE ratios unless the predicate
    says otherwise; NaN where there is none.
    """
    evidence = evidence_of(frames)
    found = table_of_verdicts(claims, PREDICATES, evidence, readings(evidence))
    return _naming_what_lacks(found)


def _naming_what_lacks(table: pd.DataFrame) -> pd.DataFrame:
    """Say in the reason which ratings a claim needs that could not be run without them."""
    of_20m = table["id"].isin(OF_IMPLICIT)
    needed = of_20m.map({True: dataset_named(LARGE[1]), False: dataset_named(LARGE[0])})
    lacking = table["id"].isin(OF_LARGE) & (table["verdict"] == NOT_RUN)
    reasons = table["reason"].where(~lacking, "needs " + needed + ": " + table["reason"])
    return table.assign(reason=reasons)
