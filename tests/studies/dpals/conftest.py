"""Invented results of DPALS with what its steps make of them."""

from pathlib import Path

import pytest
from invented_dpals import write_dpals

from dpmc.frame.showing.results import write_tables
from dpmc.frame.showing.style import draw_all
from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.frames import read_dpals
from dpmc.studies.dpals.tables import build_dpals_tables


@pytest.fixture(scope="session")
def dpals_outputs(tmp_path_factory) -> Path:
    """The tables of the study, with tables/ and figures/."""
    folder = write_dpals(tmp_path_factory.mktemp("report") / "dpals")
    results = read_dpals(folder, folder / "published.csv")
    write_tables(build_dpals_tables(results), folder / "tables")
    draw_all(DPALS_FIGURES, results, folder / "figures")
    return folder
