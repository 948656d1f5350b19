"""Other readings of the same results, on each of which every claim is judged too.

A claim that holds on one half of the trials alone depends on which trials were run: its column
``depends_on`` says so.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd


def on_trials(
    tables: Mapping[str, pd.DataFrame], cells: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """Yield the name of each reading with the tables as it has them.

    The readings are the trials with even numbers and those with odd numbers: no trial is in both.

    ``cells`` is name of a table with trials -> its columns that name a cell, then the one that
    numbers the trials. Other tables stay as they are.
    """
    for name, rest in (("even trials", 0), ("odd trials", 1)):
        half = {
            table: tables[table][tables[table][columns[-1]] % 2 == rest]
            for table, columns in cells.items()
        }
        yield name, {**tables, **half}


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
