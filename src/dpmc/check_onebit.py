"""Does the one-bit part of a run still give what it gave? Beside :mod:`dpmc.check`.

The first draws of every cell, and what each row states of its privacy, must be those of the
reference, number by number, and the verdicts on claims those that we know of. A cell whose
settings changed fails too, by name: its numbers cannot be compared.

The solvers use BLAS, whose kernels differ between CPUs. Measured with those of three kinds of CPU,
100 x 100 completions differ by at most a relative 1e-7. Large ones, which are in single precision
and may stop an iteration earlier, have a tolerance of their own in the reference.
"""

from collections.abc import Collection
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
from dpmc.experiments.onebit import CLEAR, ONEBIT_COLUMNS, ONEBIT_COORDINATES
from dpmc.runs import (
    VERDICT_COLUMNS,
    Settings,
    read_settings,
    read_text_table,
    read_trials,
    refuse_incomplete,
)
from dpmc.tolerances import read_allowances

_NOT_COMPARED = ("iterations", "converged", "seconds")  # how it was computed
ONEBIT_METRICS = tuple(
    name for name in ONEBIT_COLUMNS if name not in (*ONEBIT_COORDINATES, "trial", *_NOT_COMPARED)
)
RUN_FILES = ("trials.csv", "settings.json")
REFERENCE_FILES = (*RUN_FILES, "tolerances.csv")
EXPECTED = "onebit_claims.csv"


@dataclass(frozen=True)
class OneBitRun:
    """The tables of a folder with the one-bit part of a run.

    Attributes
    ----------
    folder : Path
    trials : DataFrame
        As :func:`dpmc.runs.read_trials` returns it: coordinates
        :data:`dpmc.experiments.onebit.ONEBIT_COORDINATES`, metrics :data:`ONEBIT_METRICS`.
    settings : Settings
        By job: the baselines without privacy belong to that of "clear".
    verdicts : DataFrame of str
        Columns :data:`dpmc.runs.VERDICT_COLUMNS` and ``reason``.
    """

    folder: Path
    trials: pd.DataFrame
    settings: Settings
    verdicts: pd.DataFrame


def read_onebit_run(folder: str | Path) -> OneBitRun:
    """Read the one-bit part of a finished run, for example ``results/onebit``.

    Raises
    ------
    InputError
        A table is missing, or not what it should be.
    """
    folder = Path(folder)
    refuse_incomplete(folder, (*RUN_FILES, "claims.csv"))
    return OneBitRun(
        folder,
        read_onebit_trials(folder / "trials.csv"),
        read_settings(folder / "settings.json"),
        read_text_table(folder / "claims.csv", (*VERDICT_COLUMNS, "reason")),
    )


def read_onebit_trials(path: str | Path) -> pd.DataFrame:
    """Read a trial table of the one-bit part, see :func:`dpmc.runs.read_trials`."""
    return read_trials(path, ONEBIT_COORDINATES, ONEBIT_METRICS)


def check_onebit_run(
    run: OneBitRun, folder: Path, unavailable: Collection[str] = ()
) -> list[Finding]:
    """Compare the one-bit part of a run with the reference.

    Parameters
    ----------
    run : OneBitRun
    folder : Path
        The reference: below ``onebit``, the files :data:`REFERENCE_FILES`; below ``expected``,
        for each value of ``huber.reference`` the verdicts in :data:`EXPECTED`.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    profile, reference = run.settings.reference, folder / "onebit"
    expected = folder / "expected" / profile / EXPECTED
    refuse_absent(reference / name for name in REFERENCE_FILES)
    refuse_absent([expected], "" if profile == "full" else f" --profile {profile}")
    settings = by_mechanism(run.settings)
    changed, touched = compare_settings(
        settings, by_mechanism(read_settings(reference / "settings.json"))
    )
    findings = [
        *missing_trials(run.trials, settings, unavailable),
        *changed,
        *compare_trials(
            first_trials(run.trials),
            first_trials(read_onebit_trials(reference / "trials.csv")),
            allowances=read_allowances(reference / "tolerances.csv", ONEBIT_COORDINATES),
            skip=touched,
            metrics=ONEBIT_METRICS,
        ),
        *compare_labels(run.verdicts, read_text_table(expected, VERDICT_COLUMNS), unavailable),
    ]
    return [replace(finding, text=f"onebit: {finding.text}") for finding in findings]


def onebit_counts(run: OneBitRun) -> str:
    """Say how much was looked at, to follow other counts."""
    return f", {len(run.trials)} one-bit trials, {len(run.verdicts)} one-bit verdicts"


def by_mechanism(settings: Settings) -> Settings:
    """Return the settings of each row of a job: of "clear", and of each of its baselines.

    Raises
    ------
    InputError
        They are not the settings of one-bit cells.
    """
    cells = {}
    for name, values in settings.cells.items():
        try:
            own = {key: value for key, value in values.items() if key != "baselines"}
            own["trials"] = own.pop("draws")
            for mechanism in (CLEAR, *values.get("baselines", ())):
                cells[name.replace(f"mechanism={CLEAR}", f"mechanism={mechanism}")] = own
        except (AttributeError, KeyError, TypeError):
            raise InputError(
                f"The settings of the cell {name} are not of a one-bit cell."
            ) from None
    return Settings(settings.reference, cells)
