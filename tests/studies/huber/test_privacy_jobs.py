"""Jobs about the published budgets: which cells they have, and what they use."""

from pathlib import Path

import pytest

from dpmc.configuration import load
from dpmc.frame.api import RatingsOf
from dpmc.frame.checking.runs import read_frame
from dpmc.frame.jobs.cells import Cell
from dpmc.frame.jobs.job import function, run_job
from dpmc.frame.jobs.plan import Plan
from dpmc.studies.huber import STUDY
from dpmc.studies.huber.experiments.grid import cell_settings
from dpmc.studies.huber.experiments.transcript import cells as noised_cells

HOME = Path(__file__).parents[3]
PLAN = Plan("results", load(HOME / "config" / "config.yaml"), {"huber": STUDY})
TOTALS, TRANSCRIPT = STUDY.job("totals"), STUDY.job("transcript")
SECTION = PLAN.sections["huber"]
PARTS = PLAN.jobs(STUDY, TRANSCRIPT)
PLACES = list(PARTS)


def test_every_noised_cell_is_in_one_part():
    cells = [cell for part in PARTS.values() for cell in part]
    assert sorted(cells, key=str) == sorted(noised_cells(SECTION), key=str)
    assert {cell.mechanism for cell in cells} == {"gaussian", "laplace", "huber"}


@pytest.mark.parametrize("place", [PLACES[0], PLACES[-1]])
def test_a_part_has_the_settings_of_its_cells(place):
    for cell, settings in PARTS[place].items():
        assert settings == cell_settings(SECTION, cell) | {"neighbours": 200, "delta": 1e-5}


def test_real_data_are_an_input():
    drawn, real = (next(iter(PARTS[place])) for place in (PLACES[0], PLACES[-1]))
    assert TRANSCRIPT.inputs(SECTION, drawn) == {}
    assert TRANSCRIPT.inputs(SECTION, real) == {"ratings": RatingsOf(real.dataset)}
    assert TRANSCRIPT.modules(SECTION, drawn)[0] == "dpmc.methods.factorization.als"


def test_a_part_writes_two_rows_a_cell(tmp_path):
    cell, settings = next(iter(PARTS[PLACES[0]].items()))
    few = {cell: settings | {"neighbours": 2, "iterations": 2}}
    path = tmp_path / "part.csv"
    run_job(function(TRANSCRIPT.run), TRANSCRIPT.tables, {"transcript_loss": path}, few, {})
    rows = read_frame(path)
    assert tuple(rows) == TRANSCRIPT.tables["transcript_loss"]
    assert list(rows["neighbour"]) == ["change", "remove_user"]


def test_totals_are_those_of_the_section(tmp_path):
    section = {"totals": SECTION["totals"] | {"variances": [1], "releases": [20]}}
    cells = {Cell(): TOTALS.settings(section, Cell())}
    run_job(function(TOTALS.run), TOTALS.tables, {"totals": tmp_path / "totals.csv"}, cells, {})
    rows = read_frame(tmp_path / "totals.csv")
    assert tuple(rows) == TOTALS.tables["totals"]
    assert set(rows["releases"]) == {20}
