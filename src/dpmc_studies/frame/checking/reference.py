"""Write the committed reference that :mod:`dpmc_studies.frame.checking.check` compares with.

The reference of a full run also holds results that are not compared. The complete tables,
compressed, are for `make published`, which makes the report from them
(:mod:`dpmc_studies.frame.checking.packed`). The whole tables of labels (the effect, interval and
reason of each verdict, our mean for each published number) and the mean of every cell over all
trials are for readers who run nothing and for the test of numbers in documents. They follow from
the trials, which are compared one by one. They are not compared again, because a bound or a
sentence may differ in its last digit under another BLAS.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc.files import write_text
from dpmc_studies import tables
from dpmc_studies.frame.checking.check import TOLERANCES, CheckedResults, kept
from dpmc_studies.frame.checking.comparison import missing_trials
from dpmc_studies.frame.checking.packed import pack
from dpmc_studies.frame.checking.tolerances import ALLOWED
from dpmc_studies.frame.jobs.cell_settings import SETTINGS, read_settings

FULL = "full"
REDUCED = ("ci", "quick")
"""Profiles of a few trials, whose verdicts nobody reads."""
MEANS = "means.csv"
STATISTICS = ("trials", "mean", "median", "standard_error")
DIGITS = 6  # of numbers that are read and not compared
WORDS = ("sentence", "claim", "predicate")
LABELS = ("status", "verdict", "reported_verdict")


def update(results: CheckedResults, folder: Path, profile: str | None = None) -> list[Path]:
    """Make the results of a study its new reference; return the files written.

    The results must be complete: every trial of every cell in their settings. ``folder`` is the
    study's below ``results/reference``. Without a ``profile``, the run must be the full one;
    numbers, settings and complete tables are then written too. With a profile, only its expected
    results are written: ``ci`` and ``quick`` run some of the full run's trials. An overlay of
    ``config/once`` may run others, and means are written for cells that the full run does not have.
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
        written.append(_write_means(folder / MEANS, results.trials, regression.coordinates))
        if not (folder / TOLERANCES).exists():
            tables.write(folder / TOLERANCES, (*regression.coordinates, *ALLOWED), [])
            written.append(folder / TOLERANCES)
    if profile not in (None, *REDUCED) and results.trials is not None:
        known = folder / SETTINGS
        full = read_settings(known).cells if known.exists() else ()
        more = results.trials[~results.trials.index.isin(full, level="cell")]
        if len(more):
            path = folder / "expected" / profile / MEANS
            written.append(_write_means(path, more, regression.coordinates))
    if profile is None:
        for name, numbers in results.numbers.items():
            table = pd.read_csv(results.folder / f"{name}.csv", dtype=str, keep_default_na=False)
            columns = [*(regression.numbers | regression.optional)[name], *numbers.columns]
            written.append(_write(folder / f"{name}.csv", table[columns]))
    for name, table in results.labels.items():
        path = folder / "expected" / (profile or FULL) / f"{name}.csv"
        columns = expected_columns(table, regression.labels[name], whole=profile not in REDUCED)
        written.append(_write(path, table[columns].apply(rounded)))
    if profile is None:
        written += pack(results.study, results.folder, folder)
    return written


def expected_columns(table: pd.DataFrame, keys: tuple[str, ...], *, whole: bool) -> list[str]:
    """Return the columns to keep of a table of labels: keys, labels, and the rest if ``whole``.

    The text of a claim is in the study's file of claims and is not kept again.
    """
    labels = [name for name in LABELS if name in table]
    rest = [name for name in table if name not in (*keys, *labels, *WORDS)]
    return [*keys, *labels, *(rest if whole else [])]


def means(trials: pd.DataFrame, coordinates: Sequence[str]) -> Iterator[Mapping[str, object]]:
    """Yield :data:`STATISTICS` of each metric of each cell, over all of its trials.

    Columns that are constant over a cell's trials are left out: the kept trials have them.
    """
    for _, cell in trials.groupby(level="cell", sort=False):
        place = {name: cell[name].iloc[0] for name in coordinates}
        for metric in trials.columns.difference(coordinates, sort=False):
            values = cell[metric].dropna()
            if np.isfinite(values).all() and values.nunique() > 1:
                found = (len(values), values.mean(), values.median(), values.sem())
                shown = (found[0], *(_short(value) for value in found[1:]))
                yield place | {"metric": metric} | dict(zip(STATISTICS, shown, strict=True))


def _write_means(path: Path, trials: pd.DataFrame, coordinates: Sequence[str]) -> Path:
    tables.write(path, (*coordinates, "metric", *STATISTICS), means(trials, coordinates))
    return path


def rounded(column: pd.Series) -> pd.Series:
    """Round the decimal numbers in a column of text; whole numbers and other texts stay."""
    return column.map(lambda text: _short(float(text)) if _is_fraction(text) else text)


def _is_fraction(text: str) -> bool:
    try:
        return not float(text).is_integer()
    except ValueError:
        return False


def _short(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


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
