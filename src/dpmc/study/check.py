"""Does a run still give what it gave? The tables of a study against its committed reference.

Two comparisons. The numbers must be those of the reference, one by one: same seeds, same settings,
a relative difference of at most 1e-6. Verdicts on claims, and statuses beside published numbers,
must be those that we know of: a known deviation from a paper is no fault, a changed one is. A cell
whose settings changed fails too, by name: its numbers cannot be compared.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc.study.api import Regression, Study
from dpmc.study.cell_settings import SETTINGS, Settings, changed_settings, read_settings
from dpmc.study.plan import files_of
from dpmc.study.rules import NOT_AVAILABLE
from dpmc.study.runs import (
    read_numbers,
    read_text_table,
    read_trials,
    refuse_incomplete,
    row_names,
)
from dpmc.study.tolerances import TOLERANCE, Allowance, read_allowances, relative_difference

NAMED_CELLS = 5  # how many cells a sentence names before it only counts them
TOLERANCES = "tolerances.csv"


@dataclass(frozen=True)
class Difference:
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
class Results:
    """What a study's regression looks at, read from a folder of results.

    Attributes
    ----------
    study : Study
    folder : Path
    settings : Settings or None
        By cell of the table of trials; None without such a table.
    trials : DataFrame or None
        As :func:`dpmc.study.runs.read_trials` returns it.
    labels, numbers, passed : mapping
        Table to its rows as text; to its numbers, indexed by the names of the rows; to its rows as
        text, with the column ``passed``.
    """

    study: Study
    folder: Path
    settings: Settings | None = None
    trials: pd.DataFrame | None = None
    labels: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    numbers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    passed: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def counts(self) -> str:
        """Say how much there is to look at."""
        sizes = {} if self.trials is None else {self.study.regression.table: self.trials}
        sizes |= {**self.labels, **self.numbers, **self.passed}
        return ", ".join(f"{len(table)} rows of {name}" for name, table in sizes.items())


def read_results(study: Study, folder: str | Path) -> Results:
    """Read what a study's regression looks at, from its folder below ``results``.

    Raises
    ------
    InputError
        A table is missing, or not what it should be.
    """
    folder, regression = Path(folder), study.regression
    refuse_incomplete(folder, files_of(regression))
    settings = trials = None
    if regression.table is not None:
        settings = read_settings(folder / SETTINGS)
        path = folder / f"{regression.table}.csv"
        trials = read_trials(path, regression.coordinates, regression.metrics)
    return Results(
        study,
        folder,
        settings,
        trials,
        {name: read_text_table(folder / f"{name}.csv") for name in regression.labels},
        {
            name: read_keyed(folder / f"{name}.csv", keys)
            for name, keys in regression.numbers.items()
        },
        {
            name: read_text_table(folder / f"{name}.csv", (*keys, "passed"))
            for name, keys in regression.passed.items()
        },
    )


def read_keyed(path: str | Path, keys: Sequence[str]) -> pd.DataFrame:
    """Read a table of numbers, indexed by the names of its rows.

    Raises
    ------
    InputError
        A column is missing, a number cannot be read, or a row occurs twice.
    """
    columns = tuple(read_text_table(path).columns)
    missing = [name for name in keys if name not in columns]
    if missing:
        raise InputError(f"{path} has no column {missing[0]}.")
    table = read_numbers(path, columns, keys)
    table.index = pd.Index(row_names(table, keys), name="row")
    if not table.index.is_unique:
        raise InputError(f"{path} has twice {table.index[table.index.duplicated()][0]}.")
    return table.drop(columns=list(keys))


def check(results: Results, reference: Path, unavailable: Collection[str] = ()) -> list[Difference]:
    """Compare the results of a study with its reference.

    Parameters
    ----------
    results : Results
    reference : Path
        The study's: its table of trials, ``settings.json``, ``tolerances.csv``, other tables of
        numbers and, below ``expected``, for each profile the expected labels.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    regression = results.study.regression
    found = [
        difference
        for name, table in results.passed.items()
        for difference in not_passed(name, table, regression.passed[name])
    ]
    if results.trials is not None:
        found += _check_trials(results, reference, unavailable)
    for name, ours in results.numbers.items():
        path = reference / f"{name}.csv"
        refuse_absent([path])
        found += compare_numbers(ours, read_keyed(path, regression.numbers[name]))
    for name, ours in results.labels.items():
        path = expected_file(reference, results.settings.reference, name)
        keys = regression.labels[name]
        timed = ours[keys[0]].isin(regression.by_clock)
        known = read_text_table(path)
        known = known[~known[keys[0]].isin(regression.by_clock)]
        found += compare_labels(ours[~timed], known, keys, unavailable)
    return found


def expected_file(reference: Path, profile: str, table: str) -> Path:
    """Return where the expected labels of a table are.

    Raises
    ------
    InputError
        There are none for this profile.
    """
    folder = reference / "expected"
    if not (folder / profile).is_dir():
        known = sorted(path.name for path in folder.glob("*"))
        raise InputError(
            f"reference is {profile!r} in the configuration, but {reference} knows only "
            f"{', '.join(known) or 'nothing'}{did_you_mean(profile, known)}."
        )
    path = folder / profile / f"{table}.csv"
    refuse_absent([path], "" if profile == "full" else f" --profile {profile}")
    return path


def _check_trials(
    results: Results, reference: Path, unavailable: Collection[str]
) -> list[Difference]:
    regression, settings = results.study.regression, results.settings
    paths = [reference / name for name in (f"{regression.table}.csv", SETTINGS, TOLERANCES)]
    refuse_absent(paths)
    changed, touched = compare_settings(settings, read_settings(paths[1]))
    known = read_trials(paths[0], regression.coordinates, regression.metrics)
    lacking = regression.lacking(unavailable, settings.cells)
    return [
        *missing_trials(results.trials, settings, lacking),
        *changed,
        *compare_trials(
            kept(results.trials, regression),
            kept(known, regression),
            regression.metrics,
            allowances=read_allowances(paths[2], regression.coordinates),
            skip=touched,
        ),
    ]


def kept(trials: pd.DataFrame, regression: Regression) -> pd.DataFrame:
    """Return the trials that the reference keeps: the noise of others comes from the same code."""
    if regression.trials is None:
        return trials
    return trials[trials.index.get_level_values("trial") < regression.trials]


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
        A file is missing.
    """
    for path in paths:
        if not path.exists():
            raise InputError(
                f"There is no {path} to compare with; `dpmc reference update{option}` makes it "
                "from a finished run."
            )


def not_passed(name: str, table: pd.DataFrame, keys: Sequence[str]) -> list[Difference]:
    """Report each row that did not pass: a claim refuted, or a planted fault not caught."""
    if table.empty:
        return [Difference(True, f"the {name} has no rows.")]
    failed = table[table["passed"] != "True"]
    return [
        Difference(True, f"{name}: {row}: not passed.") for row in row_names(failed, tuple(keys))
    ]


def compare_numbers(
    ours: pd.DataFrame, reference: pd.DataFrame, tolerance: float = TOLERANCE
) -> list[Difference]:
    """Compare the rows that two tables of :func:`read_keyed` both have.

    Parameters
    ----------
    ours, reference : DataFrame
    tolerance : float
        Largest relative difference of any number. One that only one side has is an excess.

    Returns
    -------
    list of Difference
        One for each row in excess, with its worst number; nothing in common fails.
    """
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty:
        return [Difference(True, "Run and reference have no row in common.")]
    ours, reference = ours.loc[common], reference.loc[common, ours.columns]
    differences = relative_difference(ours, reference)
    found = []
    for row in np.flatnonzero((differences > tolerance).any(axis=1)):
        text = _worst(ours.iloc[[row]], reference.iloc[[row]], differences[[row]], tolerance)
        found.append(Difference(True, f"{common[row]}: {text}."))
    return found


def _worst(ours, reference, differences, limit) -> str:
    row, column = np.unravel_index(np.argmax(differences), differences.shape)
    name = ours.columns[column]
    return (
        f"{name} is {ours[name].iloc[row]!s}, in the reference {reference[name].iloc[row]!s} "
        f"(relative difference {differences[row, column]:.2g}, allowed {limit:g})"
    )


def compare_labels(
    ours: pd.DataFrame,
    expected: pd.DataFrame,
    keys: Sequence[str],
    unavailable: Collection[str] = (),
) -> list[Difference]:
    """Compare labels with the expected ones: a changed one fails, whichever way.

    Parameters
    ----------
    ours, expected : DataFrame of str
        The first column of ``expected`` beside the keys is the label.
    keys : sequence of str
    unavailable : collection of str
        Data sets whose data could not be had: what could not be judged for that is reported
        without failing.
    """
    label = next(name for name in expected if name not in keys)
    here, there = (
        dict(zip(row_names(table, keys), table[label], strict=True)) for table in (ours, expected)
    )
    waived = set(row_names(ours[_not_judged(ours, unavailable)], keys))
    found = []
    for name in dict.fromkeys([*there, *here]):
        is_now, was = here.get(name, "absent"), there.get(name, "absent")
        if is_now != was:
            excused = name in waived
            text = f"{name}: the {label} is {is_now}, expected {was}"
            found.append(Difference(not excused, text + excused * f" ({NOT_AVAILABLE})" + "."))
    return found


def _not_judged(ours: pd.DataFrame, unavailable: Collection[str]) -> np.ndarray:
    """Mark the rows that could not be judged for want of data."""
    if unavailable and "reason" in ours:
        return ours["reason"].str.contains(NOT_AVAILABLE, case=False).to_numpy()
    if unavailable and "dataset" in ours:
        return ours["dataset"].isin(list(unavailable)).to_numpy()
    return np.zeros(len(ours), dtype=bool)


def outcome(results: Sequence[Results], differences: Mapping[str, Sequence[Difference]]) -> str:
    """Say in lines whether a run passes: first the answer, then failures, notes and counts.

    Parameters
    ----------
    results : sequence of Results
    differences : mapping
        By the name of the study.
    """
    every = [(name, difference) for name, found in differences.items() for difference in found]
    failures = [f"{name}: {each.text}" for name, each in every if each.fails]
    notes = [f"{name}: {each.text}" for name, each in every if not each.fails]
    names = ", ".join(each.study.name for each in results)
    if failures:
        count = f"{len(failures)} difference{'s' * (len(failures) > 1)}"
        first = f"dpmc: check FAILED, {count} from the reference: {names}"
    else:
        first = f"dpmc: check passed: {names}"
    return "\n".join(
        [
            first,
            *(f"  FAILED {text}" for text in failures),
            *(f"  note {text}" for text in notes),
            *(f"  {each.folder}: {each.counts()}" for each in results),
        ]
    )


def compare_trials(
    ours: pd.DataFrame,
    reference: pd.DataFrame,
    metrics: Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    allowances: Sequence[Allowance] = (),
    skip: Collection[str] = (),
) -> list[Difference]:
    """Compare the trials that both tables have.

    Parameters
    ----------
    ours, reference : DataFrame
        As :func:`dpmc.study.runs.read_trials` returns them.
    metrics : sequence of str
        Columns that are compared.
    tolerance : float
        Largest relative difference of any metric. A metric on one side only is an excess.
    allowances : sequence of Allowance
        Larger tolerances; a cell that several cover has the largest.
    skip : collection of str
        Cells whose settings differ, so that their numbers need not be compared.

    Returns
    -------
    list of Difference
        One for each cell in excess, with its worst trial and both numbers. Trials that only we
        have are reported without failing; nothing in common fails.
    """
    ours, reference = (
        table[~table.index.get_level_values("cell").isin(list(skip))] for table in (ours, reference)
    )
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty and not skip:
        return [Difference(True, "Run and reference have no trial in common.")]
    found = []
    for name, left in ours.loc[common].groupby(level="cell", sort=False):
        coordinates = left.iloc[0].drop(list(metrics)).to_dict()
        allowed = [a.tolerance for a in allowances if a.covers(coordinates)]
        limit = max([tolerance, *allowed])
        text = _excess(left[list(metrics)], reference.loc[left.index, list(metrics)], limit)
        if text:
            found.append(Difference(True, f"{name}: {text}"))
    return found + _beyond_reference(ours, reference)


def _excess(ours: pd.DataFrame, reference: pd.DataFrame, limit: float) -> str:
    """Describe the worst trial of a cell, or return an empty string if all are within limits."""
    differences = relative_difference(ours, reference)
    beyond = (differences > limit).any(axis=1).sum()
    if not beyond:
        return ""
    trial = ours.index.get_level_values("trial")[np.argmax(differences.max(axis=1))]
    text = _worst(ours, reference, differences, limit)
    return f"trial {trial}: {text}; {beyond} of {len(ours)} trials differ."


def _beyond_reference(ours: pd.DataFrame, reference: pd.DataFrame) -> list[Difference]:
    extra = ours.index.difference(reference.index, sort=False)
    if extra.empty:
        return []
    cells = list(dict.fromkeys(extra.get_level_values("cell")))
    text = f"{len(extra)} trials are not in the reference and were not compared: {_some(cells)}."
    return [Difference(False, text)]


def compare_settings(ours: Settings, reference: Settings) -> tuple[list[Difference], set[str]]:
    """Compare the settings of the cells that both have; the number of trials may differ.

    Returns
    -------
    differences : list of Difference
        One for each changed value, with the cells that it touches.
    cells : set of str
        The cells touched.
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
    found, waived = [], dict.fromkeys(unavailable, 0)
    for name, values in settings.cells.items():
        missing = [trial for trial in range(values["trials"]) if (name, trial) not in present]
        dataset = name.split(", ")[0].removeprefix("dataset=")
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


def _some(cells: Sequence[str]) -> str:
    named = "; ".join(cells[:NAMED_CELLS])
    rest = len(cells) - NAMED_CELLS
    return f"{named}; and {rest} more cells" if rest > 0 else named
