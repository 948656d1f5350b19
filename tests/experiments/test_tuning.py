"""The search for hyper-parameters: finds what is there to find, the same way for every noise."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from dpmc import solvers
from dpmc.experiments import tuning
from dpmc.experiments.calibrated import HYPERPARAMETER_COLUMNS, CalibratedCell
from dpmc.experiments.seeds import stream

SETTINGS = {
    "seed": 5, "rating_range": [0.0, 2.0], "delta": 1e-5, "mechanisms": ["gaussian", "huber"],
    "tuning_trials": 3,
    "users": 8, "items": 9, "rank": 2, "observed_fraction": 0.5, "scale": 1.0,
}  # fmt: skip


def bowl(optimum, noise=0.0):
    """Return an error with one minimum and, on each trial, noise of its own."""

    def error(candidate, trial):
        distance = sum((a - b) ** 2 for a, b in zip(candidate, optimum, strict=True))
        draw = np.random.default_rng([trial, *candidate]).standard_normal()
        return math.exp(0.05 * distance + noise * draw)

    return error


def test_the_optimum_of_a_bowl_is_found():
    sizes = [5, 6, 4, 10]
    found = [
        tuning.search(bowl((3, 1, 0, 7)), sizes, 3, np.random.default_rng(seed))[0]
        for seed in range(20)
    ]
    # two rounds of single steps from the best of 24 need not always arrive
    assert sum(candidate == (3, 1, 0, 7) for candidate in found) >= 15


def test_the_score_is_the_mean_log_error_over_the_tuning_trials():
    error = bowl((1, 1), noise=0.3)
    best, score = tuning.search(error, [3, 3], 3, np.random.default_rng(0))
    expected = np.mean([math.log(error(best, trial)) for trial in range(3)])
    assert score == pytest.approx(expected)


def test_a_small_space_is_searched_well():
    error = bowl((1, 2), noise=0.01)
    best, score = tuning.search(error, [3, 3], 3, np.random.default_rng(0))
    scores = {
        candidate: np.mean([math.log(error(candidate, trial)) for trial in range(3)])
        for candidate in product(range(3), range(3))
    }
    assert best == min(scores, key=scores.get)
    assert score == pytest.approx(min(scores.values()))


def test_a_candidate_is_tried_at_most_once_a_trial_and_most_of_them_on_one_alone():
    tried = []

    def error(candidate, trial):
        tried.append((candidate, trial))
        return bowl((3, 1, 0, 7))(candidate, trial)

    tuning.search(error, [5, 6, 4, 10], 3, np.random.default_rng(1))
    assert len(tried) == len(set(tried))
    assert len([trial for _, trial in tried if trial > 0]) < len(tried) / 2
    assert {trial for _, trial in tried} == set(range(3))


def test_candidates_that_fail_are_never_chosen():
    def error(candidate, trial):
        return math.inf if candidate[0] < 4 else 1.0 + candidate[1]

    best, score = tuning.search(error, [5, 3], 3, np.random.default_rng(0))
    assert best == (4, 0)
    assert score == 0.0


class Tunable:
    """Errs by how far its bound is from 1 and its k from 10."""

    seen: list

    def __init__(
        self, *, relation, epsilon, delta, mechanism, rating_range,
        rank=2, factor_bound=1.0, ratings_per_user=10,
    ):  # fmt: skip
        self.off = abs(math.log(factor_bound)) + abs(math.log(ratings_per_user / 10))
        self.what = (mechanism, rank, factor_bound, ratings_per_user)
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
    monkeypatch.setitem(solvers.SOLVERS, "tunable", "tests:Tunable")
    monkeypatch.setitem(solvers._registered, "tunable", Tunable)
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


def test_a_hyper_parameter_of_user_level_is_not_tuned_at_entry_level(seen):
    rows = list(tuning.tune(cell("entry_change"), SETTINGS))
    assert {row["ratings_per_user"] for row in rows} == {None}


def test_values_scale_with_the_range_of_the_ratings(seen):
    narrow, wide = (tuning.space_of(cell(), limits) for limits in ([0, 2], [-50, 150]))
    assert narrow["rank"] == wide["rank"]
    np.testing.assert_allclose(wide["factor_bound"], np.multiply(narrow["factor_bound"], 10))


def test_the_candidates_are_drawn_from_the_tuning_seed(seen):
    first = stream(5, tuning.TUNING, cell().coordinates()).integers(1000)
    assert first != stream(6, tuning.TUNING, cell().coordinates()).integers(1000)
    list(tuning.tune(cell(), SETTINGS))
    data = {row[-1] for row in seen}
    seen.clear()
    list(tuning.tune(cell(), SETTINGS | {"seed": 6}))
    assert not data & {row[-1] for row in seen}
