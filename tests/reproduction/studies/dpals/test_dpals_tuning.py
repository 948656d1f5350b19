"""The search for hyper-parameters of private factorisation: what it tries, on which data."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.data import make_split
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.dpals import DPALS
from dpmc_studies.methods.user_level.spaces import SPACES
from dpmc_studies.methods.user_level.spaces import drawn as draw
from dpmc_studies.studies.dpals import trial as dpals_trial
from dpmc_studies.studies.dpals.cells import STANDARD, DpalsCell
from dpmc_studies.studies.dpals.experiments import tuning
from dpmc_studies.studies.dpals.methods import METHODS, make_model, taken_settings

CONFIG = Path(__file__).parents[4] / "config"
DRAWN = {"users": 300, "items": 30, "rank": 2, "ratings_factor": 2, "test_entries": 500}
DRAWN |= {"rating_range": [-8, 8]}
SPLIT = {"training_share": 0.6, "test_share": 0.2, "rating_range": [1, 5]}
ALS = {"rank": 2, "regularization": 1e-4, "iterations": 6}
DPALS_SETTINGS = {"rank": 2, "ratings_per_user": 20, "centring": "none"}


def tune(cell, settings, ratings=None):
    return tuning.run(Task({cell: settings}, {}, ratings))


def settings(model, *, data=DRAWN, **changes):
    given = {"seed": 4, "trials": 2, "candidates": 12, "data": data, "model": model}
    return given | {"delta": 1e-5} | changes


def cell(method="als", epsilon=None, dataset="drawn"):
    return DpalsCell(dataset, method, STANDARD, epsilon)


def real(seed=0, users=60, items=20):
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(rng.random((users, items)) < 0.5)
    # all different, so that a rating can be recognised by its value
    values = 1 + 4 * rng.permutation(rows.size) / rows.size
    return Ratings(rows, columns, values, users, items, "real", (1, 5))


def test_the_best_come_first_and_what_is_in_use_is_a_candidate():
    rows = tune(cell(), settings(ALS))
    assert [tuple(row) for row in rows] == [tuning.TUNING_COLUMNS] * tuning.KEPT
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5]
    found = [row["rmse"] for row in rows]
    assert found == sorted(found)
    # nothing in the space is as good as the rank and the penalty of the drawn matrix
    one = settings(ALS, candidates=1)
    (alone,) = tune(cell(), one)
    assert json.loads(alone["settings"]) == ALS
    assert found[0] <= alone["rmse"]


def test_ratings_of_the_test_are_neither_learnt_from_nor_scored(monkeypatch):
    seen = []

    def fit(the_cell, given, trial, training, clock):
        seen.append((trial, training))
        return None

    def errors(model, test):
        seen.append((seen[-1][0], test))
        return {"rmse": 1.0}

    monkeypatch.setattr(dpals_trial, "fit", fit)
    monkeypatch.setattr(dpals_trial, "errors", errors)
    ratings, given = real(), settings(ALS, data=SPLIT, candidates=3)
    tune(cell(dataset="real"), given, ratings)
    assert len(seen) == 3 * 2 * 2
    for trial, part in seen:
        test = make_split("real", given, trial, ratings).test
        assert not set(part.values) & set(test.values)
    sizes = {len(part) for _, part in seen}
    assert sizes == {round(0.6 * len(ratings)), len(ratings) - round(0.8 * len(ratings))}


def test_candidates_that_cannot_be_fitted_come_last():
    few = DRAWN | {"items": 4, "ratings_factor": 0.4, "test_entries": 100}
    given = settings(DPALS_SETTINGS, data=few, trials=1, candidates=8)
    rows = tune(cell("dpals", 5.0), given)
    assert math.isfinite(rows[0]["rmse"])
    every = tune(cell("dpals", 5.0), given | {"candidates": 3, "model": {"rank": 5}})
    assert math.isinf(every[-1]["rmse"])  # rank 5 of 4 items, and no k


@pytest.mark.parametrize("method", [name for name in SPACES if name in METHODS])
def test_every_candidate_is_one_that_the_method_takes(method):
    assert set(SPACES[method]) <= set(taken_settings(method))
    split = make_split("drawn", settings({}), 0)
    units = tuning.units_of(method, settings({}), split.training)
    basis = {"ratings_per_user": 20, "rank": 2, "item_regularization": 1.0, "value_bound": 1.0}
    budget = {"epsilon": 5.0, "delta": 1e-5} if METHODS[method].private else {}
    rng = np.random.default_rng(0)
    for _ in range(20):
        drawn = draw(rng, SPACES[method], units)
        assert isinstance(drawn, Mapping)
        json.dumps(drawn)
        make_model(method, basis | drawn, rating_range=(-8.0, 8.0), **budget)


def test_the_reported_form_is_searched_in_its_own_units():
    """The same candidate is the same users, but for the length of V: see DPALS."""
    training = make_split("drawn", settings({}), 0).training
    drawn = {"factor_bound": 0.1, "user_regularization": 5.0}
    fits = []
    for method, literal in (("dpals", False), ("dpals_literal", True)):
        units = tuning.units_of(method, settings({}), training)
        own = {name: units.get(name, float)(value) for name, value in drawn.items()}
        model = DPALS(
            relation="user_add_remove", epsilon=1e9, rating_range=(-8, 8), literal=literal,
            item_regularization=1e-3, **DPALS_SETTINGS, **own,
        )  # fmt: skip
        fits.append(model.fit(training, rng=1, noise_rng=2).predict_matrix())
    np.testing.assert_allclose(fits[1], fits[0], atol=1e-3)
    assert np.std(fits[0]) > 0.1
