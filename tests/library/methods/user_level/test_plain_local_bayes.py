"""Local Bayes of the package against plain NumPy that was written from formulas alone.

The two share the tables and which ratings are held out, but no noise. A cell is a law of tables, an
epsilon and options. Its deviation is the standard deviation, over runs, of the difference of the
errors of both, measured by 16 to 128 runs on other tables of the law, or splits, and other noise.
Means over runs may differ by BOUND standard errors: under the normal law a false alarm has the
probability 1.2e-7 in each cell. The noise of the two has to be independent.

FAULTS are lines of the plain program as somebody might misread a formula, each of which has to be
seen; a fit without the fifth step alone is not, nor one without the features. What the check
publishes instead is planted in both.
"""

import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import plain_local_bayes as plain
import pytest
from scipy.special import ndtr

from dpmc.methods.user_level.local_bayes import check
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.publication.features import Features
from dpmc.ratings import Ratings

MIRROR = os.environ.get("DPMC_DATA_MIRROR")
BOUND, RANGE, DELTA = 5.3, (1.0, 5.0), 1e-5
MU = {1: 0.26805, 5: 1.12124}  # by the equation of the page, at this delta
FIRST_STEP_ALONE = ("while planned > 0:", "while planned == 5:")


class Cell(NamedTuple):
    draw: Callable
    epsilon: int
    deviation: float
    runs: int
    relation: str = "user_add_remove"

    @property
    def bound(self):
        return BOUND * self.deviation / np.sqrt(self.runs)


def dense(rng, users=2400, items=40, rank=3):
    factors, tastes = 0.45 * rng.normal(size=(items, rank)), rng.normal(size=(users, rank))
    values = 3 + 0.4 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += tastes @ factors.T + 0.5 * rng.normal(size=(users, items))
    return values, rng.random((users, items)) < 0.6, None


def sparse(rng, users=800, items=300):
    """Stars, Zipf's law of items and users with 3 ratings or many, which differ by two factors."""
    values = 3.3 + 0.5 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += 0.4 * rng.normal(size=(users, 2)) @ rng.normal(size=(2, items))
    values += 0.7 * rng.normal(size=(users, items))
    keys = rng.gumbel(size=(users, items)) - 0.9 * np.log(np.arange(1, items + 1))
    numbers = np.minimum(2 + rng.geometric(1 / 18, size=(users, 1)), 120)
    return np.round(values), np.argsort(np.argsort(-keys, 1), 1) < numbers, None


def featured(rng):
    """Return a sparse table in which three features of four explain most of the offsets."""
    values, rated, _ = sparse(rng)
    features = rng.normal(size=(rated.shape[1], 4))
    return np.round(values + features @ [0.5, 0.4, 0.3, 0]), rated, features


def films(rng):
    """Return MovieLens 100K."""
    users, items, values, _ = np.loadtxt(Path(MIRROR) / "ml-100k" / "u.data", dtype=int).T
    table = np.zeros((943, 1682))
    table[users - 1, items - 1] = values
    return table, table > 0, None


def plain_answers(ratings, features, asked, cell, seed, program=plain):
    middle, H = np.mean(RANGE), np.ptp(RANGE) / 2
    rated = np.zeros((ratings.n_users, ratings.n_items))
    rated[ratings.users, ratings.items], x = 1, rated.copy()
    x[ratings.users, ratings.items] = ratings.values - middle
    rng, replace = np.random.default_rng(seed), cell.relation == "user_replace"
    model = program.fit(x, rated, H, MU[cell.epsilon], rng, replace, features)
    f = program.users(model, x, rated)[0]
    return np.clip(middle + model.b + f @ model.v.T, *RANGE)[asked]


def package_answers(ratings, features, asked, cell, seed):
    given = {"epsilon": cell.epsilon, "delta": DELTA, "rating_range": RANGE}
    method = LocalBayes(relation=cell.relation, **given)
    if features is not None:
        features = Features(tuple("abcd"), ratings.item_labels, features)
    method.fit(ratings, rng=seed, noise_rng=4000 + seed, item_features=features)
    return method.predict(*asked)


def errors(answers, cell, first=0):
    """Return the held-out RMSE of each run's table."""
    found = []
    for seed in range(first, first + cell.runs):
        rng = np.random.default_rng(seed)
        values, rated, features = cell.draw(rng)
        values, (users, items) = np.clip(values, *RANGE), np.nonzero(rated)
        held = rng.random(users.size) < 0.15
        kept, asked = (users[~held], items[~held]), (users[held], items[held])
        labels = np.arange(values.shape[1]).astype(str)
        ratings = Ratings(*kept, values[kept], *values.shape, "drawn", RANGE, item_labels=labels)
        misses = answers(ratings, features, asked, cell, 1000 + seed) - values[asked]
        found.append(np.sqrt(np.mean(misses**2)))
    return np.array(found)


@cache
def package_errors(cell):
    return errors(package_answers, cell).mean()


def skip_without_films(cell):
    if cell.draw is films and not MIRROR:
        pytest.skip("DPMC_DATA_MIRROR does not name a folder with the real data files")


def faulty(*changes):
    """Return the answers of the plain program with something else in some of its lines."""
    source = Path(plain.__file__).read_text(encoding="utf-8")
    for right, wrong in changes:
        assert source.count(right) == 1
        source = source.replace(right, wrong)
    program = ModuleType("faulty")
    exec(source, program.__dict__)
    return lambda *given: plain_answers(*given, program=program)


DENSE = Cell(dense, 5, 0.00035, 8)
CELLS = {  # beside it
    "dense, epsilon 1": Cell(dense, 1, 0.004, 32),
    "sparse, epsilon 1": Cell(sparse, 1, 0.008, 64),
    "sparse, epsilon 5": Cell(sparse, 5, 0.016, 64),
    "features": Cell(featured, 5, 0.016, 64),
    "user_replace": Cell(partial(dense, users=1200), 5, 0.0022, 96, "user_replace"),
    "MovieLens 100K": Cell(films, 5, 0.0031, 16),
}
FAULTS = {
    "counts as sent": (DENSE, "w, tau2 = pi * total / (0.6 * t)", "w, tau2 = pi * total"),
    "levels with noise": (DENSE, "squares / (n * g)) / t**2", "squares / n) / t**2"),
    "unit": (DENSE, "@ u.T / unit", "@ u.T / unit / 2"),
    "one rating": (DENSE, "(a @ a) * T * precision", "(a @ a) * precision"),
    "no covariance": (DENSE, "if found:", "if False:"),
    "no covariance of films": (CELLS["MovieLens 100K"], "if found:", "if False:"),
    "half of the noise": (CELLS["user_replace"], "(mu / 2, np.sqrt(1 / 2))", "(mu, 1)"),
}
BIASES_OFF = ("(model, biases, means)", "(model, biases._replace(b=model.b), means)")
NO_CHECK = ("if worse.max() > 2.5 * sigma", "if False")
THE_OTHER = ("models[1 + worse.argmax()]", "models[2 - worse.argmax()]")


def test_plain_program_does_what_the_package_does():
    """A table with factors at epsilon 5; a fit that ends after the first step is seen."""
    package = package_errors(DENSE)
    assert abs(errors(plain_answers, DENSE).mean() - package) < DENSE.bound
    assert errors(faulty(FIRST_STEP_ALONE), DENSE).mean() - package > DENSE.bound


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_same_errors(name):
    cell = CELLS[name]
    skip_without_films(cell)
    assert abs(errors(plain_answers, cell).mean() - package_errors(cell)) < cell.bound


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_misreadings_are_seen(fault):
    cell, *change = FAULTS[fault]
    skip_without_films(cell)
    assert abs(errors(faulty(change), cell).mean() - package_errors(cell)) > cell.bound


@pytest.mark.slow
@pytest.mark.parametrize(("far", "biases_too"), [(0.7, False), (1.2, True)])
def test_the_same_is_published_instead_of_a_model_far_off(monkeypatch, far, biases_too):
    """Biases, or users' own means where these are off too; without the check the model is."""
    last = "    flat, model ="
    off = f"    its.est[:, 0] = {far} * np.where(np.arange(m) % 2, 1, -1)\n"
    changes = [(last, off + last), BIASES_OFF] if biases_too else [(last, off + last)]
    right = errors(faulty(*changes), DENSE).mean()
    unchecked = errors(faulty(*changes, NO_CHECK), DENSE).mean()
    other = errors(faulty(*changes, THE_OTHER), DENSE).mean()
    statistic = check.statistic

    def planted(rows, model, others, typical):
        biases, means = others
        far_off = means.offsets + far * np.where(np.arange(40) % 2, 1, -1)
        model, off = (each._replace(offsets=far_off) for each in (model, biases))
        return statistic(rows, model, (off if biases_too else biases, means), typical)

    monkeypatch.setattr(check, "statistic", planted)
    package = errors(package_answers, DENSE).mean()
    assert abs(right - package) < DENSE.bound
    assert min(unchecked, other) - package > DENSE.bound


@pytest.mark.parametrize("epsilon", MU)
def test_privacy_in_use_is_that_of_epsilon(epsilon):
    mu = MU[epsilon]
    delta = ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
    assert delta == pytest.approx(DELTA, rel=1e-3)
