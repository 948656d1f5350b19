"""The grid of one-bit completion: its cells, their spelling, their settings, what is refused."""

import copy
import json

import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.api import OutputOf, RatingsOf
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.studies.onebit import STUDY
from dpmc_studies.studies.onebit.cells import OneBitCell
from dpmc_studies.studies.onebit.settings import cell_settings, inputs_of

WITH_NULL = {
    "seed": 5,
    "links": ["logistic", "gaussian"],
    "delta": 1e-5,
    "baselines": ["zero", "majority"],
    "grap": {"clip": 0.5, "iterations": 2, "step": 0.7},
    "datasets": {
        "synthetic": {"users": 12, "items": 10, "rank": 1, "alpha": 1},
        "ml-100k": {
            "rank": 2,
            "alpha": 1,
            "threshold": "mean",
            "test_ratings": 20,
            "ranks": [1, 3],
        },
    },
    "experiments": {
        "budgets": {
            "dataset": "synthetic",
            "constraint": "both",
            "observed_fractions": [0.15],
            "epsilons": [0.5, 1, 2],
            "trials": 4,
            "mechanisms": ["inp", "objp", "grap_gaussian", "outp"],
        },
        "fractions": {
            "dataset": "synthetic",
            "constraint": "both",
            "observed_fractions": [0.2, 0.8],
            "epsilons": [1],
            "trials": 3,
            "mechanisms": ["inp"],
        },
        "movielens": {
            "dataset": "ml-100k",
            "constraint": "nuclear",
            "observed_fractions": [0.8],
            "epsilons": [1],
            "trials": 2,
            "mechanisms": ["objp", "outp_paper"],
        },
        "large": None,
    },
    "gradient_steps": {"datasets": ["synthetic"], "epsilons": [1], "steps": [1, 3], "trials": 2},
    "outp_privacy": {"trials": 3, "epsilons": [0.1, 1], "samples": 100},
}
CONFIGURATION = {"onebit": WITH_NULL, "data": {"sets": {}}}
ONEBIT = STUDY.section(CONFIGURATION)
SYNTHETIC = {"users": 12, "items": 10, "rank": 1, "alpha": 1}
MOVIELENS = {"rank": 2, "ranks": [1, 3], "alpha": 1, "threshold": "mean", "test_ratings": 20}


def cell(mechanism="inp", epsilon=1.0, **others):
    given = {"dataset": "synthetic", "link": "gaussian", "constraint": "both"}
    given |= {"observed_fraction": 0.15} | others
    return OneBitCell(**given, mechanism=mechanism, epsilon=epsilon)


def changed(*path, to):
    """Return the configuration with the value at a path replaced."""
    configuration = copy.deepcopy(CONFIGURATION)
    place = configuration["onebit"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return configuration


def planned(configuration=CONFIGURATION):
    """Return the plan of a configuration."""
    return Plan("results", configuration, {"onebit": STUDY})


def test_the_grid_is_every_link_share_mechanism_and_epsilon():
    cells = list(ONEBIT["cells"])
    assert len(cells) == len(set(cells))
    per_experiment = {
        # clear, and inp, grap_gaussian, outp at three epsilons; objp below
        "budgets": 2 * (1 + 9) + 2,
        "fractions": 2 * 2 * (1 + 1),
        "movielens": 2 * (1 + 1),
    }
    assert len(cells) == sum(per_experiment.values())
    # corrected objective perturbation: the Gaussian link, both constraints, epsilon above .771
    assert [each for each in cells if each.mechanism == "objp"] == [
        cell("objp", 1.0),
        cell("objp", 2.0),
    ]


def test_every_configuration_has_its_clear_cell_before_the_others():
    cells = list(ONEBIT["cells"])
    for number, each in enumerate(cells):
        assert each.clear() in cells[: number + 1]
        assert (each.mechanism == "clear") == (each.epsilon is None) == (each == each.clear())
    assert {each.mechanism for each in cells if each.needs_clear} == {"outp", "outp_paper"}


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        (cell(), {"trials": 4} | SYNTHETIC),
        (cell("outp"), {"trials": 4} | SYNTHETIC),
        (cell("clear", None), {"trials": 4, "baselines": ["zero", "majority"]} | SYNTHETIC),
        (
            cell("grap_gaussian"),
            {"trials": 4, "clip": 0.5, "iterations": 2, "step": 0.7, "delta": 1e-5} | SYNTHETIC,
        ),
        (cell(observed_fraction=0.8), {"trials": 3} | SYNTHETIC),
        # part of what is drawn at .8
        (cell(observed_fraction=0.2), {"trials": 3, "drawn_fraction": 0.8} | SYNTHETIC),
        (
            cell("outp_paper", dataset="ml-100k", constraint="nuclear", observed_fraction=0.8),
            {"trials": 2} | MOVIELENS,
        ),
    ],
)
def test_settings_of_a_cell_are_those_it_uses(each, expected):
    found = cell_settings(ONEBIT, each)
    assert found == {"seed": 5} | expected
    assert json.loads(json.dumps(found)) == found


def test_ranks_are_used_but_change_nothing_that_is_compared():
    """A reference drawn with other ranks, or with none, still holds."""
    datasets = copy.deepcopy(ONEBIT["datasets"])
    assert datasets["ml-100k"].pop("ranks") == [1, 3]
    without = planned(changed("datasets", to=datasets))
    assert planned().settings_by_cell(STUDY) == without.settings_by_cell(STUDY)


def test_a_curve_is_every_epsilon_of_a_mechanism():
    """Jobs have each private cell once, and their settings are those of all their cells."""
    curves = planned().jobs(STUDY, STUDY.job("curve"))
    cells = [cell for curve in curves.values() for cell in curve]
    assert cells == [each for each in ONEBIT["cells"] if each.epsilon is not None]
    for place, curve in curves.items():
        assert {cell.mechanism for cell in curve} == {place[-1]}
        used = list(curve.values())
        assert all(each == used[0] for each in used)
    clear = planned().jobs(STUDY, STUDY.job("clear"))
    assert [len(each) for each in clear.values()] == [1] * len(clear)


def test_only_the_curves_of_an_experiment_know_its_epsilons():
    other = planned(changed("experiments", "fractions", "epsilons", to=[1, 3]))
    before, after = (plan.jobs(STUDY, STUDY.job("curve")) for plan in (planned(), other))
    assert before.keys() == after.keys()
    assert [place[3] for place in before if before[place] != after[place]] == [
        "0.2", "0.2", "0.8", "0.8",
    ]  # fmt: skip


def test_what_jobs_read():
    stars = cell("outp_paper", dataset="ml-100k", constraint="nuclear", observed_fraction=0.8)
    assert inputs_of(ONEBIT, stars.clear()) == {"ratings": RatingsOf("ml-100k")}
    assert inputs_of(ONEBIT, stars) == {
        "ratings": RatingsOf("ml-100k"), "clear": OutputOf("clear", stars.clear())
    }  # fmt: skip
    assert inputs_of(ONEBIT, cell()) == {}
    assert inputs_of(ONEBIT, cell("outp")) == {"clear": OutputOf("clear", cell("outp").clear())}


@pytest.mark.parametrize(
    ("path", "to", "word"),
    [
        (("datasets", "ml-100"), {"threshold": 3}, "ml-100k"),
        (("experiments", "budgets", "dataset"), "synthetc", "synthetic"),
        (("experiments", "budgets", "mechanisms"), ["impp"], "inp"),
        (("experiments", "budgets", "mechanisms"), ["clear"], "private mechanism"),
        (("experiments", "fractions", "observed_fractions"), [0.15], "share the cell"),
    ],
)
def test_a_grid_that_could_not_run_is_refused(path, to, word):
    with pytest.raises(InputError, match=word):
        STUDY.section(changed(*path, to=to))
