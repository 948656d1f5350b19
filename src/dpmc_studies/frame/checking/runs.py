"""The tables of a finished run: reading them, and naming their rows."""

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc.files import atomic_path
from dpmc_studies.frame.jobs.cells import cell_name


def refuse_incomplete(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder of a run that lacks one of these files."""
    for name in names:
        if not (folder / name).exists():
            raise InputError(f"{folder} is incomplete: it has no {name}; finish the run first.")


def read_trials(
    path: str | Path, coordinates: Sequence[str], metrics: Sequence[str]
) -> pd.DataFrame:
    """Read a trial table, indexed by ``cell`` (its name) and ``trial``.

    The columns are the coordinates and the metrics. ``seconds`` is left out, because no two runs
    take the same time.
    """
    table = read_numbers(path, (*coordinates, "trial", *metrics), coordinates, whole=("trial",))
    plain = {name: [_plain(text) for text in table[name]] for name in coordinates}
    table = table.assign(**plain, cell=row_names(table, coordinates)).set_index(["cell", "trial"])
    if not table.index.is_unique:
        cell, trial = table.index[table.index.duplicated()][0]
        raise InputError(f"{path} has trial {trial} twice for the cell {cell}.")
    return table


def row_names(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Name the rows of a table of text by some columns; 1.0 and 1 are the same, "" is none."""
    rows = table[list(keys)].to_dict("records")
    return [cell_name({key: _plain(text) for key, text in row.items()}) for row in rows]


def _plain(text: str) -> object:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def raw_files(records: Iterable[str | Path]) -> dict[str, str | None]:
    """Return the raw file of each data set, None if the data are not available.

    ``records`` are the files that the workflow's ``download`` rule wrote.
    """
    loaded = [json.loads(Path(path).read_text(encoding="utf-8")) for path in records]
    return {record["dataset"]: record["path"] for record in loaded}


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read any table of a run, with every bit of every number; an empty field is missing."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def write_frame(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table, whole or not at all; :func:`read_frame` reads the same numbers."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_numbers(
    path: str | Path, columns: Sequence[str], texts: Collection[str], whole: Sequence[str] = ()
) -> pd.DataFrame:
    """Read some columns of a CSV file as numbers, an empty field as nan.

    Columns in ``texts`` stay text; those in ``whole`` are whole numbers, and never empty.
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


def read_text_table(path: str | Path, columns: tuple[str, ...] | None = None) -> pd.DataFrame:
    """Read a CSV file, or some columns of it, as text; an empty field is an empty string."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no CSV table: {str(error).strip()}.") from None
    if columns is None:
        return table
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"{path} has no column {missing[0]}.")
    return table[list(columns)]
