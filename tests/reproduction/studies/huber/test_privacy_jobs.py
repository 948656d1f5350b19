"""Jobs about the published budgets: which cells they have, and what they use."""

from pathlib import Path

import pytest

from dpmc_studies.configuration import load
from dpmc_studies.frame.api import RatingsOf
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.job import function, run_job
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.studies.huber import STUDY
from dpmc_studies.studies.huber.experiments.grid import cell_settings
from dpmc_studies.studies.huber.experiments.transcript import cells as noised_cells

HOME = Path(__file__).parents[4]
TOTALS, TRANSCRIPT = STUDY.job("totals"), STUDY.job("transcript")


@pytest.fixture(scope="module")
def plan():
    return Plan("results", load(HOME / "config" / "config.yaml"), {"huber": STUDY})


@pytest.fixture(scope="module")
def section(plan):
    return plan.sections["huber"]


@pytest.fixture(scope="module")
def parts(plan):
    """The cells of each part, in the order of the plan."""
    return list(plan.jobs(STUDY, TRANSCRIPT).values())


def test_every_noised_cell_is_in_one_part(section, parts):
    cells = [cell for part in parts for cell in part]
    assert sorted(cells, key=str) == sorted(noised_cells(section), key=str)
    assert {cell.mechanism for cell in cells} == {"gaussian", "laplace", "huber"}


@pytest.mark.parametrize("place", [0, -1])
def test_a_part_has_the_settings_of_its_cells(section, parts, place):
    for cell, settings in parts[place].items():
        used = cell_settings(section, cell) | {"neighbours": 200, "delta": 1e-5}
        assert settings == {name: used[name] for name in used if name != "trials"}


def test_real_data_are_an_input(section, parts):
    drawn, real = (next(iter(parts[place])) for place in (0, -1))
    assert TRANSCRIPT.inputs(section, drawn) == {}
    assert TRANSCRIPT.inputs(section, real) == {"ratings": RatingsOf(real.dataset)}
    assert TRANSCRIPT.modules(section, drawn)[0] == "dpmc_studies.methods.factorization.als"


def test_a_part_writes_a_row_for_each_cell(parts, tmp_path):
    cell, settings = next(iter(parts[0].items()))
    few = {cell: settings | {"neighbours": 2, "iterations": 2}}
    path = tmp_path / "part.csv"
    run_job(function(TRANSCRIPT.run), TRANSCRIPT.tables, {"transcript_loss": path}, few, {})
    rows = read_frame(path)
    assert tuple(rows) == TRANSCRIPT.tables["transcript_loss"]
    assert len(rows) == 1


def test_totals_are_those_of_the_section(section, tmp_path):
    section = {"totals": section["totals"] | {"variances": [1], "releases": [20]}}
    cells = {Cell(): TOTALS.settings(section, Cell())}
    run_job(function(TOTALS.run), TOTALS.tables, {"totals": tmp_path / "totals.csv"}, cells, {})
    rows = read_frame(tmp_path / "totals.csv")
    assert tuple(rows) == TOTALS.tables["totals"]
    assert set(rows["releases"]) == {20}
