"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import load_claims, table_of_verdicts
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.onebit.cells import ONEBIT_COORDINATES
from dpmc_studies.studies.onebit.claims import (  # noqa: F401  (importing them registers their predicates)
    bound_facts,
    compared,
    link_facts,
    own,
    privacy_facts,
    real_data,
    synthetic,
)
from dpmc_studies.studies.onebit.claims.evidence import (
    LINKS,
    PAPER,
    PREDICATES,
    OneBitEvidence,
    evidence_of,
    with_steps,
)
from dpmc_studies.studies.onebit.claims.verdicts import DELTAS

FILE = Path(__file__).parents[1] / "claims.yaml"
TABLES = ("trials", "ranks", "gradient_steps", "wrong_link", "outp_change", "outp_attack")
CELLS = {
    "trials": (*ONEBIT_COORDINATES, "trial"),
    "ranks": (*ONEBIT_COORDINATES, "rank", "trial"),
    "wrong_link": (*ONEBIT_COORDINATES, "trial"),
}
"""Columns that name a cell, then the one that numbers its trials."""


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Run the step: the verdicts on the results in ``folder``."""
    tables = {name: read_frame(Path(folder) / f"{name}.csv") for name in TABLES}
    return {"claims": judge_onebit(tables, load_onebit_claims())}


def load_onebit_claims(path: str | Path = FILE) -> list[dict[str, str]]:
    """Load the claims of the one-bit paper and our own, see :func:`load_claims`."""
    return load_claims(path, PREDICATES)


def judge_onebit(
    tables: Mapping[str, pd.DataFrame | None], claims: list[dict[str, str]]
) -> pd.DataFrame:
    """Judge the claims of the one-bit paper, and our own.

    ``tables`` are those of :data:`TABLES`; None, or absent, if one was not made. ``trials`` is
    needed, columns :data:`dpmc_studies.studies.onebit.cells.ONEBIT_COLUMNS`, any order of rows.

    The result has the columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`, one row per
    claim in the order given. Effects are natural logarithms of ARE ratios, or differences of shares
    of right signs, unless the predicate says otherwise; NaN where there is none. Reported verdicts
    are
    "not reported": the figures' values are not available.
    """
    evidence = evidence_from(tables)
    others = readings(tables, evidence)
    return table_of_verdicts(claims, PREDICATES, evidence, others)


def readings(
    tables: Mapping[str, pd.DataFrame | None], evidence: OneBitEvidence
) -> dict[str, OneBitEvidence]:
    """Return the evidence in other readings of the same results by name.

    "raw outputs" are judged instead of those cut to the rank, which are next to them then; in
    "rank k" outputs on real data are cut to rank k, as far as that was run; one link alone counts;
    objective perturbation with the Gaussian link has one Delta, or gradient perturbation another K
    (what was not run with it is missing). For the rest see
    :func:`dpmc_studies.frame.judging.readings.on_trials`. What is computed and not sampled (O11 to
    O14, O16, O17, O23, O24) is the same in all of them.
    """
    cells = {name: CELLS[name] for name in CELLS if tables.get(name) is not None}
    found = {name: evidence_from(changed) for name, changed in on_trials(tables, cells)}
    found["raw outputs"] = evidence.raw()
    for rank in evidence.by_rank:
        found[f"rank {rank}"] = evidence.at_rank(rank)
    for link in LINKS:
        found[f"{link} link alone"] = evidence.of([link])
    if evidence.tight is not None:
        found |= zip(DELTAS, (replace(evidence, tight=None), evidence.tight), strict=True)
    steps = tables.get("gradient_steps")
    for k in () if steps is None else sorted(steps["steps"].unique()):
        here = steps[steps["steps"] == k]
        changed = {
            name: with_steps(tables[name], here)
            for name in ("trials", "ranks")
            if tables.get(name) is not None
        }
        wrong = tables.get("wrong_link")
        if wrong is not None:  # which has the K of the grid
            changed["wrong_link"] = wrong[wrong["mechanism"] != PAPER["GraP"]]
        found[f"K = {k}"] = evidence_from({**tables, **changed})
    return found


def evidence_from(tables: Mapping[str, pd.DataFrame | None]) -> OneBitEvidence:
    """Return what the predicates judge, of :data:`TABLES`; what has another K is a reading."""
    given = {name: table for name, table in tables.items() if name != "gradient_steps"}
    return evidence_of(**given)
