"""The search for hyper-parameters: finds what is there to find, the same way for every noise."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from dpmc import methods as methods
from dpmc.privacy.calibration import calibrate
from dpmc_studies.studies.equal_privacy import tuning
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.hyperparameters import (
    HYPERPARAMETER_COLUMNS,
    HYPERPARAMETERS,
)
from dpmc_studies.studies.equal_privacy.trial import make_calibrated_method

SETTINGS = {
    "seed": 5, "rating_range": [0.0, 2.0], "delta": 1e-5, "mechanisms": ["gaussian", "huber"],
    "tuning_trials": 3,
    "users": 8, "items": 9, "rank": 2, "observed_fraction": 0.5, "scale": 1.0,
}  # fmt: skip


def bowl(optimum, noise=0.0):
    """Return a log error with one minimum and, on each trial, noise of its own."""

    def log_error(candidate, trial):
        distance = sum((a - b) ** 2 for a, b in zip(candidate, optimum, strict=True))
        draw = np.random.default_rng([trial, *candidate]).standard_normal()
        return 0.05 * distance + noise * draw

    return log_error


def search(log_error, sizes, seed=0, trials=3):
    middle = tuple(size // 2 for size in sizes)
    return tuning.search(log_error, sizes, [middle], trials, np.random.default_rng(seed))


def test_the_optimum_of_a_bowl_is_found():
    found = [search(bowl((3, 1, 0, 7)), [5, 6, 4, 10], seed) for seed in range(20)]
    # three rounds of single steps from the best of 24 need not always arrive
    assert sum(candidate == (3, 1, 0, 7) for candidate in found) >= 18


def test_a_small_space_is_searched_well_for_the_mean_over_the_tuning_trials():
    log_error = bowl((1, 2), noise=0.01)
    scores = {
        candidate: np.mean([log_error(candidate, trial) for trial in range(3)])
        for candidate in product(range(3), range(3))
    }
    best = search(log_error, [3, 3])
    assert best == min(scores, key=scores.get)
    assert tuning.mean_log(log_error, best, 3) == pytest.approx(min(scores.values()))


def test_most_candidates_are_tried_on_one_trial_alone():
    tried = set()

    def log_error(candidate, trial):
        tried.add((candidate, trial))
        return bowl((3, 1, 0, 7))(candidate, trial)

    search(log_error, [5, 6, 4, 10], seed=1)
    assert len([trial for _, trial in tried if trial > 0]) < len(tried) / 2
    assert {trial for _, trial in tried} == set(range(3))


def test_candidates_that_fail_are_never_chosen():
    def log_error(candidate, trial):
        return math.inf if candidate[0] < 4 else float(candidate[1])

    assert search(log_error, [5, 3]) == (4, 0)


def test_the_search_starts_in_the_middle_with_few_and_many_iterations():
    space = {"rank": (1, 2, 3), "iterations": (1, 3, 5), "factor_bound": (0.5, 1.0, 2.0)}
    assert tuning.starts_of(space) == [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]
    assert tuning.starts_of({"shrinkage": (0.0, 1.0)}) == [(1,)]


BETTER_BY_L2 = 0.001


class Tunable:
    """Errs by how far its bound is from 1 and its k from 10; by an l2 bound it is a bit better."""

    seen: list

    def __init__(
        self, *, relation, epsilon, delta, mechanism, rating_range,
        rank=2, factor_bound=1.0, ratings_per_user=10, norm=None,
    ):  # fmt: skip
        self.off = abs(math.log(factor_bound)) + abs(math.log(ratings_per_user / 10))
        self.off -= BETTER_BY_L2 * (norm == 2)
        self.what = (mechanism if norm is None else f"{mechanism} by l2", rank)
        self.what += (factor_bound, ratings_per_user)
        self.guarantee_ = SimpleNamespace(releases=1, noise_multiplier=1.0)

    def fit(self, ratings, *, rng, noise_rng=None):
        self.shape = (ratings.n_users, ratings.n_items)
        Tunable.seen.append((*self.what, ratings.values.sum()))
        return self

    def predict_matrix(self):
        return np.full(self.shape, 5.0 + self.off)


@pytest.fixture
def seen(monkeypatch):
    Tunable.seen = []
    monkeypatch.setitem(methods.METHODS, "tunable", "tests:Tunable")
    monkeypatch.setitem(methods._registered, "tunable", Tunable)
    return Tunable.seen


def cell(relation="user_add_remove"):
    return CalibratedCell("synthetic", relation, 1.0, "tunable")


def test_tuning_returns_a_row_for_each_mechanism(seen):
    rows = list(tuning.tune(cell(), SETTINGS))
    assert [row["mechanism"] for row in rows] == ["gaussian", "huber"]
    for row in rows:
        assert set(row) == set(HYPERPARAMETER_COLUMNS)
        assert (row["factor_bound"], row["ratings_per_user"]) == (1.0, 10)
        assert row["shrinkage"] is None
        assert 3 < row["tuning_rmse"] < 5


def test_every_mechanism_is_searched_in_the_same_way_on_the_same_data(seen):
    list(tuning.tune(cell(), SETTINGS))
    by_noise = {
        noise: [row[1:] for row in seen if row[0] == noise] for noise in ("gaussian", "huber")
    }
    assert by_noise["gaussian"] == by_noise["huber"]
    assert len(set(by_noise["huber"])) == len(by_noise["huber"])  # nothing is tried twice


def test_noise_by_an_l2_bound_tries_what_was_found_for_gaussian_noise(seen):
    gaussian, huber = tuning.tune(cell(), SETTINGS)
    assert (gaussian["norm"], huber["norm"]) == (None, 2)
    assert huber["tuning_rmse"] < gaussian["tuning_rmse"]
    best = tuple(gaussian[name] for name in ("rank", "factor_bound", "ratings_per_user"))
    assert {row[1:4] for row in seen if row[0] == "huber by l2"} == {best}


def test_every_mechanism_tries_what_the_others_found(seen, monkeypatch):
    winners = iter([(0, 0, 0), (1, 1, 3)])  # the second one is right
    monkeypatch.setattr(tuning, "search", lambda *arguments: next(winners))
    first, second = tuning.tune(cell(), SETTINGS)
    for row in (first, second):
        assert (row["rank"], row["ratings_per_user"], row["factor_bound"]) == (2, 10, 1.0)


@pytest.mark.parametrize("relation", ["entry_change", "user_add_remove"])
def test_regularization_grows_with_the_noise(relation):
    """The unit is the noise on a right-hand side: that of a user where users are noised."""
    steps = {"rank": (2,), "factor_bound": (1.0,), "residual_bound": (1.0,), "iterations": (3,)}
    steps |= {"regularization": (0.5,), "user_regularization": (2.0,)}
    if relation == "user_add_remove":
        steps["ratings_per_user"] = (4,)
    for epsilon in (0.5, 5.0):
        each = CalibratedCell("synthetic", relation, epsilon, "private_als")
        given = tuning.hyperparameters_of(each, SETTINGS, "gaussian", steps, (0,) * len(steps))
        at_user_level = relation == "user_add_remove"
        releases = make_calibrated_method(each, SETTINGS, "gaussian", given).releases
        noise = calibrate("gaussian", releases=releases, epsilon=epsilon, delta=1e-5).noise.std()
        unit = noise * (2.0 if relation == "entry_change" else math.sqrt(4))
        assert given["regularization"] == pytest.approx(0.5 * unit, rel=1e-3)
        expected = 2.0 if at_user_level else 2.0 * unit
        assert given["user_regularization"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("method", ["private_irls", "private_item_bias", "als", "bayesian_als"])
def test_every_method_is_tuned(method):
    private = method.startswith("private")
    each = CalibratedCell(
        "synthetic", "user_add_remove" if private else None, 20.0 if private else None, method
    )
    settings = SETTINGS | {"mechanisms": ["gaussian" if private else "none"], "tuning_trials": 1}
    (row,) = tuning.tune(each, settings)
    space = tuning.space_of(each, settings["rating_range"])
    assert {name for name in HYPERPARAMETERS if row[name] is not None} == set(space)
    assert 0 < row["tuning_rmse"] < 1


def test_a_hyper_parameter_of_user_level_is_not_tuned_at_entry_level(seen):
    rows = list(tuning.tune(cell("entry_change"), SETTINGS))
    assert {row["ratings_per_user"] for row in rows} == {None}


def test_values_scale_with_the_range_of_the_ratings(seen):
    narrow, wide = (tuning.space_of(cell(), limits) for limits in ([0, 2], [-50, 150]))
    assert narrow["rank"] == wide["rank"]
    np.testing.assert_allclose(wide["factor_bound"], np.multiply(narrow["factor_bound"], 10))


def test_the_candidates_are_drawn_from_the_tuning_seed(seen):
    first = cell().stream(5, tuning.TUNING).integers(1000)
    assert first != cell().stream(6, tuning.TUNING).integers(1000)
    list(tuning.tune(cell(), SETTINGS))
    data = {row[-1] for row in seen}
    seen.clear()
    list(tuning.tune(cell(), SETTINGS | {"seed": 6}))
    assert not data & {row[-1] for row in seen}
