"""Trials at equal privacy: what is shared, what is not, and errors against plain formulas."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpmc import methods as methods
from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell
from dpmc_studies.studies.equal_privacy.trial import (
    KnownMatrix,
    make_calibrated_method,
    make_problem,
    run,
)
from dpmc_studies.studies.huber.trial import synthetic_instance

SYNTHETIC = {
    "seed": 7, "trials": 2, "rating_range": [0.0, 2.0], "delta": 1e-5,
    "users": 8, "items": 9, "rank": 2, "observed_fraction": 0.5, "scale": 1.0,
}  # fmt: skip
REAL = {
    "seed": 7, "trials": 2, "rating_range": [1.0, 5.0], "delta": 1e-5, "training_share": 0.75,
}  # fmt: skip


class Recorder:
    """Predicts one number and remembers what it was given."""

    fits: list

    def __init__(self, *, relation, epsilon, delta, mechanism, rating_range, rank=1):
        self.given = (relation, epsilon, delta, mechanism, rating_range, rank)
        self.guarantee_ = SimpleNamespace(releases=3, noise_multiplier=0.5)

    def fit(self, ratings, *, rng, noise_rng=None):
        self.shape = (ratings.n_users, ratings.n_items)
        draws = (float(rng.random()), float(noise_rng.random()))
        Recorder.fits.append((self.given, ratings.values.tolist(), *draws))
        return self

    def predict(self, users, items):
        return np.full(len(users), 6.0)

    def predict_matrix(self):
        return np.full(self.shape, 0.5)


@pytest.fixture
def fits(monkeypatch):
    Recorder.fits = []
    for name in ("recorder", "other"):
        monkeypatch.setitem(methods.METHODS, name, "tests:Recorder")
        monkeypatch.setitem(methods._registered, name, Recorder)
    return Recorder.fits


@pytest.fixture(scope="module")
def ratings():
    users, items = (index.ravel() for index in np.indices((5, 8)))
    values = np.random.default_rng(0).integers(1, 6, size=40)
    return Ratings(users, items, values, 5, 8, name="stars", rating_range=(1, 5))


def one(cell, settings, **data):
    """Run one cell as a curve of its own."""
    return run(Task({cell: settings}, {}, **data))


def cell(dataset="synthetic", relation="entry_change", epsilon=1.0, method="recorder"):
    return CalibratedCell(dataset, relation, epsilon, method)


def with_rows(settings, *mechanisms):
    return settings | {"hyperparameters": {name: {"rank": 2} for name in mechanisms}}


def test_data_and_start_are_shared_and_noise_is_not(fits):
    cells = [
        cell(),
        cell(relation="user_add_remove"),
        cell(epsilon=2.0),
        cell(method="other"),
    ]
    for each in cells:
        list(one(each, with_rows(SYNTHETIC, "gaussian", "huber")))
    assert len({tuple(values) for _, values, _, _ in fits}) == SYNTHETIC["trials"]
    assert len({start for _, _, start, _ in fits}) == SYNTHETIC["trials"]
    assert len({noise for _, _, _, noise in fits}) == len(fits) == 4 * 2 * 2


def test_synthetic_data_are_those_of_the_papers_grid_and_large_ones_their_own():
    problem = make_problem(cell(), SYNTHETIC, 1)
    papers = synthetic_instance({"rank": 2, "observed_fraction": 0.5}, SYNTHETIC, 1)
    np.testing.assert_array_equal(problem.training.values, papers.observed.values)
    np.testing.assert_array_equal(problem.matrix, papers.matrix())
    other = make_problem(cell("synthetic_large"), SYNTHETIC, 1)
    assert not np.array_equal(other.matrix, problem.matrix)


def test_errors_on_a_known_matrix(fits):
    problem = make_problem(cell(), SYNTHETIC, 0)
    (row,) = list(one(cell(), with_rows(SYNTHETIC | {"trials": 1}, "gaussian")))
    difference = problem.matrix - 0.5
    seen = np.zeros(difference.shape, dtype=bool)
    seen[problem.training.users, problem.training.items] = True
    assert row["rmse_all"] == pytest.approx(np.sqrt((difference**2).mean()))
    assert row["rmse_heldout"] == pytest.approx(np.sqrt((difference[~seen] ** 2).mean()))
    assert row["rmse_clipped"] is None


def test_errors_on_held_out_ratings(fits, ratings):
    settings = with_rows(REAL | {"trials": 1}, "gaussian")
    (row,) = one(cell("stars"), settings, ratings=ratings)
    problem = make_problem(cell("stars"), REAL, 0, ratings)
    assert row["rmse_all"] is None
    expected = [np.sqrt(np.mean((problem.heldout.values - at) ** 2)) for at in (6.0, 5.0)]
    assert [row["rmse_heldout"], row["rmse_clipped"]] == pytest.approx(expected)


def test_a_split_is_a_partition_of_the_share_asked_for(ratings):
    problem = make_problem(cell("stars"), REAL, 0, ratings)
    assert (len(problem.training), len(problem.heldout)) == (30, 10)
    pairs = [
        (user, item, value)
        for part in (problem.training, problem.heldout)
        for user, item, value in zip(part.users, part.items, part.values, strict=True)
    ]
    assert sorted(pairs) == sorted(zip(ratings.users, ratings.items, ratings.values, strict=True))
    other = make_problem(cell("stars"), REAL, 1, ratings)
    assert not np.array_equal(other.training.items, problem.training.items)


def test_a_hyper_parameter_that_the_method_does_not_take(fits):
    with pytest.raises(InputError, match="recorder has no hyper-parameter factor_bound"):
        make_calibrated_method(cell(), SYNTHETIC, "gaussian", {"factor_bound": 1.0})


def test_a_reference_is_not_private():
    reference = CalibratedCell("synthetic", None, None, "user_item_bias")
    settings = {name: value for name, value in SYNTHETIC.items() if name != "delta"}
    rows = list(one(reference, settings | {"hyperparameters": {"none": {}}}))
    assert len(rows) == 2
    for row in rows:
        assert [row[name] for name in ("relation", "epsilon", "delta", "releases")] == [None] * 4
        assert row["rmse_all"] > 0
    assert isinstance(make_problem(reference, settings, 0), KnownMatrix)


@pytest.mark.parametrize(
    ("relation", "method", "hyperparameters"),
    [
        ("entry_add_remove", "private_item_bias", {"shrinkage": 1.0}),
        ("user_add_remove", "private_global_mean", {"ratings_per_user": 3}),
        (
            "user_add_remove",
            "private_irls",
            {"rank": 1, "loss_parameter": 0.5, "ratings_per_user": 3},
        ),
    ],
)
def test_a_private_cell_keeps_to_its_budget_and_can_be_repeated(relation, method, hyperparameters):
    each = CalibratedCell("synthetic", relation, 20.0, method)
    settings = SYNTHETIC | {"hyperparameters": {"gaussian": hyperparameters}}
    rows, again = ([row | {"seconds": None} for row in one(each, settings)] for _ in range(2))
    assert rows == again
    for row in rows:
        noise = Gaussian(row["noise_multiplier"])
        # exact: n releases are one of sensitivity sqrt(n)
        assert noise.delta(20.0, np.sqrt(row["releases"])) == pytest.approx(1e-5, rel=1e-3)
        assert row["rmse_all"] < 2
