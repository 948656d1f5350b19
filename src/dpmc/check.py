"""Does a run still give what it gave? A run against the committed reference.

Two comparisons. The trials must be those of the reference, number by number: same seeds, same
settings, a relative difference of at most 1e-6. The statuses beside the published numbers and
the verdicts on claims must be those that we know of: a known deviation from the papers is no
fault, a changed one is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc.experiments.cells import COORDINATES, spell
from dpmc.experiments.trial import METRICS
from dpmc.runs import Settings, read_text_table

TOLERANCE = 1e-6
NAMED_CELLS = 5  # how many cells a sentence names before it only counts them
TOLERANCE_COLUMNS = (*COORDINATES, "tolerance", "reason")


@dataclass(frozen=True)
class Finding:
    """One thing that differs from the reference.

    Attributes
    ----------
    fails : bool
        Whether it makes the check fail; if not, it is only reported.
    text : str
        One sentence with the cell and both values.
    """

    fails: bool
    text: str


@dataclass(frozen=True)
class Allowance:
    """A larger tolerance for some cells, with its reason.

    Attributes
    ----------
    patterns : dict
        Coordinate to a shell pattern of its spelling: ``*`` for any, ``none`` for cells without.
    tolerance : float
        Relative.
    reason : str
    """

    patterns: Mapping[str, str]
    tolerance: float
    reason: str

    def covers(self, coordinates: Mapping[str, object]) -> bool:
        """Whether the cell with these coordinates may use this tolerance."""
        return all(
            fnmatchcase("none" if pd.isna(value) else spell(value), self.patterns[name])
            for name, value in coordinates.items()
        )


def read_allowances(path: str | Path) -> list[Allowance]:
    """Read ``tolerances.csv``: the coordinates as patterns, ``tolerance`` and ``reason``.

    Raises
    ------
    InputError
        A tolerance is no positive number or has no reason.
    """
    allowances = []
    table = read_text_table(path, TOLERANCE_COLUMNS)
    for line, row in enumerate(table.to_dict("records"), start=2):
        tolerance = pd.to_numeric(row["tolerance"], errors="coerce")
        if not tolerance > 0:
            raise InputError(
                f"{path}, line {line}: the tolerance must be a positive number, "
                f"got {row['tolerance']!r}."
            )
        if not row["reason"].strip():
            raise InputError(f"{path}, line {line}: a tolerance needs a reason.")
        patterns = {name: row[name] for name in COORDINATES}
        allowances.append(Allowance(patterns, float(tolerance), row["reason"]))
    return allowances


def compare_trials(
    ours: pd.DataFrame,
    reference: pd.DataFrame,
    tolerance: float = TOLERANCE,
    allowances: Sequence[Allowance] = (),
    skip: Collection[str] = (),
) -> list[Finding]:
    """Compare the trials that both tables have, paired by cell and trial.

    Parameters
    ----------
    ours, reference : DataFrame
        As :func:`dpmc.runs.read_trials` returns them.
    tolerance : float
        Largest relative difference of any metric. A number on one side only is an excess.
    allowances : sequence of Allowance
        Cells that may differ by more.
    skip : collection of str
        Cells whose settings differ, so that their numbers need not be compared.

    Returns
    -------
    list of Finding
        One for each cell in excess, with its worst trial and both numbers. Trials that only we
        have are reported without failing; nothing in common fails.
    """
    ours, reference = (
        table[~table.index.get_level_values("cell").isin(list(skip))] for table in (ours, reference)
    )
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty and not skip:
        return [Finding(True, "Run and reference have no trial in common.")]
    findings = []
    for name, left in ours.loc[common].groupby(level="cell", sort=False):
        coordinates = left[list(COORDINATES)].iloc[0].to_dict()
        allowed = [a.tolerance for a in allowances if a.covers(coordinates)]
        limit = max([tolerance, *allowed])
        text = _excess(left, reference.loc[left.index], limit)
        if text:
            findings.append(Finding(True, f"{name}: {text}"))
    return findings + _beyond_reference(ours, reference)


def relative_difference(ours: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the relative difference, 0 where both are missing and inf where one of them is."""
    ours, reference = np.asarray(ours, dtype=float), np.asarray(reference, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.abs(ours - reference) / np.abs(reference)
    same = (ours == reference) | (np.isnan(ours) & np.isnan(reference))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))


def _excess(ours: pd.DataFrame, reference: pd.DataFrame, limit: float) -> str:
    """Describe the worst trial of a cell, or return an empty string if all are within limits."""
    differences = relative_difference(ours[list(METRICS)], reference[list(METRICS)])
    beyond = (differences > limit).any(axis=1).sum()
    if not beyond:
        return ""
    row, column = np.unravel_index(np.argmax(differences), differences.shape)
    metric, trial = METRICS[column], ours.index.get_level_values("trial")[row]
    return (
        f"{metric} of trial {trial} is {ours[metric].iloc[row]!s}, "
        f"in the reference {reference[metric].iloc[row]!s} "
        f"(relative difference {differences[row, column]:.2g}, allowed {limit:g}; "
        f"{beyond} of {len(ours)} trials differ)."
    )


def _beyond_reference(ours: pd.DataFrame, reference: pd.DataFrame) -> list[Finding]:
    extra = ours.index.difference(reference.index, sort=False)
    if extra.empty:
        return []
    cells = list(dict.fromkeys(extra.get_level_values("cell")))
    text = f"{len(extra)} trials are not in the reference and were not compared: {_some(cells)}."
    return [Finding(False, text)]


def compare_settings(ours: Settings, reference: Settings) -> tuple[list[Finding], set[str]]:
    """Compare the settings of the cells that both have; the number of trials may differ.

    Returns
    -------
    findings : list of Finding
        One for each changed value, with the cells that it touches.
    cells : set of str
        The cells touched.
    """
    changes: dict[tuple[str, str, str], list[str]] = {}
    common = [name for name in ours.cells if name in reference.cells]
    for name in common:
        here, there = ours.cells[name], reference.cells[name]
        for setting in sorted((here.keys() | there.keys()) - {"trials"}):
            values = [side.get(setting, "not set") for side in (here, there)]
            if values[0] != values[1]:
                changes.setdefault((setting, *map(str, values)), []).append(name)
    findings = [
        Finding(
            True,
            f"{setting} is {here}, in the reference {there}, so that "
            + (
                f"none of the {len(common)} cells can be compared."
                if len(cells) == len(common) > 1
                else f"these cells cannot be compared: {_some(cells)}."
            ),
        )
        for (setting, here, there), cells in changes.items()
    ]
    return findings, {name for cells in changes.values() for name in cells}


def missing_trials(
    ours: pd.DataFrame, settings: Settings, unavailable: Collection[str] = ()
) -> list[Finding]:
    """Report what the run was asked for and does not have.

    Parameters
    ----------
    ours : DataFrame
        As :func:`dpmc.runs.read_trials` returns it.
    settings : Settings
        Names every cell of the grid and its number of trials.
    unavailable : collection of str
        Data sets whose data could not be had: reported, but no failure.
    """
    present = set(ours.index)
    findings, waived = [], dict.fromkeys(unavailable, 0)
    for name, values in settings.cells.items():
        missing = [trial for trial in range(values["trials"]) if (name, trial) not in present]
        dataset = name.split(", ")[0].removeprefix("dataset=")
        if missing and dataset in waived:
            waived[dataset] += 1
        elif missing:
            numbers = ", ".join(map(str, missing))
            findings.append(Finding(True, f"{name}: the run lacks trial {numbers}."))
    return findings + [
        Finding(False, f"{dataset}: data not available, {count} cells were not run.")
        for dataset, count in waived.items()
        if count
    ]


def _some(cells: Sequence[str]) -> str:
    named = "; ".join(cells[:NAMED_CELLS])
    rest = len(cells) - NAMED_CELLS
    return f"{named}; and {rest} more cells" if rest > 0 else named
