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


def test_every_noised_cell_is_in_one_part_with_its_settings(plan):
    section = plan.sections["huber"]
    parts = list(plan.jobs(STUDY, TRANSCRIPT).values())
    cells = [cell for part in parts for cell in part]
    assert sorted(cells, key=str) == sorted(noised_cells(section), key=str)
    assert {cell.mechanism for cell in cells} == {"gaussian", "laplace", "huber"}
    for part in parts:
        for cell, settings in part.items():
            used = cell_settings(section, cell) | {"neighbours": 200, "delta": 1e-5}
            assert settings == {name: used[name] for name in used if name != "trials"}
    drawn, real = cells[0], cells[-1]
    assert TRANSCRIPT.inputs(section, drawn) == {}
    assert TRANSCRIPT.inputs(section, real) == {"ratings": RatingsOf(real.dataset)}
    assert TRANSCRIPT.modules(section, drawn)[0] == "dpmc_studies.methods.factorization.als"


def test_totals_are_those_of_the_section(plan, tmp_path):
    own = plan.sections["huber"]["totals"] | {"variances": [1], "releases": [20]}
    cells = {Cell(): TOTALS.settings({"totals": own}, Cell())}
    run_job(function(TOTALS.run), TOTALS.tables, {"totals": tmp_path / "totals.csv"}, cells, {})
    rows = read_frame(tmp_path / "totals.csv")
    assert tuple(rows) == TOTALS.tables["totals"]
    assert set(rows["releases"]) == {20}
