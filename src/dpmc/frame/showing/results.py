"""Reading a study's tables for its chapter, and making and writing tables for readers."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from dpmc.files import write_text
from dpmc.frame.showing.table_formats import FORMATS
from dpmc.frame.showing.table_model import Table

Results = Mapping[str, pd.DataFrame | None]


def read_results(folder: str | Path, names: Iterable[str]) -> dict[str, pd.DataFrame | None]:
    """Read tables by name from a folder: those that are not there, or have no rows, are None."""
    paths = {name: Path(folder) / f"{name}.csv" for name in names}
    frames = {name: pd.read_csv(path) if path.is_file() else None for name, path in paths.items()}
    # an empty table says as much as a missing one
    return {name: None if frame is None or frame.empty else frame for name, frame in frames.items()}


def has_results(results: Results) -> bool:
    """Say whether any of the tables has rows."""
    return any(frame is not None for frame in results.values())


def write_tables(tables: Iterable[Table], folder: str | Path) -> None:
    """Write each table as .csv, .md, .tex and .html into ``folder``, which may be new."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for table in tables:
        for suffix, text in FORMATS.items():
            write_text(Path(folder) / f"{table.id}.{suffix}", text(table))
