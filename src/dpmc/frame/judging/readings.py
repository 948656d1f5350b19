"""Other readings of the same results, on each of which every claim is judged too.

A claim that holds on means and not on medians, or on one half of the trials alone, hangs on how one
looks: its column ``depends_on`` says so.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

ROUNDING = 1e-12


def on_trials(
    tables: Mapping[str, pd.DataFrame], cells: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """Yield the name of each reading with the tables as it has them.

    The readings are the trials with even numbers, those with odd numbers (no trial is in both), and
    medians over trials (see :func:`at_medians`).

    ``cells`` is name of a table with trials -> its columns that name a cell, then the one that
    numbers the trials. Other tables stay as they are.
    """
    changes = {"even trials": _even, "odd trials": _odd, "medians": at_medians}
    for name, change in changes.items():
        changed = {table: change(tables[table], columns) for table, columns in cells.items()}
        yield name, {**tables, **changed}


def _even(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    return table[table[columns[-1]] % 2 == 0]


def _odd(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    return table[table[columns[-1]] % 2 == 1]


def at_medians(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the trials moved, cell by cell, so that their mean is where their median was.

    What is positive in a whole cell is multiplied, so that the mean of its logarithm is that of its
    median; the rest is shifted. How trials scatter stays, and with it the width of intervals.

    ``columns`` are those that name a cell, then the one that numbers the trials; of the others,
    those with numbers are moved.
    """
    *cell, number = columns
    values = table.drop(columns=[*cell, number]).select_dtypes("number").astype(float)
    cells = table.groupby(cell, dropna=False, sort=False).ngroup()
    positive = ((values > 0) | values.isna()).groupby(cells).transform("all")
    logs = np.log(values.where(positive))
    moved = values * np.exp(_from_mean_to_median(logs, cells))
    return table.assign(**moved.where(positive, values + _from_mean_to_median(values, cells)))


def _from_mean_to_median(values: pd.DataFrame, cells: pd.Series) -> pd.DataFrame:
    by_cell = values.groupby(cells)
    shift = by_cell.transform("median") - by_cell.transform("mean")
    return shift.where(shift.abs() > ROUNDING, 0.0)  # what is the same in all trials stays so


def depends_on(verdict: str, others: Mapping[str, str], firm: Sequence[str]) -> str:
    """Name the readings that decide otherwise; one that leaves a claim open does not.

    ``verdict`` is on the results as they are, ``others`` is reading -> verdict; ``firm`` verdicts
    decide.
    """
    return formatted(
        {name: other for name, other in others.items() if other != verdict and other in firm}
    )


def formatted(verdicts: Mapping[str, str]) -> str:
    """Format verdicts by the names of their readings; :func:`parsed` reads them again."""
    return "; ".join(f"{name}: {verdict}" for name, verdict in verdicts.items())


def parsed(text: str) -> dict[str, str]:
    """Return the verdicts by reading that :func:`formatted` wrote."""
    return dict(part.rsplit(": ", 1) for part in text.split("; ") if part)
