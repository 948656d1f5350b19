"""The study of equal privacy: what it refuses, what its jobs use, and its chapter."""

from dataclasses import replace
from pathlib import Path

import pytest

from dpmc.errors import InputError
from dpmc_studies.configuration import load, merge
from dpmc_studies.frame.api import RatingsOf
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.job import function, run_job
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.equal_privacy import STUDY
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.trial import run

HOME = Path(__file__).parents[4]
CONFIGURATION = load(HOME / "config" / "config.yaml")
SMALL = {
    "trials": 1,
    "epsilons": [1, 5],
    "datasets": dict.fromkeys(["synthetic_large", "ml-100k", "sweetrs"]),
}


@pytest.fixture(scope="module")
def plan():
    known = {"equal_privacy": STUDY}
    return Plan("results", merge(CONFIGURATION, {"equal_privacy": SMALL}), known)


@pytest.fixture(scope="module")
def section(plan):
    return plan.sections["equal_privacy"]


def test_an_unknown_data_set_is_refused():
    """As all that tests/contract/test_refused_sections.py lists."""
    entry = CONFIGURATION["equal_privacy"]["datasets"]["jester"]
    with pytest.raises(InputError, match="jster"):
        STUDY.section(merge(CONFIGURATION, {"equal_privacy": {"datasets": {"jster": entry}}}))


def test_real_data_are_an_input_and_methods_a_module(section):
    fit = STUDY.job("fit")
    cell = CalibratedCell("jester", "user_add_remove", 5.0, "private_irls")
    assert fit.inputs(section, cell) == {"ratings": RatingsOf("jester")}
    assert fit.inputs(section, replace(cell, dataset="synthetic")) == {}
    assert fit.modules(section, cell) == ["dpmc_studies.methods.factorization.private_irls"]


def test_a_job_writes_the_rows_of_its_epsilons_and_mechanisms(plan, section, tmp_path):
    fit = STUDY.job("fit")
    cells = plan.settings(STUDY, fit, ("synthetic", "entry_change", "private_item_bias"))
    path = tmp_path / "part.csv"
    run_job(function(fit.run), fit.tables, {"calibrated": path}, cells, {})
    rows = read_frame(path)
    assert tuple(rows) == fit.tables["calibrated"]
    assert set(rows["mechanism"]) == {"gaussian", "laplace"}
    assert list(dict.fromkeys(rows["epsilon"])) == [float(e) for e in section["epsilons"]]


def test_the_rows_of_a_curve_are_those_of_its_cells_one_by_one(plan):
    curve = plan.settings(STUDY, STUDY.job("fit"), ("synthetic", "user_add_remove", "private_als"))
    cells = {cell: {**used, "trials": 2} for cell, used in curve.items()}
    alone = [row for cell, used in cells.items() for row in run(Task({cell: used}, {}))]
    together = run(Task(cells, {}))
    assert len(together) == len(alone) > 2
    for row, other in zip(together, alone, strict=True):
        assert {**row, "seconds": None} == {**other, "seconds": None}
