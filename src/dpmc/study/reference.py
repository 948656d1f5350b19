"""Writing the committed reference that :mod:`dpmc.study.check` compares with."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpmc import tables
from dpmc.errors import InputError
from dpmc.files import write_text
from dpmc.studies.equal_privacy.regression import FIT_COLUMNS, PrivacyRun, by_fit, first_trials
from dpmc.studies.huber.cells import COORDINATES
from dpmc.studies.huber.totals import COLUMNS as TOTAL_COLUMNS
from dpmc.studies.huber.trial import METRICS
from dpmc.study.check import missing_trials
from dpmc.study.check_parts import PartRun
from dpmc.study.runs import STATUS_COLUMNS, VERDICT_COLUMNS, Run, Settings, settings_text
from dpmc.study.tolerances import ALLOWED, TOLERANCE_COLUMNS

FULL = "full"
TRIAL_COLUMNS = (*COORDINATES, "trial", *METRICS)


def update(
    run: Run,
    folder: str | Path,
    profile: str | None = None,
    privacy: PrivacyRun | None = None,
    parts: Iterable[PartRun] = (),
) -> list[Path]:
    """Make a run the new reference.

    Parameters
    ----------
    run : Run
        Complete: every trial of every cell that its settings name, comparison and verdicts.
    folder : path
        The reference, for example ``results/reference``.
    profile : str, optional
        Write only the expected statuses and verdicts of this profile (``ci``, ``quick``), whose
        run is smaller: its trials are among those of the full run. If not given, the run must be
        the full one, and trials and settings are written too.
    privacy : PrivacyRun, optional
        The privacy part of the full run, complete: below ``privacy``, the first trials of its
        fits, their settings and the totals are written.
    parts : iterable of PartRun
        Other parts, complete: their expected verdicts are written, and of the full run below
        their names the first trials and their settings.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        The run is incomplete or of another profile.
    """
    _refuse_incomplete(run, profile or FULL)
    if privacy is not None:
        _refuse_part(privacy.folder, privacy.fits, by_fit(privacy.settings), profile or FULL)
    parts = list(parts)
    for each in parts:
        _refuse_part(each.folder, each.trials, each.settings, profile or FULL)
    folder = Path(folder)
    written = [] if privacy is None else _write_privacy(privacy, folder / "privacy")
    if profile is None:
        for each in parts:
            written += _write_part(each, folder / each.part.name)
        _write_table(folder / "trials.csv", TRIAL_COLUMNS, run.trials)
        write_text(folder / "settings.json", settings_text(run.settings))
        written += [folder / "trials.csv", folder / "settings.json"]
        written += _write_no_tolerances(folder / "tolerances.csv", TOLERANCE_COLUMNS)
    expected = folder / "expected" / (profile or FULL)
    labels = [
        ("statuses.csv", STATUS_COLUMNS, run.statuses),
        ("verdicts.csv", VERDICT_COLUMNS, run.verdicts),
    ]
    labels += [(each.part.expected, VERDICT_COLUMNS, each.verdicts) for each in parts]
    for name, columns, table in labels:
        tables.write(expected / name, columns, _records(table))
        written.append(expected / name)
    return written


def _write_privacy(run: PrivacyRun, folder: Path) -> list[Path]:
    _write_table(folder / "calibrated.csv", FIT_COLUMNS, first_trials(run.fits))
    _write_table(folder / "totals.csv", TOTAL_COLUMNS, run.totals)
    write_text(folder / "settings.json", settings_text(run.settings))
    return [folder / name for name in ("calibrated.csv", "totals.csv", "settings.json")]


def _write_part(run: PartRun, folder: Path) -> list[Path]:
    """Write the first trials of a part, their settings and, if there is none, its tolerances."""
    coordinates, metrics = run.part.coordinates, run.part.metrics
    _write_table(folder / "trials.csv", (*coordinates, "trial", *metrics), first_trials(run.trials))
    write_text(folder / "settings.json", settings_text(run.jobs))
    written = _write_no_tolerances(folder / "tolerances.csv", (*coordinates, *ALLOWED))
    return [folder / "trials.csv", folder / "settings.json", *written]


def _write_no_tolerances(path: Path, columns: tuple[str, ...]) -> list[Path]:
    """Write an empty table, unless there is one, which is left alone."""
    if path.exists():
        return []
    tables.write(path, columns, [])
    return [path]


def _write_table(path: Path, columns: tuple[str, ...], table: pd.DataFrame) -> None:
    """Write some columns of a table of numbers, nan as an empty field."""
    rows = table.reset_index()[list(columns)].astype(object)
    tables.write(path, columns, rows.where(rows.notna(), None).to_dict("records"))


def _records(table: pd.DataFrame) -> list[dict[str, str]]:
    return table.to_dict("records")


def _refuse_incomplete(run: Run, profile: str) -> None:
    if run.settings is None or run.statuses is None or run.verdicts is None:
        raise InputError(
            f"{run.folder} is incomplete: it needs settings.json, comparison.csv and claims.csv; "
            "finish the run first."
        )
    if run.settings.reference != profile:
        raise InputError(
            f"{run.folder} is a run of the profile {run.settings.reference}, not of {profile}; "
            f"say --profile {run.settings.reference} to update what is expected of that one."
        )
    missing = missing_trials(run.trials, run.settings)
    if missing:
        raise InputError(f"{run.folder} is incomplete: {missing[0].text}")


def _refuse_part(folder: Path, trials: pd.DataFrame, settings: Settings, profile: str) -> None:
    if settings.reference != profile:
        raise InputError(
            f"{folder} is a run of the profile {settings.reference}, not of {profile}."
        )
    missing = missing_trials(trials, settings)
    if missing:
        raise InputError(f"{folder} is incomplete: {missing[0].text}")
