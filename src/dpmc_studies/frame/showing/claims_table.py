"""The table of claims with their verdicts, for every study."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table

LARGE_NUMBER, LARGEST = 1e3, 1e6  # written without decimals, and with an exponent


def number_cell(value: float, error: float = np.nan, trials: int = 0, digits: int = 3) -> Cell:
    """Return the cell of a number: infinity as ∞, a million and more with an exponent."""
    if np.isinf(value):
        return Cell(absent="∞")
    size = abs(value)
    places = -1 if size >= LARGEST else 0 if size >= LARGE_NUMBER else digits
    return Cell(value, error, trials, places)


def claims_table(claims: pd.DataFrame) -> Table:
    """Return the verdicts on the paper's claims, with effects and intervals.

    The caller sets its id and notes. The id keeps it out of the page's tables, because the page
    shows claims with their reasons. The notes state the units of effects.
    """
    columns = (
        Column("effect", "Effect"),
        Column("interval_low", "low", "95 % interval"),
        Column("interval_high", "high", "95 % interval"),
        Column("n", "n"),
    )
    rows = []
    for claim in claims[~is_own(claims)].to_dict("records"):
        cells = [number_cell(float(claim[c.key]), digits=3) for c in columns[:3]]
        cells.append(Cell(float(claim["n"]), digits=0) if pd.notna(claim["n"]) else Cell())
        keys = (claim["id"], claim["claim"])
        rows.append(Row(keys, keys, claim["verdict"], tuple(cells)))
    headings = (("id", "Id"), ("claim", "Claim"))
    title = "The paper’s claims, judged"
    return Table("claims", title, headings, columns, tuple(rows))
