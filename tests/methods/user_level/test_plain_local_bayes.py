"""Local Bayes of the package against plain NumPy that was written from docs/local_bayes.md alone.

The two share the tables and which ratings are held out, but no noise. DEVIATIONS are standard
deviations, over runs, of the difference of their errors (dense: 8 runs; sparse: 64 runs of another
draw of the same law). Means over SEEDS may differ by BOUND standard errors: under the normal law a
false alarm has the probability 1.2e-7 in each cell. The noise of the two has to be independent.

The first deviation was measured on the very runs of the test. A fit without steps 2 and on is seen
(0.0017 worse, bound 0.0006); one without the fifth step alone (0.0004 worse) is not.
Not compared yet: epsilon 1 on the dense table and 5 on the sparse one.
"""

import numpy as np
import plain_local_bayes as plain
import pytest

from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.ratings import Ratings

SEEDS, BOUND, RANGE, DELTA = range(8), 5.3, (1.0, 5.0), 1e-5
DEVIATIONS = {("dense", 5): 0.00033, ("sparse", 1): 0.0085}


def dense(rng, users=2400, items=40, rank=3):
    factors, tastes = 0.45 * rng.normal(size=(items, rank)), rng.normal(size=(users, rank))
    values = 3 + 0.4 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += tastes @ factors.T + 0.5 * rng.normal(size=(users, items))
    return values, rng.random((users, items)) < 0.6


def sparse(rng, users=800, items=300):
    """Stars, Zipf's law of items and users with 3 ratings or many, which differ by two factors."""
    values = 3.3 + 0.5 * rng.normal(size=items) + 0.5 * rng.normal(size=(users, 1))
    values += 0.4 * rng.normal(size=(users, 2)) @ rng.normal(size=(2, items))
    values += 0.7 * rng.normal(size=(users, items))
    keys = rng.gumbel(size=(users, items)) - 0.9 * np.log(np.arange(1, items + 1))
    numbers = np.minimum(2 + rng.geometric(1 / 18, size=(users, 1)), 120)
    return np.round(values), np.argsort(np.argsort(-keys, 1), 1) < numbers


def plain_answers(ratings, asked, epsilon, seed):
    table = ratings.users, ratings.items, ratings.values
    rng, shape = np.random.default_rng(seed), (ratings.n_users, ratings.n_items)
    model = plain.fit(*table, *shape, RANGE, epsilon, DELTA, rng)
    return plain.predict(model, *table, ratings.n_users, RANGE, *asked)


def package_answers(ratings, asked, epsilon, seed):
    method = LocalBayes(
        relation="user_add_remove", epsilon=epsilon, delta=DELTA, rating_range=RANGE
    )
    return method.fit(ratings, rng=seed, noise_rng=seed).predict(*asked)


def errors(answers, draw, epsilon, first_noise):
    """Return the held-out RMSE of each seed's table."""
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        values, rated = draw(rng)
        values, (users, items) = np.clip(values, *RANGE), np.nonzero(rated)
        held = rng.random(users.size) < 0.15
        kept = users[~held], items[~held]
        ratings = Ratings(*kept, values[kept], *values.shape, "drawn", RANGE)
        asked = users[held], items[held]
        misses = answers(ratings, asked, epsilon, first_noise + seed) - values[asked]
        found.append(np.sqrt(np.mean(misses**2)))
    return np.array(found)


def without_steps(monkeypatch, omitted):
    """Let these steps of refinement change nothing in any fit: their budget is lost."""
    right, taken = plain.step, []

    def step(x, rated, beliefs, s, caution, share, at):
        taken.append(at)
        if sum(one is at for one in taken) in omitted:
            return beliefs, s, 1.0, -np.inf
        return right(x, rated, beliefs, s, caution, share, at)

    monkeypatch.setattr(plain, "step", step)


def test_page_says_what_the_package_does(monkeypatch):
    """A table with factors at epsilon 5; a fit of a single step of refinement is seen."""
    package = errors(package_answers, dense, 5, 5000).mean()
    bound = BOUND * DEVIATIONS["dense", 5] / np.sqrt(len(SEEDS))
    assert abs(errors(plain_answers, dense, 5, 1000).mean() - package) < bound
    without_steps(monkeypatch, range(2, plain.MOST_STEPS + 1))
    assert errors(plain_answers, dense, 5, 1000).mean() - package > bound


@pytest.mark.slow
def test_same_errors_on_a_long_tail():
    bound = BOUND * DEVIATIONS["sparse", 1] / np.sqrt(len(SEEDS))
    package = errors(package_answers, sparse, 1, 5000).mean()
    assert abs(errors(plain_answers, sparse, 1, 1000).mean() - package) < bound
