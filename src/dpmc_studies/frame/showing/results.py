"""Read a study's tables for its chapter, and make and write tables for readers."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from dpmc.files import write_text
from dpmc_studies.frame.showing.table_formats import FORMATS
from dpmc_studies.frame.showing.table_model import Cell, Row, Table

Results = Mapping[str, pd.DataFrame | None]


def read_results(folder: str | Path, names: Iterable[str]) -> dict[str, pd.DataFrame | None]:
    """Read tables by name from a folder; missing tables and tables without rows are None."""
    paths = {name: Path(folder) / f"{name}.csv" for name in names}
    frames = {name: pd.read_csv(path) if path.is_file() else None for name, path in paths.items()}
    # an empty table says as much as a missing one
    return {name: None if frame is None or frame.empty else frame for name, frame in frames.items()}


def has_results(results: Results) -> bool:
    """Return whether any of the tables has rows."""
    return any(frame is not None for frame in results.values())


def write_tables(tables: Iterable[Table], folder: str | Path) -> None:
    """Write each table as .csv, .md, .tex and .html into ``folder``, which may be new."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for table in tables:
        for suffix, text in FORMATS.items():
            write_text(Path(folder) / f"{table.id}.{suffix}", text(table))


def mean_row(
    means: pd.DataFrame, across: str, values: Iterable, keys: tuple, labels: tuple[str, ...]
) -> Row:
    """Return a line of our means, a cell for each value of the coordinate ``across``.

    ``means`` has that column and ``mean``, ``standard_error`` and ``trials``. The cell of a value
    without a mean states that there is none.
    """
    found = means.set_index(across)[["mean", "standard_error", "trials"]]
    return Row(keys, labels, "ours", tuple(mean_cell(found, value) for value in values))


def mean_cell(means: pd.DataFrame, place: object) -> Cell:
    """Return the cell of a mean with its standard error, or a dash without a mean."""
    if place not in means.index:
        return Cell()
    found = means.loc[place]
    digits = 4 if found["mean"] < 0.1 else 3
    return Cell(found["mean"], found["standard_error"], int(found["trials"]), digits)
