"""The grid of one-bit completion: its cells, their spelling, their settings, what is refused."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.methods.onebit.private import MECHANISMS
from dpmc.studies.onebit.cells import (
    BASELINES,
    BOTH,
    NUCLEAR,
    ONEBIT_COLUMNS,
    ONEBIT_COORDINATES,
    PRIVATE,
    OneBitCell,
)
from dpmc.studies.onebit.regression import cells_with_rows
from dpmc.studies.onebit.settings import (
    bound_settings,
    cell_settings,
    curve_jobs,
    curve_settings,
    job_inputs,
    onebit_cells,
    outp_settings,
    prepare,
)
from dpmc.study.api import Made, Ratings

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
    "outp_privacy": {"trials": 3, "epsilons": [0.1, 1], "samples": 100},
}
CONFIGURATION = {"onebit": WITH_NULL, "data": {"sets": {}}}
ONEBIT = prepare(CONFIGURATION)
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


def test_the_grid_is_every_link_share_mechanism_and_epsilon():
    cells = onebit_cells(ONEBIT)
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
    cells = onebit_cells(ONEBIT)
    for number, each in enumerate(cells):
        assert each.clear() in cells[: number + 1]
        assert (each.mechanism == "clear") == (each.epsilon is None) == (each == each.clear())
    assert {each.mechanism for each in cells if each.needs_clear} == {"outp", "outp_paper"}


def test_mechanisms_are_clear_baselines_and_private_ones():
    assert sorted(("clear", *BASELINES, *PRIVATE)) == sorted(MECHANISMS)


@settings(deadline=None)
@given(
    st.builds(
        OneBitCell,
        st.sampled_from(["synthetic", "ml-100k", "my_own.set"]),
        st.sampled_from(["logistic", "gaussian"]),
        st.sampled_from([NUCLEAR, BOTH]),
        st.floats(0.01, 1).map(lambda share: float(f"{share:.6g}")),
        st.sampled_from(MECHANISMS),
        st.none() | st.floats(1e-4, 1e4).map(lambda epsilon: float(f"{epsilon:.6g}")),
    )
)
def test_cells_are_formatted_and_read_back(each):
    formatted = each.formatted()
    assert tuple(formatted) == ONEBIT_COORDINATES == ONEBIT_COLUMNS[:6]
    assert all("/" not in text and " " not in text and text for text in formatted.values())
    assert OneBitCell.from_formatted(formatted) == each
    # in a table None is an empty field
    assert (
        OneBitCell.from_formatted(
            {name: "" if text == "none" else text for name, text in formatted.items()}
        )
        == each
    )


def test_formatted_numbers_have_no_trailing_zeros():
    assert list(cell(epsilon=1.0).formatted().values()) == [
        "synthetic", "gaussian", "both", "0.15", "inp", "1",
    ]  # fmt: skip
    assert cell("clear", None).formatted()["epsilon"] == "none"


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
    assert cells_with_rows(ONEBIT) == cells_with_rows(ONEBIT | {"datasets": datasets})


def test_a_curve_is_every_epsilon_of_a_mechanism():
    """Jobs and their settings name each private cell once, in the order of the cells."""
    found = [
        OneBitCell.from_formatted({**curve, "epsilon": epsilon})
        for curve in curve_jobs(ONEBIT)
        for epsilon in curve_settings(ONEBIT, curve)["epsilons"]
    ]
    assert found == [each for each in onebit_cells(ONEBIT) if each.epsilon is not None]
    for curve in curve_jobs(ONEBIT):
        settings = curve_settings(ONEBIT, curve)
        assert json.loads(json.dumps(settings)) == settings
        for epsilon in settings.pop("epsilons"):
            each = OneBitCell.from_formatted({**curve, "epsilon": epsilon})
            assert cell_settings(ONEBIT, each) == settings


def test_only_the_curves_of_an_experiment_know_its_epsilons():
    experiments = copy.deepcopy(ONEBIT["experiments"])
    experiments["fractions"]["epsilons"] = [1, 3]
    other = ONEBIT | {"experiments": experiments}
    assert curve_jobs(other) == curve_jobs(ONEBIT)
    changed = [
        curve["observed_fraction"]
        for curve in curve_jobs(ONEBIT)
        if curve_settings(other, curve) != curve_settings(ONEBIT, curve)
    ]
    assert changed == ["0.2", "0.2", "0.8", "0.8"]


def test_what_jobs_read():
    place = {"dataset": "ml-100k", "link": "gaussian", "constraint": "nuclear",
             "observed_fraction": "0.8"}  # fmt: skip
    assert job_inputs(ONEBIT, place) == {"ratings": Ratings("ml-100k")}
    curve = place | {"mechanism": "outp_paper"}
    assert job_inputs(ONEBIT, curve) == {
        "ratings": Ratings("ml-100k"), "clear": Made("clear", place)
    }  # fmt: skip
    drawn = place | {"dataset": "synthetic", "constraint": "both", "observed_fraction": "0.15"}
    assert job_inputs(ONEBIT, drawn) == {}
    assert job_inputs(ONEBIT, drawn | {"mechanism": "outp"}) == {"clear": Made("clear", drawn)}


def test_a_cell_that_no_experiment_has_is_refused():
    with pytest.raises(InputError, match="has the cell"):
        cell_settings(ONEBIT, cell(observed_fraction=0.3))


def test_settings_of_the_other_tables():
    assert outp_settings(ONEBIT) == SYNTHETIC | {
        "seed": 5, "links": ["logistic", "gaussian"], "observed_fraction": 0.15,
        "trials": 3, "epsilons": [0.1, 1], "samples": 100,
    }  # fmt: skip
    assert bound_settings(ONEBIT) == SYNTHETIC | {
        "seed": 5, "links": ["logistic", "gaussian"], "trials": 4,
        "points": [[0.15, 0.5], [0.15, 1.0], [0.15, 2.0], [0.2, 1.0], [0.8, 1.0]],
    }  # fmt: skip


def test_two_experiments_with_one_cell_are_refused():
    for share in (0.15, 0.8):
        shares = ONEBIT["experiments"]["fractions"] | {"observed_fractions": [share]}
        onebit = ONEBIT | {"experiments": ONEBIT["experiments"] | {"more": shares}}
        with pytest.raises(InputError, match="share the cell synthetic, logistic, both"):
            onebit_cells(onebit)
    apart = ONEBIT["experiments"]["fractions"] | {"constraint": "nuclear"}
    onebit_cells(ONEBIT | {"experiments": ONEBIT["experiments"] | {"more": apart}})


def test_experiments_that_are_null_are_left_out_of_a_copy():
    assert "large" in WITH_NULL["experiments"]
    assert list(ONEBIT["experiments"]) == ["budgets", "fractions", "movielens"]
    assert ONEBIT | {"experiments": WITH_NULL["experiments"]} == WITH_NULL


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
        prepare(changed(*path, to=to))
