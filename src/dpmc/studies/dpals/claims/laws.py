"""What claims about MovieLens 10M and 20M give on ratings drawn by other laws: no verdicts.

The fits (:mod:`dpmc.studies.dpals.experiments.surrogate_laws`) are a target of their own; how
their outcome is shown is :mod:`dpmc.studies.dpals.other_laws`.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.judging.finding import INCONCLUSIVE, NOT_RUN, SUPPORTED
from dpmc.studies.dpals.claims.evidence import GENERATED
from dpmc.studies.dpals.claims.judge import judge_dpals, load_dpals_claims

CLAIMS = ("D6", "D7", *(f"D{number}" for number in range(9, 19)), "D20")
OF_COUNTS = "D20"  # its effect is no log ratio, and each draw has its own verdict
NUMBERS = ["holds", "effect", "interval_low", "interval_high"]


def outcome(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Judge each claim on each law by its own predicate."""
    names = {"trials": "law_trials", "coverage": "law_coverage"}
    frames = {name: read_frame(folder / f"{file}.csv") for name, file in names.items()}
    return {"surrogate_laws": judged(frames)}


def judged(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return effects by claim and law, and ``holds``: 1, 0, or nothing where trials leave it open.

    ``frames`` are ``trials`` and ``coverage``, both with a column ``law``.
    """
    claims = [claim for claim in load_dpals_claims() if claim["id"] in CLAIMS]
    counted = [claim for claim in claims if claim["id"] == OF_COUNTS]
    found = []
    for law, trials in frames["trials"].groupby("law", sort=False):
        draws = frames["coverage"][frames["coverage"]["law"] == law].groupby("trial")
        tables = [judge_dpals({"coverage": draw}, counted, GENERATED) for _, draw in draws]
        tested = [claim for claim in claims if claim not in counted]
        tables.insert(0, judge_dpals({"trials": trials}, tested, GENERATED))
        table = pd.concat(tables).assign(law=law)
        holds = (table["verdict"] == SUPPORTED).astype(float)
        table["holds"] = holds.mask(table["verdict"].isin((INCONCLUSIVE, NOT_RUN)))
        found.append(table.groupby(["id", "law"], sort=False, as_index=False)[NUMBERS].mean())
    outcomes = pd.concat(found, ignore_index=True).rename(columns={"id": "claim"})
    # of a count, where its draws disagree
    return outcomes.assign(holds=outcomes["holds"].where(outcomes["holds"].isin((0, 1))))
