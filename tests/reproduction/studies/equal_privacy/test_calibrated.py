"""The grid at equal privacy: which cells, with which mechanisms, settings and hyper-parameters."""

import copy

import pytest

from dpmc.errors import InputError
from dpmc_studies import tables
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.settings import (
    COLUMNS,
    calibrated_cells,
    calibrated_settings,
    load_hyperparameters,
    mechanisms_of,
)

PRIVACY = {
    "seed": 7,
    "trials": 3,
    "delta": 1e-5,
    "epsilons": [0.5, 1],
    "methods": ["private_als"],
    "mechanisms": {
        "entry_level": ["gaussian", "laplace", "huber"],
        "user_level": ["gaussian", "laplace", "huber"],
        "l1_epsilons_at_user_level": [1],
    },
    "baselines": ["private_global_mean"],
    "untuned": ["local_bayes"],
    "baseline_mechanisms": {"entry_level": ["gaussian", "laplace"], "user_level": ["gaussian"]},
    "references": ["als"],
    "datasets": {
        "synthetic": {
            "users": 10,
            "items": 12,
            "rank": 2,
            "observed_fraction": 0.5,
            "scale": 1.0,
            "rating_range": [0, 1],
            "trials": 2,
            "relations": ["entry_change", "user_replace"],
        },
        "stars": {
            "training_share": 0.8,
            "rating_range": [1, 5],
            "relations": ["user_add_remove"],
        },
    },
}
ROW = {
    "dataset": "stars",
    "relation": "user_add_remove",
    "epsilon": 1.0,
    "method": "private_als",
    "mechanism": "gaussian",
    "rank": 3,
    "regularization": 0.5,
    "tuning_rmse": 1.25,
}
CELL = CalibratedCell("stars", "user_add_remove", 1.0, "private_als")


def full(row):
    return dict.fromkeys(COLUMNS) | row


@pytest.fixture
def table():
    keys = [
        (*cell.coordinates().values(), mechanism)
        for cell in calibrated_cells(PRIVACY)
        for mechanism in mechanisms_of(PRIVACY, cell)
    ]
    return {key: {"rank": number} for number, key in enumerate(keys, start=1)}


def test_the_grid_is_every_relation_epsilon_and_method_and_the_references_once():
    cells = calibrated_cells(PRIVACY)
    # three (data, relation), two epsilons, a method and a baseline, and where users are protected
    # one that has nothing to choose; one reference for two data sets
    assert len(cells) == len(set(cells)) == 3 * 2 * 2 + 2 * 2 + 2
    assert CalibratedCell("synthetic", "user_replace", 0.5, "private_global_mean") in cells
    assert cells[-2:] == [
        CalibratedCell(name, None, None, "als") for name in ("synthetic", "stars")
    ]


@pytest.mark.parametrize(
    ("relation", "epsilon", "method", "mechanisms"),
    [
        ("entry_change", 0.5, "private_als", ["gaussian", "laplace", "huber"]),
        ("entry_change", 0.5, "private_global_mean", ["gaussian", "laplace"]),
        ("user_replace", 0.5, "private_als", ["gaussian"]),
        ("user_replace", 1.0, "private_als", ["gaussian", "laplace", "huber"]),
        ("user_replace", 1.0, "private_global_mean", ["gaussian"]),
        (None, None, "als", ["none"]),
    ],
)
def test_mechanisms_of_a_cell(relation, epsilon, method, mechanisms):
    assert (
        mechanisms_of(PRIVACY, CalibratedCell("synthetic", relation, epsilon, method)) == mechanisms
    )


def settings_of(cell, table):
    return calibrated_settings(PRIVACY | {"hyperparameters": table}, cell)


def test_an_edited_row_touches_its_own_cell_alone(table):
    edited = copy.deepcopy(table)
    edited["stars", "user_add_remove", 1.0, "private_als", "laplace"]["rank"] = 99
    changed = [
        cell
        for cell in calibrated_cells(PRIVACY)
        if settings_of(cell, table) != settings_of(cell, edited)
    ]
    assert changed == [CELL]


def test_a_missing_row_is_one_sentence():
    with pytest.raises(InputError, match=r"private_als with gaussian noise on stars, .*epsilon 1:"):
        settings_of(CELL, {})


class TestFile:
    def test_it_is_read_by_key(self, tmp_path):
        reference = {"dataset": "stars", "relation": None, "epsilon": None, "method": "als"}
        reference |= {"mechanism": "none", "rank": 4, "factor_bound": 0.1}
        tables.write(tmp_path / "h.csv", COLUMNS, [full(ROW), full(reference)])
        assert load_hyperparameters(tmp_path / "h.csv") == {
            ("stars", "user_add_remove", 1.0, "private_als", "gaussian"): {
                "rank": 3,
                "regularization": 0.5,
            },
            ("stars", None, None, "als", "none"): {"rank": 4, "factor_bound": 0.1},
        }

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda text: text.replace(",3,", ",three,"), "line 2 has a value that is not a"),
            (lambda text: text + text.splitlines(keepends=True)[1], "line 3 repeats"),
            (lambda text: text.replace("rank", "rnak", 1), "columns must be dataset"),
            (lambda text: text.replace("private_als,gaussian", "private_als"), "line 2"),
        ],
    )
    def test_damage_is_one_sentence(self, tmp_path, change, message):
        path = tmp_path / "h.csv"
        tables.write(path, COLUMNS, [full(ROW)])
        path.write_text(change(path.read_text()))
        with pytest.raises(InputError, match=message):
            load_hyperparameters(path)
