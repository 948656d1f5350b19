"""Comparison of a study's tables with its committed reference.

There are two comparisons. The numbers must equal those of the reference one by one: same seeds,
same settings, a relative difference of at most 1e-6. Verdicts on claims, and statuses of published
numbers, must be the expected ones: a known deviation from a paper passes, and a changed deviation
fails. A cell with changed settings also fails, by name, because its numbers cannot be compared.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc_studies.frame.api import Regression, Study
from dpmc_studies.frame.checking.comparison import (
    Difference,
    compare_labels,
    compare_numbers,
    compare_settings,
    compare_trials,
    dataset_of,
    missing_trials,
    not_passed,
)
from dpmc_studies.frame.checking.runs import (
    read_numbers,
    read_text_table,
    read_trials,
    refuse_incomplete,
    row_names,
)
from dpmc_studies.frame.checking.tolerances import read_allowances
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, Settings, read_settings
from dpmc_studies.frame.jobs.plan import files_of

TOLERANCES = "tolerances.csv"


@dataclass(frozen=True)
class CheckedResults:
    """The results that a study's regression compares, read from a folder of results.

    ``settings`` are the settings of each cell of the table of trials, None without such a table,
    and ``trials`` is that table as :func:`dpmc_studies.frame.checking.runs.read_trials` returns it.
    The others map names of tables to rows: ``labels`` as text, ``numbers`` indexed by the names of
    the rows, and ``passed`` as text, with the column ``passed``.
    """

    study: Study
    folder: Path
    settings: Settings | None = None
    trials: pd.DataFrame | None = None
    labels: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    numbers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    passed: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def counts(self) -> str:
        """Return the number of rows of each compared table, in words."""
        sizes = {} if self.trials is None else {self.study.regression.table: self.trials}
        sizes |= {**self.labels, **self.numbers, **self.passed}
        return ", ".join(f"{len(table)} rows of {name}" for name, table in sizes.items())


def read_for_check(study: Study, folder: str | Path) -> CheckedResults:
    """Read the results that a study's regression compares, from its folder below ``results``."""
    folder, regression = Path(folder), study.regression
    refuse_incomplete(folder, files_of(regression))
    settings = trials = None
    if regression.table is not None:
        settings = read_settings(folder / SETTINGS)
        path = folder / f"{regression.table}.csv"
        trials = read_trials(path, regression.coordinates, regression.metrics)
    paths = {name: folder / f"{name}.csv" for name in regression.numbers | regression.optional}
    numbers = {name: read_keyed(paths[name], keys) for name, keys in regression.numbers.items()}
    optional = {
        name: read_keyed(paths[name], keys)
        for name, keys in regression.optional.items()
        if paths[name].exists()
    }
    return CheckedResults(
        study,
        folder,
        settings,
        trials,
        {name: read_text_table(folder / f"{name}.csv") for name in regression.labels},
        numbers | {name: table for name, table in optional.items() if len(table)},
        {
            name: read_text_table(folder / f"{name}.csv", (*keys, "passed"))
            for name, keys in regression.passed.items()
        },
    )


def read_keyed(path: str | Path, keys: Sequence[str]) -> pd.DataFrame:
    """Read a table of numbers, indexed by the names of its rows."""
    columns = tuple(read_text_table(path).columns)
    missing = [name for name in keys if name not in columns]
    if missing:
        raise InputError(f"{path} has no column {missing[0]}.")
    table = read_numbers(path, columns, keys)
    table.index = pd.Index(row_names(table, keys), name="row")
    if not table.index.is_unique:
        raise InputError(f"{path} has twice {table.index[table.index.duplicated()][0]}.")
    return table.drop(columns=list(keys))


def check(
    results: CheckedResults, reference: Path, unavailable: Collection[str] = ()
) -> list[Difference]:
    """Compare the results of a study with its reference.

    The reference holds the table of trials, ``settings.json``, ``tolerances.csv``, other tables of
    numbers and, below ``expected``, the expected labels for each profile. ``unavailable`` are data
    sets.
    """
    regression = results.study.regression
    found = [
        difference
        for name, table in results.passed.items()
        for difference in not_passed(name, table, regression.passed[name])
    ]
    lacks_cells = False
    if results.trials is not None:
        cells = results.settings.cells
        lacking = lacking_data(unavailable, cells, regression.made_of)
        lacks_cells = any(dataset_of(name) in lacking for name in cells)
        found += _check_trials(results, reference, lacking)
    for name, ours in results.numbers.items():
        path = reference / f"{name}.csv"
        refuse_absent([path])
        keys = (regression.numbers | regression.optional)[name]
        found += compare_numbers(ours, read_keyed(path, keys))
    for name, ours in results.labels.items():
        path = expected_file(reference, results.settings.reference, name)
        keys = regression.labels[name]
        timed = ours[keys[0]].isin(regression.by_clock)
        known = read_text_table(path)
        known = known[~known[keys[0]].isin(regression.by_clock)]
        found += compare_labels(ours[~timed], known, keys, unavailable, lacks_cells=lacks_cells)
    return found


def expected_file(reference: Path, profile: str, table: str) -> Path:
    """Return the file of the expected labels of a table."""
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
    results: CheckedResults, reference: Path, lacking: Collection[str]
) -> list[Difference]:
    regression, settings = results.study.regression, results.settings
    paths = [reference / name for name in (f"{regression.table}.csv", SETTINGS, TOLERANCES)]
    refuse_absent(paths)
    changed, touched = compare_settings(settings, read_settings(paths[1]))
    known = read_trials(paths[0], regression.coordinates, regression.metrics)
    found = [*missing_trials(results.trials, settings, lacking), *changed]
    if settings.cells and all(dataset_of(cell) in lacking for cell in settings.cells):
        return found  # no cell could run: there is nothing to compare
    return [
        *found,
        *compare_trials(
            kept(results.trials, regression),
            kept(known, regression),
            regression.metrics,
            allowances=read_allowances(paths[2], regression.coordinates),
            skip=touched,
        ),
    ]


def lacking_data(
    unavailable: Collection[str], cells: Mapping[str, Mapping], made_of: str | None
) -> list[str]:
    """Return the unavailable data sets, and the data sets that are made of them.

    ``cells`` maps cells to settings, where ``made_of`` names what a cell's data set is part of.
    """
    made = [dataset_of(name) for name, own in cells.items() if own.get(made_of) in unavailable]
    return list(dict.fromkeys([*unavailable, *made]))


def kept(trials: pd.DataFrame, regression: Regression) -> pd.DataFrame:
    """Return the trials that the reference keeps; the other trials come from the same code."""
    if regression.trials is None:
        return trials
    return trials[trials.index.get_level_values("trial") < regression.trials]


def refuse_absent(paths: Iterable[Path], option: str = "") -> None:
    """Refuse a reference that lacks one of these files.

    ``option`` is an option of the command that writes these files, after a space.
    """
    for path in paths:
        if not path.exists():
            raise InputError(
                f"There is no {path} to compare with; `dpmc reference update{option}` makes it "
                "from a finished run."
            )


def outcome(
    results: Sequence[CheckedResults], differences: Mapping[str, Sequence[Difference]]
) -> str:
    """Return lines that state whether a run passes: the answer, then failures, notes and counts.

    ``differences`` maps names of studies to their differences.
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
