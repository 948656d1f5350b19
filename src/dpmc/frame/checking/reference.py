"""Writing the committed reference that :mod:`dpmc.frame.checking.check` compares with."""

from pathlib import Path

import pandas as pd

from dpmc import tables
from dpmc.errors import InputError
from dpmc.files import write_text
from dpmc.frame.checking.check import TOLERANCES, CheckedResults, kept
from dpmc.frame.checking.comparison import missing_trials
from dpmc.frame.checking.tolerances import ALLOWED
from dpmc.frame.jobs.cell_settings import SETTINGS

FULL = "full"


def update(results: CheckedResults, folder: Path, profile: str | None = None) -> list[Path]:
    """Make the results of a study its new reference; return the files written.

    The results are complete: every trial of every cell that their settings name. ``folder`` is that
    of the study below ``results/reference``. With a ``profile`` (``ci``, ``quick``) only what is
    expected of it is written, whose run is smaller: its trials are among those of the full run.
    Without one, the run must be the full one, and numbers and settings are written too.
    """
    refuse_unfit(results, profile)
    regression, written = results.study.regression, []
    if profile is None and results.trials is not None:
        columns = (*regression.coordinates, "trial", *regression.metrics)
        trials = kept(results.trials, regression).reset_index()
        written.append(_write(folder / f"{regression.table}.csv", trials[list(columns)]))
        # as they were written, with settings inside of settings
        write_text(folder / SETTINGS, (results.folder / SETTINGS).read_text("utf-8"))
        written.append(folder / SETTINGS)
        if not (folder / TOLERANCES).exists():
            tables.write(folder / TOLERANCES, (*regression.coordinates, *ALLOWED), [])
            written.append(folder / TOLERANCES)
    if profile is None:
        for name, keys in regression.numbers.items():
            table = pd.read_csv(results.folder / f"{name}.csv", dtype=str, keep_default_na=False)
            columns = [*keys, *results.numbers[name].columns]
            written.append(_write(folder / f"{name}.csv", table[columns]))
    for name, table in results.labels.items():
        path = folder / "expected" / (profile or FULL) / f"{name}.csv"
        written.append(_write(path, table[expected_columns(table, regression.labels[name])]))
    return written


def expected_columns(table: pd.DataFrame, keys: tuple[str, ...]) -> list[str]:
    """Return the columns that are kept of a table of labels: its keys, and the labels."""
    return [*keys, *(name for name in ("status", "verdict", "reported_verdict") if name in table)]


def _write(path: Path, table: pd.DataFrame) -> Path:
    rows = table.astype(object)
    tables.write(path, tuple(table), rows.where(rows.notna(), None).to_dict("records"))
    return path


def refuse_unfit(results: CheckedResults, profile: str | None = None) -> None:
    """Refuse results that cannot be a reference, see :func:`update`."""
    if results.settings is None:
        return
    run = results.settings.reference
    if run != (profile or FULL):
        raise InputError(
            f"{results.folder} is a run of the profile {run}, not of {profile or FULL}; say "
            f"--profile {run} to update what is expected of that one."
        )
    missing = missing_trials(results.trials, results.settings)
    if missing:
        raise InputError(f"{results.folder} is incomplete: {missing[0].text}")
