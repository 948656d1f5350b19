"""The default method on rating tables of shapes drawn from a seed, next to two simpler ones.

A few of the shapes of benchmarks/shapes.py. Everything is seeded: what passes passes always.
"""

from itertools import product

import numpy as np
import pytest
from shapes import draw_ratings, draw_shape

from dpmc.methods import method_class
from dpmc.privacy.calibration import calibrate

pytestmark = pytest.mark.slow

SEED, TRIALS = 7, 3
PLACES = (1, 2, 4, 5, 7, 8, 10, 11, 12, 13, 14, 15, 78)
"""The first twelve in the seed's list of shapes that have at most 60,000 ratings, and another one
that failed"""

EPSILONS = (0.1, 1, 10, 1000)
# Known to be worse than own means whose mean of all has the noise of a whole budget. At .1 most of
# the budget goes elsewhere, and what is left hardly tells the mean of all and how far ratings
# scatter: with 3 trials errors are 2.07 and 1.85 of 10 (place 11, 3 ratings a user), 2.29 and 2.23
# of 10 (12, 2 ratings a user), 0.15 and .06 of 4 (14, ratings that are noise alone, with a small
# variance), and at 8 each user has one rating. At 7 there are 54 users with 3 ratings each, whose
# ratings are all alike (0.73 and .24 of 4 at epsilon 1). The criteria for the default begin at .5.
WORSE = {(7, 1), (8, 0.1), (11, 0.1), (12, 0.1), (14, 0.1)}
CREDITED = 2  # ratings at the mean of all with which users are credited in their own means
EQUAL = 0.01  # of the range: errors below are as good as none


def drawn(place):
    rng = np.random.default_rng([SEED, place])
    shape = draw_shape(rng)
    return shape, draw_ratings(shape, rng)


def own_means(train, test, epsilon, rng):
    """Return predictions by users' shrunk means; that of all has the noise of a whole budget."""
    low, high = train.rating_range
    rows, half = train.by_user, (high - low) / 2
    sizes = np.diff(rows.indptr)
    means = rows.means((low + high) / 2)
    noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=1e-5).noise.std() * 2**0.5
    sums = (means[sizes > 0] - low - half).sum() / half, np.sum(sizes > 0)
    total, users = np.array(sums) + noise * rng.standard_normal(2)
    mean = low + half + half * np.clip(total / max(users, 1), -1, 1)
    return ((sizes * means + CREDITED * mean) / (sizes + CREDITED))[test.users]


def errors(ratings, epsilon, trial):
    """Return held-out errors of local Bayes, of biases and of own means."""
    part = np.random.default_rng([trial, 1]).random(len(ratings)) < 0.8
    train, test = ratings.take(part), ratings.take(~part)
    low, high = ratings.rating_range
    given = {"relation": "user_add_remove", "epsilon": epsilon, "rating_range": (low, high)}
    predictions = []
    for name, more in (("local_bayes", {}), ("private_user_item_bias", {"ratings_per_user": 50})):
        noise_rng = np.random.default_rng([trial, 2])
        model = method_class(name)(**given, **more).fit(train, rng=trial, noise_rng=noise_rng)
        predictions.append(model.predict(test.users, test.items))
        assert np.isfinite(model.item_offsets_).all()
        assert low <= model.item_offsets_.min() <= model.item_offsets_.max() <= high
    assert np.isfinite(predictions[0]).all()
    assert low <= predictions[0].min() <= predictions[0].max() <= high
    predictions.append(own_means(train, test, epsilon, np.random.default_rng([trial, 3])))
    return [np.sqrt(np.mean((each - test.values) ** 2)) for each in predictions]


@pytest.mark.parametrize(
    ("place", "epsilon"),
    [
        pytest.param(*each, marks=[pytest.mark.xfail(strict=True)] if each in WORSE else [])
        for each in product(PLACES, EPSILONS)
    ],
)
def test_it_is_hardly_worse_than_biases_and_own_means(place, epsilon):
    """By 1 % at most, and two standard errors of the trials."""
    shape, ratings = drawn(place)
    least = EQUAL * (shape.rating_range[1] - shape.rating_range[0])
    found = np.maximum([errors(ratings, epsilon, trial) for trial in range(TRIALS)], least)
    ours, better = found[:, 0], found[:, 1 + np.argmin(found[:, 1:].mean(axis=0))]
    more = ours - better
    allowed = 0.01 * better.mean() + 2 * more.std(ddof=1) / TRIALS**0.5
    assert more.mean() <= allowed, (str(shape), found.mean(axis=0))
