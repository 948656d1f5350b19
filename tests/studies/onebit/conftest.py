"""Invented results of the one-bit study with what its steps make of them."""

from pathlib import Path

import pytest
from invented_onebit import write_onebit

from dpmc.studies.onebit import figures, tables


@pytest.fixture(scope="session")
def onebit_outputs(tmp_path_factory) -> Path:
    """The tables of the study, with tables/ and figures/."""
    folder = write_onebit(tmp_path_factory.mktemp("report") / "onebit")
    tables.run(folder, {}, folder / "tables")
    figures.run(folder, {}, folder / "figures")
    return folder
