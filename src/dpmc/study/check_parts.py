"""Does a part of a run that is a grid of cells still give what it gave? Beside :mod:`dpmc.study.check`.

The first trials of every cell, with all that each row states of its data and of its privacy, must
be those of the reference, number by number, and the verdicts on claims those that we know of. A
cell whose settings changed fails too, by name: its numbers cannot be compared.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from dpmc.studies.equal_privacy.regression import first_trials
from dpmc.study.check import (
    Finding,
    compare_labels,
    compare_settings,
    compare_trials,
    missing_trials,
    refuse_absent,
)
from dpmc.study.runs import (
    VERDICT_COLUMNS,
    Settings,
    read_settings,
    read_text_table,
    read_trials,
    refuse_incomplete,
)
from dpmc.study.tolerances import read_allowances

RUN_FILES = ("trials.csv", "settings.json")
REFERENCE_FILES = (*RUN_FILES, "tolerances.csv")


def _themselves(settings: Settings, unavailable: Collection[str]) -> Collection[str]:
    return unavailable


@dataclass(frozen=True)
class Part:
    """What the tables of a part look like.

    Attributes
    ----------
    name : str
        Its folder, below the results and below the reference.
    title : str
        As it is called in texts.
    coordinates, metrics : tuple of str
        Columns of its trials.
    by_row : callable
        From the settings of its jobs to those of the cells that its rows belong to; raises
        InputError where they are not of this part.
    lacking : callable
        From these settings and the data sets that could not be had to all that cannot be run
        without them; by default these themselves.
    by_clock : tuple of str
        Claims about seconds, whose verdicts depend on what else the machine does.
    """

    name: str
    title: str
    coordinates: tuple[str, ...]
    metrics: tuple[str, ...]
    by_row: Callable[[Settings], Settings]
    lacking: Callable[[Settings, Collection[str]], Collection[str]] = _themselves
    by_clock: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """Name of the table of expected verdicts, for each profile one."""
        return f"{self.name}_claims.csv"


@dataclass(frozen=True)
class PartRun:
    """The tables of a folder with a part of a run.

    Attributes
    ----------
    part : Part
    folder : Path
    trials : DataFrame
        As :func:`dpmc.study.runs.read_trials` returns it.
    settings : Settings
        Of the cells that the trials belong to.
    jobs : Settings
        As they stand in the folder.
    verdicts : DataFrame of str
        Columns :data:`dpmc.study.runs.VERDICT_COLUMNS` and ``reason``.
    """

    part: Part
    folder: Path
    trials: pd.DataFrame
    settings: Settings
    jobs: Settings
    verdicts: pd.DataFrame


def read_part(part: Part, folder: str | Path) -> PartRun:
    """Read a part of a finished run, for example ``results/onebit``.

    Raises
    ------
    InputError
        A table is missing, or not what it should be.
    """
    folder = Path(folder)
    refuse_incomplete(folder, (*RUN_FILES, "claims.csv"))
    jobs = read_settings(folder / "settings.json")
    return PartRun(
        part,
        folder,
        read_trials(folder / "trials.csv", part.coordinates, part.metrics),
        part.by_row(jobs),
        jobs,
        read_text_table(folder / "claims.csv", (*VERDICT_COLUMNS, "reason")),
    )


def check_part(run: PartRun, folder: Path, unavailable: Collection[str] = ()) -> list[Finding]:
    """Compare a part of a run with the reference.

    Parameters
    ----------
    run : PartRun
    folder : Path
        The reference: below the name of the part, the files :data:`REFERENCE_FILES`; below
        ``expected``, for each value of ``huber.reference`` the expected verdicts.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    part, profile = run.part, run.settings.reference
    reference, expected = folder / part.name, folder / "expected" / profile / part.expected
    refuse_absent(reference / name for name in REFERENCE_FILES)
    refuse_absent([expected], "" if profile == "full" else f" --profile {profile}")
    changed, touched = compare_settings(
        run.settings, part.by_row(read_settings(reference / "settings.json"))
    )
    known = read_trials(reference / "trials.csv", part.coordinates, part.metrics)
    findings = [
        *missing_trials(run.trials, run.settings, part.lacking(run.settings, unavailable)),
        *changed,
        *compare_trials(
            first_trials(run.trials),
            first_trials(known),
            allowances=read_allowances(reference / "tolerances.csv", part.coordinates),
            skip=touched,
            metrics=part.metrics,
        ),
        *compare_labels(
            _without(part.by_clock, run.verdicts),
            _without(part.by_clock, read_text_table(expected, VERDICT_COLUMNS)),
            unavailable,
        ),
    ]
    return [replace(finding, text=f"{part.name}: {finding.text}") for finding in findings]


def _without(ids: Collection[str], verdicts: pd.DataFrame) -> pd.DataFrame:
    return verdicts[~verdicts["id"].isin(ids)]


def part_counts(run: PartRun) -> str:
    """Say how much was looked at, to follow other counts."""
    title = run.part.title
    return f", {len(run.trials)} {title} trials, {len(run.verdicts)} {title} verdicts"
