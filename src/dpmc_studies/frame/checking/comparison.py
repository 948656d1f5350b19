"""Comparison of tables: trials, other numbers, labels, settings, and missing rows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc_studies.frame.checking.runs import row_names
from dpmc_studies.frame.checking.tolerances import TOLERANCE, Allowance, relative_difference
from dpmc_studies.frame.jobs.cell_settings import Settings, changed_settings
from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE

NAMED_CELLS = 5  # how many cells a sentence names before it only counts them


@dataclass(frozen=True)
class Difference:
    """One difference from the reference, in a sentence with the cell and both values.

    If not ``fails``, it is only reported, and the check passes.
    """

    fails: bool
    text: str


def compare_trials(
    ours: pd.DataFrame,
    reference: pd.DataFrame,
    metrics: Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    allowances: Sequence[Allowance] = (),
    skip: Collection[str] = (),
) -> list[Difference]:
    """Compare the trials that both tables have, as
    :func:`dpmc_studies.frame.checking.runs.read_trials` returns them.

    ``metrics`` are the compared columns. A number on one side only, or a relative difference above
    ``tolerance``, is an excess. ``allowances`` are larger tolerances; the largest that covers a
    cell counts. ``skip`` are cells with changed settings, whose numbers are not compared.

    The result is one difference for each cell in excess, with its worst trial and both numbers.
    Trials that only we have are reported without failing. Tables without a common trial fail.
    """
    ours, reference = (
        table[~table.index.get_level_values("cell").isin(list(skip))] for table in (ours, reference)
    )
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty and not skip:
        return [Difference(True, "Run and reference have no trial in common.")]
    left, right = ours.loc[common], reference.loc[common, list(metrics)]
    cells = common.get_level_values("cell")
    differ = (relative_difference(left[list(metrics)], right) > tolerance).any(axis=1)
    found = []
    for name in cells[differ].unique():
        here = left[cells == name]
        coordinates = here.iloc[0].drop(list(metrics)).to_dict()
        allowed = [a.tolerance for a in allowances if a.covers(coordinates)]
        limit = max([tolerance, *allowed])
        text = _excess(here[list(metrics)], right[cells == name], limit)
        if text:
            found.append(Difference(True, f"{name}: {text}"))
    return found + _beyond_reference(ours, reference)


def compare_numbers(
    ours: pd.DataFrame, reference: pd.DataFrame, tolerance: float = TOLERANCE
) -> list[Difference]:
    """Compare the rows that two tables of :func:`read_keyed` both have.

    A number on one side only, or a relative difference above ``tolerance``, is an excess. The
    result is one difference for each row in excess, with its worst number, or one
    difference if there is no common row.
    """
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty:
        return [Difference(True, "Run and reference have no row in common.")]
    new = [name for name in ours if name not in reference]
    found = [Difference(True, f"The reference has no column {name}.") for name in new]
    ours = ours.loc[common].drop(columns=new)
    reference = reference.loc[common, ours.columns]
    differences = relative_difference(ours, reference)
    for row in np.flatnonzero((differences > tolerance).any(axis=1)):
        text = _worst(ours.iloc[[row]], reference.iloc[[row]], differences[[row]], tolerance)
        found.append(Difference(True, f"{common[row]}: {text}."))
    return found


def _excess(ours: pd.DataFrame, reference: pd.DataFrame, limit: float) -> str:
    """Describe the worst trial of a cell, or return an empty string if all are within limits."""
    differences = relative_difference(ours, reference)
    beyond = (differences > limit).any(axis=1).sum()
    if not beyond:
        return ""
    trial = ours.index.get_level_values("trial")[np.argmax(differences.max(axis=1))]
    text = _worst(ours, reference, differences, limit)
    return f"trial {trial}: {text}; {beyond} of {len(ours)} trials differ."


def _worst(ours, reference, differences, limit) -> str:
    row, column = np.unravel_index(np.argmax(differences), differences.shape)
    name = ours.columns[column]
    return (
        f"{name} is {ours[name].iloc[row]!s}, in the reference {reference[name].iloc[row]!s} "
        f"(relative difference {differences[row, column]:.2g}, allowed {limit:g})"
    )


def _beyond_reference(ours: pd.DataFrame, reference: pd.DataFrame) -> list[Difference]:
    extra = ours.index.difference(reference.index, sort=False)
    if extra.empty:
        return []
    cells = list(dict.fromkeys(extra.get_level_values("cell")))
    text = f"{len(extra)} trials are not in the reference and were not compared: {_some(cells)}."
    return [Difference(False, text)]


def compare_settings(ours: Settings, reference: Settings) -> tuple[list[Difference], set[str]]:
    """Compare the settings of the cells that both have; the number of trials may differ.

    Return one difference for each changed value, with its cells, and the set of these cells.
    """
    changes = changed_settings(ours, reference)
    common = ours.cells.keys() & reference.cells.keys()
    found = [
        Difference(
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
    return found, {name for cells in changes.values() for name in cells}


def missing_trials(
    ours: pd.DataFrame, settings: Settings, unavailable: Collection[str] = ()
) -> list[Difference]:
    """Return differences for trials that the run was asked for and does not have.

    ``ours`` is as :func:`dpmc_studies.frame.checking.runs.read_trials` returns it. ``settings`` has
    every cell of the grid and its number of trials. Unavailable data sets do not fail.
    """
    present = set(ours.index)
    found, waived = [], dict.fromkeys(unavailable, 0)
    for name, values in settings.cells.items():
        missing = [trial for trial in range(values["trials"]) if (name, trial) not in present]
        dataset = dataset_of(name)
        if missing and dataset in waived:
            waived[dataset] += 1
        elif missing:
            numbers = ", ".join(map(str, missing))
            found.append(Difference(True, f"{name}: the run lacks trial {numbers}."))
    return found + [
        Difference(False, f"{dataset}: {NOT_AVAILABLE}, {count} cells were not run.")
        for dataset, count in waived.items()
        if count
    ]


def dataset_of(cell: str) -> str:
    """Return the data set in the name of a cell, which begins with it."""
    return cell.split(", ")[0].removeprefix("dataset=")


def _some(cells: Sequence[str]) -> str:
    named = "; ".join(cells[:NAMED_CELLS])
    rest = len(cells) - NAMED_CELLS
    return f"{named}; and {rest} more cells" if rest > 0 else named


def compare_labels(
    ours: pd.DataFrame,
    expected: pd.DataFrame,
    keys: Sequence[str],
    unavailable: Collection[str] = (),
    *,
    lacks_cells: bool = False,
) -> list[Difference]:
    """Compare labels with the expected ones: any change fails.

    The first column of ``expected`` that is not a key is the label. A label that could not be
    judged because a data set is unavailable is reported without failing. So are claims of our own,
    which are about all data of a study, if ``lacks_cells``: the table of trials lacks cells of an
    unavailable data set. Unavailable data of other tables do not count.
    """
    label = next(name for name in expected if name not in keys)
    here, there = (
        dict(zip(row_names(table, keys), table[label], strict=True)) for table in (ours, expected)
    )
    waived = set(row_names(ours[_not_judged(ours, unavailable, lacks_cells)], keys))
    found = []
    for name in dict.fromkeys([*there, *here]):
        is_now, was = here.get(name, "absent"), there.get(name, "absent")
        if is_now != was:
            excused = name in waived
            text = f"{name}: the {label} is {is_now}, expected {was}"
            found.append(Difference(not excused, text + excused * f" ({NOT_AVAILABLE})" + "."))
    return found


def _not_judged(ours: pd.DataFrame, unavailable: Collection[str], lacks_cells: bool) -> np.ndarray:
    """Mark the rows that could not be judged, or judged in full, because data are unavailable."""
    if unavailable and "reason" in ours:
        says_so = ours["reason"].str.contains(NOT_AVAILABLE, case=False)
        return (says_so | (lacks_cells & is_own(ours))).to_numpy()
    if unavailable and "dataset" in ours:
        return ours["dataset"].isin(list(unavailable)).to_numpy()
    return np.zeros(len(ours), dtype=bool)


def not_passed(name: str, table: pd.DataFrame, keys: Sequence[str]) -> list[Difference]:
    """Return a difference for each row that did not pass: a refuted claim, a fault not caught."""
    if table.empty:
        return [Difference(True, f"the {name} has no rows.")]
    failed = table[table["passed"] != "True"]
    return [
        Difference(True, f"{name}: {row}: not passed.") for row in row_names(failed, tuple(keys))
    ]
