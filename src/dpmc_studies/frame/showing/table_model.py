"""A table before it is formatted as CSV, Markdown, LaTeX or HTML."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Cell:
    """One number of a table, never rounded here."""

    value: float = np.nan  # NaN where there is none; then `absent` says why
    error: float = np.nan  # standard error; NaN for numbers without one
    trials: int = 0  # trials behind the number; 0 if it is not a mean
    # digits after the point when shown; with -1 two significant ones and an exponent
    digits: int = 4
    lowest: bool = False  # whether the number is significantly the lowest private one of its row
    # whether it differs from the published number by more than sampling error
    deviates: bool = False
    # whether it shares the lowest place of its row with others, as far as can be told
    tied: bool = False
    absent: str = "–"  # what stands in place of a missing number

    @property
    def present(self) -> bool:
        return bool(np.isfinite(self.value))

    @property
    def number(self) -> str:
        """The value as shown, or the text in its place."""
        return self._formatted(self.value) if self.present else self.absent

    @property
    def spread(self) -> str:
        """The standard error as shown, or an empty string."""
        known = self.present and np.isfinite(self.error)
        return self._formatted(self.error) if known else ""

    def _formatted(self, value: float) -> str:
        return f"{value:z.{self.digits}f}" if self.digits >= 0 else f"{value:.1e}"


@dataclass(frozen=True)
class Column:
    """A column: its heading, the heading above it, and its name in the CSV."""

    key: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    keys: tuple  # the coordinates of the row, unrounded, for the CSV
    labels: tuple[str, ...]  # the same for the reader
    line: str  # what the line holds: "published", "ours",
    cells: tuple[Cell, ...]  # one per column


@dataclass(frozen=True)
class Table:
    """A table in the layout of its source.

    ``headings`` name the row coordinates as (key, label) pairs; ``notes`` stand below.
    """

    id: str
    title: str
    headings: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def groups(self) -> list[tuple[str, int]]:
        """Return the upper headings with the number of columns under each."""
        groups: list[tuple[str, int]] = []
        for column in self.columns:
            if groups and groups[-1][0] == column.group:
                groups[-1] = (column.group, groups[-1][1] + 1)
            else:
                groups.append((column.group, 1))
        return groups

    def without_constants(self, kept: str) -> Self:
        """Return the table without headings that are equal in all rows, except ``kept``."""
        places = [
            place
            for place, (name, _) in enumerate(self.headings)
            if name == kept or len({row.keys[place] for row in self.rows}) > 1
        ]

        def part(values: tuple) -> tuple:
            return tuple(values[place] for place in places)

        rows = [replace(row, keys=part(row.keys), labels=part(row.labels)) for row in self.rows]
        return replace(self, headings=part(self.headings), rows=tuple(rows))
