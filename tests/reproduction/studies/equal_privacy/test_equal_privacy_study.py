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
from dpmc_studies.studies.equal_privacy import STUDY
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.frontier import Releases
from dpmc_studies.studies.equal_privacy.trial import run_calibrated

HOME = Path(__file__).parents[4]
CONFIGURATION = load(HOME / "config" / "config.yaml")
SMALL = {
    "trials": 1,
    "epsilons": [1, 5],
    "datasets": dict.fromkeys(["synthetic_large", "ml-100k", "sweetrs"]),
}


def prepared(change):
    return STUDY.section(merge(CONFIGURATION, {"equal_privacy": change}))


@pytest.fixture(scope="module")
def plan():
    known = {"equal_privacy": STUDY}
    return Plan("results", merge(CONFIGURATION, {"equal_privacy": SMALL}), known)


@pytest.fixture(scope="module")
def section(plan):
    return plan.sections["equal_privacy"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hyperparameters": "nowhere.csv"}, ["nowhere.csv", "missing"]),
        ({"epsilons": [0.5, 3]}, ["no hyper-parameters", "epsilon 3"]),
        ({"methods": ["private_asl"]}, ["private_asl"]),
        ({"datasets": {"synthetic": {"rating_range": [3, 1]}}}, ["equal_privacy", "rating_range"]),
        ({"tuning_seed": 2206}, ["equal_privacy.tuning_seed", "seed"]),
        (
            {"datasets": {"jster": CONFIGURATION["equal_privacy"]["datasets"]["jester"]}},
            ["jster"],
        ),
    ],
)
def test_what_could_not_run_is_refused_in_one_sentence(change, words):
    with pytest.raises(InputError) as caught:
        prepared(change)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


def test_data_sets_that_are_null_are_left_out(plan, section):
    assert list(section["datasets"]) == ["synthetic", "jester"]
    curves = plan.jobs(STUDY, STUDY.job("fit"))
    # synthetic data under four relations, jokes under two; five methods, at user level one more,
    # and three references each
    assert len(curves) == (4 + 2) * 5 + (2 + 1) + 2 * 3


def test_real_data_are_an_input_and_methods_a_module(section):
    fit = STUDY.job("fit")
    cell = CalibratedCell("jester", "user_add_remove", 5.0, "private_irls")
    assert fit.inputs(section, cell) == {"ratings": RatingsOf("jester")}
    assert fit.inputs(section, replace(cell, dataset="synthetic")) == {}
    assert fit.modules(section, cell) == ["dpmc_studies.methods.factorization.private_irls"]
    assert STUDY.job("tune").settings(section, cell)["seed"] == section["tuning_seed"]


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
    alone = [row for cell, used in cells.items() for row in run_calibrated({cell: used})]
    together = run_calibrated(cells)
    assert len(together) == len(alone) > 2
    for row, other in zip(together, alone, strict=True):
        assert {**row, "seconds": None} == {**other, "seconds": None}


def test_a_job_of_the_frontier_has_one_number_of_releases(section, tmp_path):
    frontier = STUDY.job("frontier")
    cell = Releases(10)
    settings = frontier.settings(section, cell) | {"epsilons": [1, 5]}
    run_job(
        function(frontier.run),
        frontier.tables,
        {"frontier": tmp_path / "f.csv"},
        {cell: settings},
        {},
    )
    assert read_frame(tmp_path / "f.csv")[["releases", "epsilon"]].values.tolist() == [
        [10, 1],
        [10, 5],
    ]
