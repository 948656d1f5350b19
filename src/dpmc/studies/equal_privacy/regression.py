"""Does the privacy part of a run still give what it gave? Beside :mod:`dpmc.study.check`.

The audit must pass. The first trials of the fits at equal privacy, and what the published budgets
add up to, must be those of the reference, number by number. A fit whose settings changed fails
too, by name: its numbers cannot be compared.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc.studies.equal_privacy.cells import KEYS
from dpmc.studies.huber.totals import COLUMNS as TOTAL_COLUMNS
from dpmc.studies.huber.trial import METRICS
from dpmc.study.cells import cell_name
from dpmc.study.check import (
    Finding,
    compare_settings,
    compare_trials,
    missing_trials,
    refuse_absent,
)
from dpmc.study.runs import (
    Settings,
    read_numbers,
    read_settings,
    read_text_table,
    read_trials,
    refuse_incomplete,
)
from dpmc.study.tolerances import TOLERANCE, relative_difference

REFERENCE_TRIALS = 2  # of each fit: the noise of the others comes from the same code
FIT_COLUMNS = (*KEYS, "trial", *METRICS)
EPSILONS = tuple(name for name in TOTAL_COLUMNS if name.startswith("epsilon"))
TOTAL_KEYS = tuple(name for name in TOTAL_COLUMNS if name not in EPSILONS)
AUDIT_KEYS = (
    "target", "test", "mechanism", "solver", "relation", "claimed_epsilon", "planted_fault"
)  # fmt: skip
REFERENCE_FILES = ("calibrated.csv", "settings.json", "totals.csv")


@dataclass(frozen=True)
class PrivacyRun:
    """The tables of a folder with the privacy part of a run.

    Attributes
    ----------
    folder : Path
    fits : DataFrame
        As :func:`dpmc.study.runs.read_trials` returns it: coordinates
        :data:`dpmc.studies.equal_privacy.cells.KEYS`, and the metrics.
    settings : Settings
        By cell: one data set, relation, epsilon and solver with all its mechanisms.
    audit : DataFrame of str
        Columns :data:`AUDIT_KEYS` and ``passed``.
    totals : DataFrame
        As :func:`read_totals` returns it.
    """

    folder: Path
    fits: pd.DataFrame
    settings: Settings
    audit: pd.DataFrame
    totals: pd.DataFrame


def read_privacy_run(folder: str | Path) -> PrivacyRun:
    """Read the privacy part of a finished run, for example ``results/privacy``.

    Raises
    ------
    InputError
        A table is missing, or not what it should be.
    """
    folder = Path(folder)
    refuse_incomplete(folder, (*REFERENCE_FILES, "audit.csv"))
    return PrivacyRun(
        folder,
        read_trials(folder / "calibrated.csv", KEYS),
        read_settings(folder / "settings.json"),
        read_text_table(folder / "audit.csv", (*AUDIT_KEYS, "passed")),
        read_totals(folder / "totals.csv"),
    )


def read_totals(path: str | Path) -> pd.DataFrame:
    """Read what published budgets add up to: the epsilons, indexed by :data:`TOTAL_KEYS`.

    Raises
    ------
    InputError
        A column is missing, a number cannot be read, or a row occurs twice.
    """
    table = read_numbers(path, TOTAL_COLUMNS, ("mechanism", "accountant"))
    table = table.set_index(list(TOTAL_KEYS))
    if not table.index.is_unique:
        raise InputError(f"{path} has twice {_total(table.index[table.index.duplicated()][0])}.")
    return table


def check_privacy(
    run: PrivacyRun, folder: Path, unavailable: Collection[str] = ()
) -> list[Finding]:
    """Compare the privacy part of a run with the reference.

    Parameters
    ----------
    run : PrivacyRun
    folder : Path
        The reference: below ``privacy``, the files :data:`REFERENCE_FILES`.
    unavailable : collection of str
        Data sets whose data could not be had.

    Raises
    ------
    InputError
        A file of the reference is missing or broken.
    """
    reference = folder / "privacy"
    refuse_absent(reference / name for name in REFERENCE_FILES)
    settings = by_fit(run.settings)
    changed, touched = compare_settings(
        settings, by_fit(read_settings(reference / "settings.json"))
    )
    findings = [
        *failed_audits(run.audit),
        *missing_trials(run.fits, settings, unavailable),
        *changed,
        *compare_trials(
            first_trials(run.fits),
            first_trials(read_trials(reference / "calibrated.csv", KEYS)),
            skip=touched,
        ),
        *compare_totals(run.totals, read_totals(reference / "totals.csv")),
    ]
    return [replace(finding, text=f"privacy: {finding.text}") for finding in findings]


def counts(run: PrivacyRun) -> str:
    """Say how much was looked at, to follow other counts."""
    return (
        f", {len(run.fits)} fits at equal privacy, {len(run.audit)} audit rows, "
        f"{len(run.totals)} totals"
    )


def first_trials(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the trials that the reference keeps."""
    return fits[fits.index.get_level_values("trial") < REFERENCE_TRIALS]


def by_fit(settings: Settings) -> Settings:
    """Return the settings of each mechanism of a cell, one value a name.

    Its hyper-parameters are called ``solver.rank`` and so on: ``rank`` is that of the data.

    Raises
    ------
    InputError
        They are not the settings of fits at equal privacy.
    """
    fits = {}
    for cell, values in settings.cells.items():
        if not isinstance(values, dict) or "hyperparameters" not in values:
            raise InputError(f"The settings of the cell {cell} have no hyperparameters.")
        shared = {
            name: tuple(value) if isinstance(value, list) else value  # what can be a key
            for name, value in values.items()
            if name != "hyperparameters"
        }
        for mechanism, own in values["hyperparameters"].items():
            of_solver = {f"solver.{name}": value for name, value in own.items()}
            fits[f"{cell}, mechanism={mechanism}"] = shared | of_solver
    return Settings(settings.reference, fits)


def failed_audits(audit: pd.DataFrame) -> list[Finding]:
    """Report each row that did not pass: a claim refuted, or a planted fault not caught."""
    if audit.empty:
        return [Finding(True, "the audit has no rows.")]
    failed = audit[audit["passed"] != "True"].replace("", None)
    return [
        Finding(True, f"audit: {cell_name({name: row[name] for name in AUDIT_KEYS})}: not passed.")
        for row in failed.to_dict("records")
    ]


def compare_totals(
    ours: pd.DataFrame, reference: pd.DataFrame, tolerance: float = TOLERANCE
) -> list[Finding]:
    """Compare the totals that both tables have.

    Parameters
    ----------
    ours, reference : DataFrame
        As :func:`read_totals` returns them.
    tolerance : float
        Largest relative difference of any epsilon. A number on one side only is an excess.

    Returns
    -------
    list of Finding
        One for each row in excess, with its worst epsilon; nothing in common fails.
    """
    common = ours.index.intersection(reference.index, sort=False)
    if common.empty:
        return [Finding(True, "Run and reference have no total in common.")]
    ours, reference = ours.loc[common], reference.loc[common]
    differences = relative_difference(ours[list(EPSILONS)], reference[list(EPSILONS)])
    findings = []
    for row in np.flatnonzero((differences > tolerance).any(axis=1)):
        column = np.argmax(differences[row])
        name = EPSILONS[column]
        text = (
            f"{_total(common[row])}: {name} is {ours[name].iloc[row]!s}, in the reference "
            f"{reference[name].iloc[row]!s} (relative difference {differences[row, column]:.2g}, "
            f"allowed {tolerance:g})."
        )
        findings.append(Finding(True, text))
    return findings


def _total(key: tuple) -> str:
    return f"the total of {cell_name(dict(zip(TOTAL_KEYS, key, strict=True)))}"
