"""Other readings of the same results, under which every claim is judged too.

A claim that holds on only one half of the trials depends on which trials were run. The column
``depends_on`` then names the half.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd


def on_trials(
    tables: Mapping[str, pd.DataFrame], cells: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """Yield the name of each reading with its tables.

    The readings are the trials with even numbers and those with odd numbers: no trial is in both.

    ``cells`` maps the name of a table with trials to its columns: those that name a cell, then the
    column of trial numbers. Other tables stay unchanged.
    """
    for name, rest in (("even trials", 0), ("odd trials", 1)):
        half = {
            table: tables[table][tables[table][columns[-1]] % 2 == rest]
            for table, columns in cells.items()
        }
        yield name, {**tables, **half}


def depends_on(verdict: str, others: Mapping[str, str], firm: Sequence[str]) -> str:
    """Name the readings with another decision; an inconclusive verdict is not a decision.

    ``verdict`` is the verdict on the unchanged results, and ``others`` maps readings to verdicts.
    ``firm`` are the verdicts that decide.
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
