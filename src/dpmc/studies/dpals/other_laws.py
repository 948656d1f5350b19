"""Claims about MovieLens 10M and 20M on ratings drawn by other laws, shown: no verdicts.

What :mod:`dpmc.studies.dpals.claims.laws` made of the fits is kept in the reference, from which
every run shows it.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.showing.results import write_tables
from dpmc.frame.showing.table_model import Cell, Column, Row, Table
from dpmc.studies.dpals import KEPT
from dpmc.studies.dpals.claims.laws import OF_COUNTS


def law_table(outcomes: pd.DataFrame) -> Table:
    """Return effects, a row for each law and a column for each claim, and on how many it holds."""
    laws = list(outcomes["law"].unique())
    claims = list(outcomes["claim"].unique())
    known = outcomes.set_index(["law", "claim"])
    rows = []
    for law in laws:
        cells = tuple(_cell(name, known.loc[law, name]) for name in claims)
        rows.append(Row((law,), (labelled(law),), "", cells))
    counts = outcomes.groupby("claim")["holds"].sum()
    total = tuple(Cell(counts[name], digits=0) for name in claims)
    rows.append(Row(("holds on",), ("holds on",), f"of {len(laws)}", total))
    notes = (
        "Effects as the claims' predicates have them, in per cent (D20: in points of the Gini "
        "coefficient). † does not hold; in brackets where trials do not decide. No verdicts on the "
        "paper: they say what depends on tastes and popularity, and what does not.",
        *(f"{name}: {summary(outcomes, name)}." for name in claims),
    )
    columns = tuple(Column(name, name) for name in claims)
    title = f"Claims about MovieLens on {len(laws)} laws of generated ratings: no verdicts"
    return Table("table_laws", title, (("law", "Law"),), columns, tuple(rows), notes)


def _cell(name: str, found: pd.Series) -> Cell:
    effect = 100 * (found["effect"] if name == OF_COUNTS else np.expm1(found["effect"]))
    if np.isnan(found["holds"]):
        return Cell(absent=f"({effect:z.1f})")
    return Cell(effect, digits=1, deviates=not found["holds"])


def summary(outcomes: pd.DataFrame, claim: str) -> str:
    """Say on how many laws a claim holds, and name the fewer."""
    here = outcomes[outcomes["claim"] == claim]
    parts = {
        "holds": here["holds"] == 1, "does not": here["holds"] == 0, "open": here["holds"].isna()
    }  # fmt: skip
    text = ", ".join(f"{word} on {part.sum()}" for word, part in parts.items())
    text += f" of {len(here)}"
    most = max(parts, key=lambda word: parts[word].sum())
    fewer = [
        f"{word} on {', '.join(map(labelled, here.loc[part, 'law']))}"
        for word, part in parts.items()
        if word != most and part.any()
    ]
    depends = "depends on the law: " if parts["holds"].any() and parts["does not"].any() else ""
    return f"{text}; {depends}{'; '.join(fewer)}" if fewer else text


def labelled(law: str) -> str:
    """Format the name of a law."""
    return law.replace("_", " ")


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Show what was kept: the table of effects."""
    write_tables([law_table(read_frame(KEPT))], out)
