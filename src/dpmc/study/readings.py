"""Other readings of the same results, on each of which every claim is judged too.

A claim that holds on the mean of all trials and not on their medians, or on one half of them
alone, hangs on how one looks: its column ``depends_on`` says so.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

BLOCK = 3


def on_trials(
    tables: Mapping[str, pd.DataFrame], cells: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """Yield the name of each reading with the tables as it has them.

    The readings are the trials with even numbers, those with odd numbers (no trial is in both), and
    the medians of three trials each, in which a single bad draw counts for nothing.

    Parameters
    ----------
    tables : mapping of str to DataFrame
    cells : mapping of str to sequence of str
        Name of a table with trials -> its columns that name a cell, then the one that numbers the
        trials. Other tables stay as they are.
    """
    changes = {"even trials": _even, "odd trials": _odd, "medians of three": medians}
    for name, change in changes.items():
        changed = {table: change(tables[table], columns) for table, columns in cells.items()}
        yield name, {**tables, **changed}


def _even(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    return table[table[columns[-1]] % 2 == 0]


def _odd(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    return table[table[columns[-1]] % 2 == 1]


def medians(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return a table with the median of every three trials of a cell, in order, as one trial.

    What is left over at the end is left out; trials of different cells stay paired.

    Parameters
    ----------
    table : DataFrame
    columns : sequence of str
        Those that name a cell, then the one that numbers the trials; the others are measurements.
    """
    *cell, number = columns
    blocks = table.assign(**{number: table[number] // BLOCK})
    groups = blocks.groupby([*cell, number], dropna=False, sort=False)
    middle = groups.median(numeric_only=True)[groups.size() == BLOCK]
    return middle.reset_index().reindex(columns=table.columns)


def depends_on(verdict: str, others: Mapping[str, str], firm: Sequence[str]) -> str:
    """Name the readings that decide otherwise; one that leaves a claim open does not.

    Parameters
    ----------
    verdict : str
        On the results as they are.
    others : mapping of str to str
        Reading -> verdict.
    firm : sequence of str
        The verdicts that decide.
    """
    return "; ".join(
        f"{name}: {other}" for name, other in others.items() if other != verdict and other in firm
    )
