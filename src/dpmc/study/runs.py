"""A finished run: the tables of one result folder, and what they are compared by.

A run is a folder with a trial table, its settings and, where they were made, the comparison with
the published numbers and the verdicts on claims.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc.files import atomic_path
from dpmc.studies.huber.cells import COORDINATES
from dpmc.studies.huber.trial import METRICS
from dpmc.study.cells import cell_name

STATUS_COLUMNS = ("table", *COORDINATES, "metric", "status")
VERDICT_COLUMNS = ("id", "verdict", "printed_verdict")


@dataclass(frozen=True)
class Settings:
    """What a run was asked for.

    Attributes
    ----------
    reference : str
        Which expected statuses belong to it: the value of ``huber.reference``.
    cells : dict
        Cell name, see :func:`cell_name`, to exactly the settings that the cell uses, among them
        ``seed`` and ``trials``.
    """

    reference: str
    cells: dict[str, dict[str, object]]


@dataclass(frozen=True)
class Run:
    """The tables of a result folder; those that were not made are None.

    Attributes
    ----------
    folder : Path
        Where ``trials.csv`` lies.
    trials : DataFrame
        As :func:`read_trials` returns it.
    settings : Settings or None
    statuses, verdicts : DataFrame of str or None
        Columns :data:`STATUS_COLUMNS`, and :data:`VERDICT_COLUMNS` with ``reason``.
    """

    folder: Path
    trials: pd.DataFrame
    settings: Settings | None
    statuses: pd.DataFrame | None
    verdicts: pd.DataFrame | None


def read_run(folder: str | Path) -> Run:
    """Read a result folder, or the ``huber`` folder inside of it.

    Raises
    ------
    InputError
        There is no trial table, or a table is not what it should be.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    if not (folder / "trials.csv").exists():
        if not (folder / "huber" / "trials.csv").exists():
            raise InputError(f"{folder} is no result folder: it has neither trials.csv nor huber/.")
        folder = folder / "huber"
    statuses, verdicts, settings = (
        folder / name for name in ("comparison.csv", "claims.csv", "settings.json")
    )
    return Run(
        folder,
        read_trials(folder / "trials.csv"),
        read_settings(settings) if settings.exists() else None,
        read_text_table(statuses, STATUS_COLUMNS) if statuses.exists() else None,
        read_text_table(verdicts, (*VERDICT_COLUMNS, "reason")) if verdicts.exists() else None,
    )


def refuse_incomplete(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder of a run that lacks one of these files.

    Raises
    ------
    InputError
        It does.
    """
    for name in names:
        if not (folder / name).exists():
            raise InputError(f"{folder} is incomplete: it has no {name}; finish the run first.")


def read_trials(
    path: str | Path,
    coordinates: Sequence[str] = COORDINATES,
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:
    """Read a trial table, indexed by ``cell`` (its name) and ``trial``.

    The columns are the coordinates and the metrics; ``seconds`` is left out, because no two runs
    take the same time.

    Raises
    ------
    InputError
        A column is missing, a number cannot be read, or a trial occurs twice.
    """
    texts = (
        "dataset", "relation", "solver", "mechanism", "link", "constraint", "method", "variant"
    )  # fmt: skip
    table = read_numbers(path, (*coordinates, "trial", *metrics), texts, whole=("trial",))
    rows = table[list(coordinates)].to_dict("records")
    names = [cell_name({key: None if row[key] == "" else row[key] for key in row}) for row in rows]
    table = table.assign(cell=names).set_index(["cell", "trial"])
    if not table.index.is_unique:
        cell, trial = table.index[table.index.duplicated()][0]
        raise InputError(f"{path} has trial {trial} twice for the cell {cell}.")
    return table


def raw_files(records: Iterable[str | Path]) -> dict[str, str | None]:
    """Return where the raw file of each data set is, None if the data are not available.

    Parameters
    ----------
    records : iterable of path
        What the workflow's ``download`` rule wrote.
    """
    loaded = [json.loads(Path(path).read_text(encoding="utf-8")) for path in records]
    return {record["dataset"]: record["path"] for record in loaded}


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read any table of a run, every bit of every number kept; an empty field is missing."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def write_frame(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table so that :func:`read_frame` reads the same numbers, whole or not at all."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_numbers(
    path: str | Path, columns: Sequence[str], texts: Collection[str], whole: Sequence[str] = ()
) -> pd.DataFrame:
    """Read some columns of a CSV file as numbers, an empty field as nan.

    Parameters
    ----------
    path : path
    columns : sequence of str
    texts : collection of str
        Those that are text.
    whole : sequence of str
        Those that are whole numbers, and never empty.

    Raises
    ------
    InputError
        It is no CSV table, a column is missing, or a number cannot be read.
    """
    table = read_text_table(path, tuple(columns))
    try:
        for name in (name for name in columns if name not in texts):
            # by way of float(): some versions of pandas round in the last place
            table[name] = np.array([float(text or "nan") for text in table[name]])
            if name in whole:
                table[name] = table[name].astype(int)
    except ValueError as error:
        raise InputError(f"{path} is no table of numbers, column {name}: {error}.") from None
    return table


def read_text_table(path: str | Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read some columns of a CSV file as text, an empty field as an empty string.

    Raises
    ------
    InputError
        It is no CSV table, or a column is missing.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError(f"{path} is no CSV table: {str(error).strip()}.") from None
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"{path} has no column {missing[0]}.")
    return table[list(columns)]


def by_row(table: pd.DataFrame | None) -> dict[str, str] | None:
    """Return status or verdict by the name of the row: table and cell, or the claim's id."""
    if table is None:
        return None
    if "verdict" in table:
        return dict(zip(table["id"], table["verdict"], strict=True))
    numbers = ("rank", "variance", "observed_fraction", "irls_iterations")
    names = []
    for row in table.replace("", None).to_dict("records"):
        # 1.0 and 1 are the same coordinate, whoever wrote them
        row |= {name: float(row[name]) for name in numbers if row[name] is not None}
        names.append(f"{row['table']}: {cell_name({name: row[name] for name in COORDINATES})}")
    return dict(zip(names, table["status"], strict=True))


def read_settings(path: str | Path) -> Settings:
    """Read what :func:`settings_text` spelled.

    Raises
    ------
    InputError
        The file is missing or not such a file.
    """
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        return Settings(str(stored["reference"]), dict(stored["cells"]))
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except (json.JSONDecodeError, KeyError, TypeError, ValueError):
        raise InputError(f"{path} does not hold the settings of a run.") from None


def changed_settings(
    first: Settings, second: Settings
) -> dict[tuple[str, object, object], list[str]]:
    """Return what differs in the cells that both have; the number of trials may differ.

    Returns
    -------
    dict
        (setting, value in ``first``, value in ``second``) to the cells; "not set" stands for a
        setting that a side does not have.
    """
    changes: dict[tuple[str, object, object], list[str]] = {}
    for name in (name for name in first.cells if name in second.cells):
        here, there = first.cells[name], second.cells[name]
        for setting in sorted((here.keys() | there.keys()) - {"trials"}):
            values = [side.get(setting, "not set") for side in (here, there)]
            if values[0] != values[1]:
                changes.setdefault((setting, *values), []).append(name)
    return changes


def settings_text(settings: Settings) -> str:
    """Spell settings as JSON with one line for each cell, so that a change is one line."""
    cells = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(values, sort_keys=True)}"
        for name, values in settings.cells.items()
    )
    return (
        f'{{\n  "reference": {json.dumps(settings.reference)},\n  "cells": {{\n{cells}\n  }}\n}}\n'
    )
