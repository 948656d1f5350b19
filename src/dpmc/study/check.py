"""Does a run still give what it gave? A run against the committed reference.

Two comparisons. The trials must be those of the reference, number by number: same seeds, same
settings, a relative difference of at most 1e-6. The statuses beside the published numbers and
the verdicts on claims must be those that we know of: a known deviation from the papers is no
fault, a changed one is.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc.studies.huber.published.compare import NOT_RUN
from dpmc.studies.huber.trial import METRICS
from dpmc.study.runs import (
    STATUS_COLUMNS,
    VERDICT_COLUMNS,
    Run,
    Settings,
    by_row,
    changed_settings,
    read_settings,
    read_text_table,
    read_trials,
)
from dpmc.study.tolerances import TOLERANCE, Allowance, read_allowances, relative_difference

NAMED_CELLS = 5  # how many cells a sentence names before it only counts them


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


def check_run(run: Run, folder: Path, unavailable: Collection[str] = ()) -> list[Finding]:
    """Compare a run with the reference.

    Parameters
    ----------
    run : Run
        With settings, statuses and verdicts.
    folder : Path
        The reference: ``trials.csv``, ``settings.json``, ``tolerances.csv`` and, below
        ``expected``, a folder for each value of ``huber.reference``.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    expected = folder / "expected" / run.settings.reference
    if not expected.is_dir():
        known = sorted(path.name for path in (folder / "expected").glob("*"))
        raise InputError(
            f"huber.reference is {run.settings.reference!r}, but {folder} knows only "
            f"{', '.join(known) or 'nothing'}{did_you_mean(run.settings.reference, known)}."
        )
    changed, touched = compare_settings(run.settings, read_settings(folder / "settings.json"))
    return [
        *missing_trials(run.trials, run.settings, unavailable),
        *changed,
        *compare_trials(
            run.trials,
            read_trials(folder / "trials.csv"),
            allowances=read_allowances(folder / "tolerances.csv"),
            skip=touched,
        ),
        *compare_labels(
            run.statuses, read_text_table(expected / "statuses.csv", STATUS_COLUMNS), unavailable
        ),
        *compare_labels(
            run.verdicts, read_text_table(expected / "verdicts.csv", VERDICT_COLUMNS), unavailable
        ),
    ]


def refuse_absent(paths: Iterable[Path], option: str = "") -> None:
    """Refuse a reference that lacks one of these files.

    Parameters
    ----------
    paths : iterable of Path
    option : str
        Of the command that writes them, with a space before it.

    Raises
    ------
    InputError
        It does.
    """
    for path in paths:
        if not path.exists():
            raise InputError(
                f"There is no {path} to compare with; `dpmc reference update{option}` makes it "
                "from a finished run."
            )


def compare_labels(
    ours: pd.DataFrame, expected: pd.DataFrame, unavailable: Collection[str] = ()
) -> list[Finding]:
    """Compare statuses or verdicts with the expected ones: a changed one fails, whichever way.

    Parameters
    ----------
    ours, expected : DataFrame
        Columns :data:`dpmc.study.runs.STATUS_COLUMNS` or :data:`dpmc.study.runs.VERDICT_COLUMNS`;
        ours may also have ``reason``.
    unavailable : collection of str
        Data sets whose data could not be had: what could not be judged for that is reported
        without failing.
    """
    kind = "verdict" if "verdict" in expected else "status"
    waived = _not_judged(ours, unavailable)
    here, there = by_row(ours), by_row(expected)
    findings = []
    for name in dict.fromkeys([*there, *here]):
        found, wanted = here.get(name, "absent"), there.get(name, "absent")
        if found != wanted:
            excused = name in waived
            text = f"{name}: the {kind} is {found}, expected {wanted}"
            findings.append(Finding(not excused, text + excused * " (data not available)" + "."))
    return findings


def _not_judged(ours: pd.DataFrame, unavailable: Collection[str]) -> set[str]:
    """Return the names of the rows that could not be judged for want of data."""
    if not unavailable:
        return set()
    if "verdict" in ours:
        rows = ours["reason"].str.contains("data not available", case=False)
    else:
        rows = (ours["status"] == NOT_RUN) & ours["dataset"].isin(list(unavailable))
    return set(by_row(ours[rows]))


def outcome(run: Run, findings: Sequence[Finding], also: str = "") -> str:
    """Say in lines whether the run passes: first the answer, then the failures, then notes.

    Parameters
    ----------
    run : Run
    findings : sequence of Finding
    also : str
        What else was counted, to follow the counts of the run.
    """
    failures = [finding.text for finding in findings if finding.fails]
    notes = [finding.text for finding in findings if not finding.fails]
    size = (
        f"{run.folder} with {len(run.trials)} trials, {len(run.statuses)} statuses, "
        f"{len(run.verdicts)} verdicts{also}"
    )
    if failures:
        count = f"{len(failures)} difference{'s' * (len(failures) > 1)}"
        first = f"dpmc: check FAILED, {count} from the reference: {size}"
    else:
        first = f"dpmc: check passed: {size}"
    return "\n".join(
        [first, *(f"  FAILED {text}" for text in failures), *(f"  note {text}" for text in notes)]
    )


def compare_trials(
    ours: pd.DataFrame,
    reference: pd.DataFrame,
    tolerance: float = TOLERANCE,
    allowances: Sequence[Allowance] = (),
    skip: Collection[str] = (),
    metrics: Sequence[str] = METRICS,
) -> list[Finding]:
    """Compare the trials that both tables have, paired by cell and trial.

    Parameters
    ----------
    ours, reference : DataFrame
        As :func:`dpmc.study.runs.read_trials` returns them.
    tolerance : float
        Largest relative difference of any metric. A number on one side only is an excess.
    allowances : sequence of Allowance
        Cells that may differ by more.
    skip : collection of str
        Cells whose settings differ, so that their numbers need not be compared.
    metrics : sequence of str
        Columns that are compared.

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
        first = left.iloc[0]
        coordinates = first.drop(list(metrics)).to_dict()
        allowed = [a.tolerance for a in allowances if a.covers(coordinates)]
        limit = max([tolerance, *allowed])
        text = _excess(left[list(metrics)], reference.loc[left.index, list(metrics)], limit)
        if text:
            findings.append(Finding(True, f"{name}: {text}"))
    return findings + _beyond_reference(ours, reference)


def _excess(ours: pd.DataFrame, reference: pd.DataFrame, limit: float) -> str:
    """Describe the worst trial of a cell, or return an empty string if all are within limits."""
    differences = relative_difference(ours, reference)
    beyond = (differences > limit).any(axis=1).sum()
    if not beyond:
        return ""
    row, column = np.unravel_index(np.argmax(differences), differences.shape)
    metric, trial = ours.columns[column], ours.index.get_level_values("trial")[row]
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
    changes = changed_settings(ours, reference)
    common = ours.cells.keys() & reference.cells.keys()
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
        As :func:`dpmc.study.runs.read_trials` returns it.
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
