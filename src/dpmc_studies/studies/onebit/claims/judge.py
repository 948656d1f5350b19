"""Judging every claim of ``claims.yaml``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.onebit.cells import ONEBIT_COORDINATES
from dpmc_studies.studies.onebit.claims import facts, outputs, own  # noqa: F401 (they register)
from dpmc_studies.studies.onebit.claims.evidence import (
    DELTAS,
    LINKS,
    PAPER,
    PREDICATES,
    RAW,
    REMARK,
    OneBitEvidence,
    evidence_of,
)

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
    return {"claims": judge_onebit(tables)}


def judge_onebit(tables: Mapping[str, pd.DataFrame | None]) -> pd.DataFrame:
    """Judge the claims of the one-bit paper, and our own.

    ``tables`` are the tables named in :data:`TABLES`. A table that was not made is None or absent;
    ``trials`` is required. The result has the columns
    :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`. Unless the predicate says otherwise, an
    effect is the natural logarithm of an ARE ratio, or a difference of shares of right signs; it is
    NaN if there is none. The reported verdicts are "not reported", as the paper has only figures.
    """
    return judge_all(__file__, PREDICATES, evidence_of(tables), readings(tables))


def readings(tables: Mapping[str, pd.DataFrame | None]) -> dict[str, OneBitEvidence]:
    """Return the evidence in other readings of the same results: name -> evidence.

    "raw outputs" judges outputs before the truncation to the rank. "rank k" truncates outputs on
    real data to rank k. Other readings use one link alone, one Delta for objective perturbation
    with the Gaussian link, or another K for gradient perturbation; data not run that way are
    missing. For the rest see :func:`dpmc_studies.frame.judging.readings.on_trials`. The computed
    claims (O11 to O14, O16, O17, O23, O24) are the same in all readings.
    """
    evidence, ranks = evidence_of(tables), tables.get("ranks")
    cells = {name: CELLS[name] for name in CELLS if tables.get(name) is not None}
    found = {name: evidence_of(changed) for name, changed in on_trials(tables, cells)}
    found["raw outputs"] = replace(evidence, kind=RAW)
    for rank in () if ranks is None else sorted(ranks["rank"].unique()):
        found[f"rank {rank}"] = replace(evidence, rank=rank)
    for link in LINKS:
        found[f"{link} link alone"] = replace(evidence, links=(link,))
    if evidence.deltas == DELTAS:
        found |= zip(DELTAS, (replace(evidence, deltas=(REMARK,)), evidence.tight()), strict=True)
    steps = tables.get("gradient_steps")
    for k in () if steps is None else sorted(steps["steps"].unique()):
        found[f"K = {k}"] = evidence_of(_with_steps(tables, steps[steps["steps"] == k]))
    return found


def _with_steps(
    tables: Mapping[str, pd.DataFrame | None], steps: pd.DataFrame
) -> dict[str, pd.DataFrame | None]:
    """Return the tables with gradient perturbation as ``steps``, of one K, has it, and no other."""
    least = steps[steps["rank"] == steps.groupby("dataset")["rank"].transform("min")]
    by_rank = steps.assign(accuracy=steps["accuracy_truncated"])
    changed = dict(tables)
    for name, rows in (("trials", least), ("ranks", by_rank), ("wrong_link", least.head(0))):
        table = tables.get(name)
        if table is not None:
            rest = table[table["mechanism"] != PAPER["GraP"]]
            changed[name] = pd.concat([rest, rows.reindex(columns=table.columns)])
    return changed
