"""Judging every claim of ``claims.yaml``."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.studies.onebit.claims import (  # noqa: F401  (importing them registers their predicates)
    link_facts,
    privacy_facts,
    real_data,
    synthetic,
)
from dpmc.studies.onebit.claims.evidence import PREDICATES, OneBitEvidence, evidence_of
from dpmc.study.claims import load_claims, table_of_verdicts
from dpmc.study.runs import read_frame

FILE = Path(__file__).parents[1] / "claims.yaml"


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Run the step: the verdicts on the results in ``folder``."""
    names = ("trials", "ranks", "outp_change", "outp_attack")
    tables = [read_frame(Path(folder) / f"{name}.csv") for name in names]
    return {"claims": judge_onebit(evidence_of(*tables), load_onebit_claims())}


def load_onebit_claims(path: str | Path = FILE) -> list[dict[str, str]]:
    """Load the claims of the one-bit paper, see :func:`dpmc.study.claims.load_claims`.

    Raises
    ------
    InputError
        As there.
    """
    return load_claims(path, PREDICATES)


def judge_onebit(evidence: OneBitEvidence, claims: list[dict[str, str]]) -> pd.DataFrame:
    """Judge the claims of the one-bit paper.

    Parameters
    ----------
    evidence : OneBitEvidence
        As :func:`dpmc.studies.onebit.claims.evidence.evidence_of` makes it of the tables.
    claims : list of dict
        As :func:`load_onebit_claims` returns it.

    Returns
    -------
    DataFrame
        Columns :data:`dpmc.study.claims.CLAIM_COLUMNS`, one row per claim in the
        order given. Effects are natural logarithms of ARE ratios, or differences of shares of right
        signs, unless the predicate says otherwise; NaN where there is none. Reported verdicts are
        inconclusive: the figures' values are not available.
    """
    return table_of_verdicts(claims, PREDICATES, evidence)


def readings(evidence: OneBitEvidence) -> dict[str, OneBitEvidence]:
    """Return other readings of the same results by name; the same predicates judge each.

    "raw outputs": those for the outputs cut to the rank, which stand beside them then. "median
    over trials": every cell is shifted so that the mean over its trials becomes their median; the
    spread, and so the width of intervals, stays that of the trials. "even trials", "odd trials":
    every other trial, from the first or the second on, and the typical draws of what one flip does
    to the solution likewise. "rank k": outputs on real data are cut to rank k, as far as that was
    run. What is computed and not sampled (O11 to O14, O16, O17) is the same in all of them.
    """
    found = {
        "raw outputs": replace(evidence, judged=evidence.beside, beside=evidence.judged),
        "median over trials": _changed(evidence, at_median),
        "even trials": _every_other(evidence, 0),
        "odd trials": _every_other(evidence, 1),
    }
    for rank, outputs in evidence.by_rank.items():
        found[f"rank {rank}"] = replace(evidence, judged=outputs)
    return found


def at_median(values: np.ndarray) -> np.ndarray:
    """Return rows, shape (cells, trials), shifted so that their means are their medians."""
    table = pd.DataFrame(values)  # leaves out NaN, and has nothing to say of a row of them
    return table.add(table.median(axis=1) - table.mean(axis=1), axis=0).to_numpy()


def _changed(evidence: OneBitEvidence, change: Callable) -> OneBitEvidence:
    return replace(
        evidence,
        judged=evidence.judged.changed(change),
        beside=evidence.beside.changed(change),
        by_rank={rank: outputs.changed(change) for rank, outputs in evidence.by_rank.items()},
    )


def _every_other(evidence: OneBitEvidence, first: int) -> OneBitEvidence:
    other, change = _changed(evidence, lambda values: values[:, first::2]), evidence.change
    if change is None:
        return other
    kept = change["draw"].isna() | (change["draw"] % 2 == first)
    return replace(other, change=change[kept])
