"""The tables of errors at equal privacy, written in all formats."""

from pathlib import Path

from dpmc.frame.showing.results import read_results, write_tables
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.studies.equal_privacy.tables_equal import equal_tables


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Write the tables as .csv, .md, .tex and .html; without rows of ``calibrated.csv`` none."""
    calibrated = read_results(results_folder, NAMES)["calibrated"]
    write_tables([] if calibrated is None else equal_tables(calibrated), folder)
