"""What a table is, before it becomes CSV, Markdown, LaTeX or HTML."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Cell:
    """One number of a table, never rounded here.

    Attributes
    ----------
    value : float
        NaN where there is none; then ``absent`` says why.
    error : float
        Standard error; NaN for numbers without one.
    trials : int
        Trials behind the number; 0 if it is not a mean.
    digits : int
        Digits after the point when shown; with -1 two significant ones and an exponent.
    lowest : bool
        Whether the number is significantly the lowest private one of its row.
    deviates : bool
        Whether it differs from the published number by more than sampling error.
    tied : bool
        Whether it shares the lowest place of its row with others, as far as can be told.
    absent : str
        What stands in place of a missing number.
    """

    value: float = np.nan
    error: float = np.nan
    trials: int = 0
    digits: int = 4
    lowest: bool = False
    deviates: bool = False
    tied: bool = False
    absent: str = "–"

    @property
    def present(self) -> bool:
        return bool(np.isfinite(self.value))

    @property
    def number(self) -> str:
        """The value as shown, or what stands in its place."""
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
    """A column: its heading, the heading it stands under, and its name in the CSV."""

    key: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes
    ----------
    keys : tuple
        The coordinates of the row, unrounded, for the CSV.
    labels : tuple of str
        The same for the reader.
    line : str
        What the line holds: "published", "ours", ...
    cells : tuple of Cell
        One per column.
    """

    keys: tuple
    labels: tuple[str, ...]
    line: str
    cells: tuple[Cell, ...]


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
        """Return it without the headings under which every row has the same, but for ``kept``."""
        places = [
            place
            for place, (name, _) in enumerate(self.headings)
            if name == kept or len({row.keys[place] for row in self.rows}) > 1
        ]

        def part(values: tuple) -> tuple:
            return tuple(values[place] for place in places)

        rows = [replace(row, keys=part(row.keys), labels=part(row.labels)) for row in self.rows]
        return replace(self, headings=part(self.headings), rows=tuple(rows))
