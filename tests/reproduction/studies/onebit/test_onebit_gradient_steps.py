"""Gradient perturbation by K: the cells, the streams and the table of the experiment."""

import copy
from pathlib import Path

import pytest

from dpmc.errors import InputError
from dpmc_studies import configuration
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.onebit import STUDY
from dpmc_studies.studies.onebit.cells import BOTH, OneBitCell
from dpmc_studies.studies.onebit.experiments.gradient_steps import (
    STEPS_COLUMNS,
    _at_ranks,
    cells,
    run,
    settings,
)
from dpmc_studies.studies.onebit.settings import cell_settings
from dpmc_studies.studies.onebit.trial import run_curve

SMALL = {
    "datasets": {"synthetic": {"users": 12, "items": 10}},
    "experiments": {
        "budgets": {"epsilons": [1, 4], "trials": 3, "mechanisms": ["inp", "grap"]},
        "fractions": None, "large": None, "movielens": None, "movielens_both": None,
        "restaurant": None,
    },
    "grap": {"iterations": 2},
    "gradient_steps": {"datasets": ["synthetic"], "epsilons": [1, 4], "steps": [1, 2], "trials": 2},
}  # fmt: skip
HOME = Path(__file__).parents[4]
DEFAULTS = configuration.load(HOME / "config" / "config.yaml")
METRICS = ("are_raw", "are_truncated", "actual_epsilon")


def configured(**own):
    small = copy.deepcopy(SMALL)
    small["gradient_steps"] |= own
    return configuration.merge(DEFAULTS, {"onebit": small})


def rows(section):
    """Run every K with all its epsilons, Gaussian link."""
    found = []
    for steps in section["gradient_steps"]["steps"]:
        mine = [each for each in cells(section) if (each.link, each.steps) == ("gaussian", steps)]
        task = Task({each: settings(section, each) for each in mine}, {})
        found += run(task)
    return found


def test_it_runs_every_cell_of_the_grid_with_every_k():
    section = STUDY.section(configured())
    found = rows(section)
    assert len(found) == 2 * 2 * 2  # K, epsilons, trials
    assert all(tuple(row) == STEPS_COLUMNS for row in found)
    assert len(cells(section)) == 2 * 2 * 2  # links, K, epsilons
    by_k = {steps: [row for row in found if row["steps"] == steps] for steps in (1, 2)}
    for once, twice in zip(by_k[1], by_k[2], strict=True):
        assert once["are_raw"] != twice["are_raw"]
        assert once["actual_epsilon"] == pytest.approx(twice["actual_epsilon"])


def test_the_k_of_the_grid_has_the_numbers_of_the_grid():
    section = STUDY.section(configured())
    grid = [
        OneBitCell("synthetic", "gaussian", BOTH, 0.15, "grap", epsilon) for epsilon in (1.0, 4.0)
    ]
    expected = [row for row in run_curve(grid, cell_settings(section, grid[0])) if row["trial"] < 2]
    found = [row for row in rows(section) if row["steps"] == section["grap"]["iterations"]]
    names = ("epsilon", "trial", *METRICS)
    assert [[row[name] for name in names] for row in found] == [
        [row[name] for name in names] for row in expected
    ]


def test_what_the_grid_leaves_out_it_leaves_out():
    assert cells(STUDY.section(configured(datasets=["ml-100k"]))) == []
    assert cells(STUDY.section(configured(epsilons=[2]))) == []
    with pytest.raises(InputError, match="synthetic"):
        cells(STUDY.section(configured(datasets=["synthetc"])))


def test_of_several_observed_fractions_the_least_is_run():
    small = configured()
    small["onebit"]["experiments"]["budgets"]["observed_fractions"] = [0.3, 0.2]
    assert {each.observed_fraction for each in cells(STUDY.section(small))} == {0.2}


def test_real_data_have_a_row_for_each_rank():
    row = dict.fromkeys(STEPS_COLUMNS, 0.5) | {"accuracy_raw": 0.7}
    made = list(_at_ranks(row | {"accuracy_by_rank": {1: 0.6, 5: 0.8}}, 3, 1))
    assert [(each["steps"], each["rank"], each["accuracy_truncated"]) for each in made] == [
        (3, 1, 0.6), (3, 5, 0.8),
    ]  # fmt: skip
    assert {each["accuracy_raw"] for each in made} == {0.7}
    (alone,) = _at_ranks(row, 3, 2)
    assert (alone["rank"], alone["accuracy_truncated"]) == (2, 0.5)
