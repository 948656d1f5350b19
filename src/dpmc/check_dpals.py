"""Does the DPALS part of a run still give what it gave? Beside :mod:`dpmc.check`.

The first trials of every cell, with the size of their data and what each states of its privacy,
must be those of the reference, number by number, and the verdicts on claims those that we know of.
A cell whose settings changed fails too, by name: its numbers cannot be compared.

Sums over ratings are added in another order on other CPUs, in single precision for large data sets:
these have a tolerance of their own in the reference.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from dpmc.check import (
    Finding,
    compare_labels,
    compare_settings,
    compare_trials,
    missing_trials,
    refuse_absent,
)
from dpmc.check_privacy import first_trials
from dpmc.errors import InputError
from dpmc.experiments.dpals import DPALS_COLUMNS, DPALS_COORDINATES
from dpmc.runs import (
    VERDICT_COLUMNS,
    Settings,
    read_settings,
    read_text_table,
    read_trials,
    refuse_incomplete,
)
from dpmc.tolerances import read_allowances

DPALS_METRICS = tuple(
    name for name in DPALS_COLUMNS if name not in (*DPALS_COORDINATES, "trial", "seconds")
)
RUN_FILES = ("trials.csv", "settings.json")
REFERENCE_FILES = (*RUN_FILES, "tolerances.csv")
EXPECTED = "dpals_claims.csv"
SOURCE = "data.of"  # the setting that names the data set which another is made of


@dataclass(frozen=True)
class DpalsRun:
    """The tables of a folder with the DPALS part of a run.

    Attributes
    ----------
    folder : Path
    trials : DataFrame
        As :func:`dpmc.runs.read_trials` returns it: coordinates
        :data:`dpmc.experiments.dpals.DPALS_COORDINATES`, metrics :data:`DPALS_METRICS`.
    settings : Settings
        By cell, as :func:`dpmc.experiments.dpals.dpals_settings` returns them.
    verdicts : DataFrame of str
        Columns :data:`dpmc.runs.VERDICT_COLUMNS` and ``reason``.
    """

    folder: Path
    trials: pd.DataFrame
    settings: Settings
    verdicts: pd.DataFrame


def read_dpals_run(folder: str | Path) -> DpalsRun:
    """Read the DPALS part of a finished run, for example ``results/dpals``.

    Raises
    ------
    InputError
        A table is missing, or not what it should be.
    """
    folder = Path(folder)
    refuse_incomplete(folder, (*RUN_FILES, "claims.csv"))
    return DpalsRun(
        folder,
        read_dpals_trials(folder / "trials.csv"),
        read_settings(folder / "settings.json"),
        read_text_table(folder / "claims.csv", (*VERDICT_COLUMNS, "reason")),
    )


def read_dpals_trials(path: str | Path) -> pd.DataFrame:
    """Read a trial table of the DPALS part, see :func:`dpmc.runs.read_trials`."""
    return read_trials(path, DPALS_COORDINATES, DPALS_METRICS)


def check_dpals_run(
    run: DpalsRun, folder: Path, unavailable: Collection[str] = ()
) -> list[Finding]:
    """Compare the DPALS part of a run with the reference.

    Parameters
    ----------
    run : DpalsRun
    folder : Path
        The reference: below ``dpals``, the files :data:`REFERENCE_FILES`; below ``expected``,
        for each value of ``huber.reference`` the verdicts in :data:`EXPECTED`.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    profile, reference = run.settings.reference, folder / "dpals"
    expected = folder / "expected" / profile / EXPECTED
    refuse_absent(reference / name for name in REFERENCE_FILES)
    refuse_absent([expected], "" if profile == "full" else f" --profile {profile}")
    settings = by_setting(run.settings)
    changed, touched = compare_settings(
        settings, by_setting(read_settings(reference / "settings.json"))
    )
    findings = [
        *missing_trials(run.trials, settings, _made_of(settings, unavailable)),
        *changed,
        *compare_trials(
            first_trials(run.trials),
            first_trials(read_dpals_trials(reference / "trials.csv")),
            allowances=read_allowances(reference / "tolerances.csv", DPALS_COORDINATES),
            skip=touched,
            metrics=DPALS_METRICS,
        ),
        *compare_labels(run.verdicts, read_text_table(expected, VERDICT_COLUMNS), unavailable),
    ]
    return [replace(finding, text=f"dpals: {finding.text}") for finding in findings]


def dpals_counts(run: DpalsRun) -> str:
    """Say how much was looked at, to follow other counts."""
    return f", {len(run.trials)} DPALS trials, {len(run.verdicts)} DPALS verdicts"


def by_setting(settings: Settings) -> Settings:
    """Return the settings of each cell, one value a name: ``data.users``, ``model.rank``.

    Raises
    ------
    InputError
        They are not the settings of DPALS cells.
    """
    cells = {}
    for name, values in settings.cells.items():
        if not isinstance(values, dict) or not {"trials", "data", "model"} <= values.keys():
            raise InputError(f"The settings of the cell {name} are not of a DPALS cell.")
        cells[name] = dict(_flat(values))
    return Settings(settings.reference, cells)


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield names and values of what can be a key, of mappings inside of mappings."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, tuple(value) if isinstance(value, list) else value


def _made_of(settings: Settings, unavailable: Collection[str]) -> list[str]:
    """Return the data sets that could not be had, and those that are made of them."""
    sources = {
        name.split(", ")[0].removeprefix("dataset="): own.get(SOURCE)
        for name, own in settings.cells.items()
    }
    made = [name for name, source in sources.items() if source in unavailable]
    return list(dict.fromkeys([*unavailable, *made]))
