"""Tolerances of the comparison with the reference, and cells with larger ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc_studies.frame.checking.runs import read_text_table
from dpmc_studies.frame.jobs.cells import format_coordinate

TOLERANCE = 1e-6
ALLOWED = ("tolerance", "reason")


def relative_difference(ours: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the relative difference, 0 if both are missing and inf if one is."""
    ours, reference = np.asarray(ours, dtype=float), np.asarray(reference, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.abs(ours - reference) / np.abs(reference)
    same = (ours == reference) | (np.isnan(ours) & np.isnan(reference))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))


@dataclass(frozen=True)
class Allowance:
    """A larger relative tolerance for some cells, with its reason.

    ``patterns`` maps coordinates to shell patterns for their text: ``*`` for any, ``none`` for
    cells without the coordinate.
    """

    patterns: Mapping[str, str]
    tolerance: float
    reason: str

    def covers(self, coordinates: Mapping[str, object]) -> bool:
        """Whether the cell with these coordinates may use this tolerance."""
        return all(
            fnmatchcase("none" if pd.isna(value) else format_coordinate(value), self.patterns[name])
            for name, value in coordinates.items()
        )


def read_allowances(path: str | Path, coordinates: Sequence[str]) -> list[Allowance]:
    """Read ``tolerances.csv``: the coordinates as patterns, ``tolerance`` and ``reason``."""
    allowances = []
    table = read_text_table(path, (*coordinates, *ALLOWED))
    for line, row in enumerate(table.to_dict("records"), start=2):
        tolerance = pd.to_numeric(row["tolerance"], errors="coerce")
        if not tolerance > 0:
            raise InputError(
                f"{path}, line {line}: the tolerance must be a positive number, "
                f"got {row['tolerance']!r}."
            )
        if not row["reason"].strip():
            raise InputError(f"{path}, line {line}: a tolerance needs a reason.")
        patterns = {name: row[name] for name in coordinates}
        allowances.append(Allowance(patterns, float(tolerance), row["reason"]))
    return allowances
