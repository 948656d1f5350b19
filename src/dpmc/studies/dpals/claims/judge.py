"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.judging.claims import load_claims, table_of_verdicts
from dpmc.frame.judging.finding import INCONCLUSIVE, NOT_RUN
from dpmc.frame.judging.once import kept_readings
from dpmc.studies.dpals import REFERENCE
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
from dpmc.studies.dpals.claims.evidence import (
    ELSEWHERE,
    GENERATED,
    IN_PLACE_OF,
    LARGE,
    PAPERS_DATA,
    PREDICATES,
    PUBLISHED,
    REAL,
    SURROGATE,
    TABLES,
    dataset_named,
    evidence_of,
)
from dpmc.studies.dpals.claims.readings import readings

CLAIMS = Path(__file__).parents[1] / "claims.yaml"
NUMBERS = CLAIMS.with_name("published.csv")

# what needs MovieLens 10M or 20M
OF_LARGE = (
    "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13", "D14", "D15", "D16", "D17", "D18", "D19",
    "D20", "D32", "A2",
)  # fmt: skip
# and is looked at on other data too: generated ones, which were made to fulfil D19, and ratings at
# hand, of which all methods that these claims compare have been run
ON_OTHERS = {
    GENERATED: tuple(name for name in (*OF_LARGE, "D31") if name != "D19"),
    ELSEWHERE: (
        "D6", "D7", "D10", "D13", "D14", "D15", "D16", "D17", "D18", "D19", "D20", "A2",
    ),
}  # fmt: skip
OF_IMPLICIT = ("D11", "D12", "D32")  # of these, what needs MovieLens 20M
NOT_THE_PAPERS = {
    GENERATED: "generated data, not MovieLens: ",
    ELSEWHERE: "MovieLens 100K, not the paper's data: ",
}


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Return the claims judged on the paper's data, on generated ones, and on MovieLens 100K."""
    frames = {name: read_frame(folder / f"{name}.csv") for name in TABLES}
    frames[PUBLISHED] = pd.read_csv(NUMBERS)
    claims = load_dpals_claims()
    return {
        "claims": judge_dpals(frames, claims, once=kept_readings(folder, REFERENCE)),
        "claims_surrogate": judge_dpals(frames, claims, GENERATED),
        "claims_elsewhere": judge_dpals(frames, claims, ELSEWHERE),
    }


def load_dpals_claims(path: str | Path = CLAIMS) -> list[dict[str, str]]:
    """Load the claims of the DPALS paper, as :func:`dpmc.frame.judging.claims.load_claims` does."""
    return load_claims(path, PREDICATES)


def judge_dpals(
    frames: Mapping[str, pd.DataFrame | None],
    claims: list[dict[str, str]],
    data: str = PAPERS_DATA,
    once: Mapping[str, Mapping[str, str]] | None = None,
) -> pd.DataFrame:
    """Judge the claims of the DPALS paper and of the read-me, and our own.

    ``frames`` holds ``trials`` and ``iterations`` with the columns of
    :mod:`dpmc.studies.dpals.cells`, ``timing``, ``coverage`` and ``accounting`` with those of
    :mod:`dpmc.studies.dpals.experiments`, and numbers from elsewhere, ``published``; absent, None
    or without rows where they have not been made.

    With other ``data`` than the paper's, some of what is said of MovieLens 10M and 20M
    (:data:`ON_OTHERS`) is judged on data sets that were generated in their shape, or on MovieLens
    100K. That says nothing of the paper: every reason begins so. ``once`` is as for
    :func:`table_of_verdicts`.

    The result has the columns :data:`dpmc.frame.judging.claims.CLAIM_COLUMNS`, one row per claim in
    the order given. Effects are natural logarithms of RMSE ratios unless the predicate says
    otherwise; NaN where there is none.
    """
    evidence = evidence_of(frames, data)
    if data == PAPERS_DATA:
        return _naming_what_lacks(
            table_of_verdicts(claims, PREDICATES, evidence, readings(evidence), once=once)
        )
    some = [claim for claim in claims if claim["id"] in ON_OTHERS[data]]
    table = table_of_verdicts(some, PREDICATES, evidence, readings(evidence))
    reasons = table["reason"].astype(str)
    for name in (*reversed(IN_PLACE_OF), *LARGE):  # the longer name first
        instead = ELSEWHERE if data == ELSEWHERE else name.replace(REAL, SURROGATE)
        reasons = reasons.str.replace(dataset_named(name), dataset_named(instead), regex=False)
    reasons = NOT_THE_PAPERS[data] + reasons
    return table.assign(reported_verdict=INCONCLUSIVE, reason=reasons)


def _naming_what_lacks(table: pd.DataFrame) -> pd.DataFrame:
    """Say in the reason which ratings a claim needs that could not be run without them."""
    of_20m = table["id"].isin(OF_IMPLICIT)
    needed = of_20m.map({True: dataset_named(LARGE[1]), False: dataset_named(LARGE[0])})
    lacking = table["id"].isin(OF_LARGE) & (table["verdict"] == NOT_RUN)
    reasons = table["reason"].where(~lacking, "needs " + needed + ": " + table["reason"])
    return table.assign(reason=reasons)
