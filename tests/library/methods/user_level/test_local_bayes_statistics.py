"""Local Bayes, what it releases: how far one user can move it, and what the last release says.

What all numbers are is compared with a plain program in test_plain_local_bayes.py.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm as normal

from dpmc.methods.user_level.covariance import pack, unpack
from dpmc.methods.user_level.local_bayes import check, directions, offsets, refinement, scale
from dpmc.methods.user_level.local_bayes.beliefs import Beliefs
from dpmc.methods.user_level.local_bayes.constants import GRAM_BOUND, SPREAD_UNIT
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.users import Model, posterior_means, updates
from dpmc.ratings import Ratings

N_ITEMS = 9
WHOLE = scale.Scale(typical=0.2, mean=0.1, mean_variance=0.01, users=30.0, ratings=120.0)


def popularity_of(shares, variation=0.0):
    """Return shares of items that are known but for a variation."""
    return Popularity(shares, np.full(shares.size, variation), 1.0, shares, np.inf)


def drawn_rows(seed, n_users=12, density=0.5, size=1.0, n_items=N_ITEMS):
    rng = np.random.default_rng(seed)
    observed = rng.random((n_users, n_items)) < density * rng.random((n_users, 1)) * 2
    users, items = np.nonzero(observed)
    values = np.clip(size * rng.standard_normal(users.size), -1, 1)
    return Ratings(users, items, values, n_users, n_items).by_user


def without(rows, user):
    """Return the rows with one that is empty."""
    users = np.repeat(np.arange(rows.indptr.size - 1), np.diff(rows.indptr))
    kept = users != user
    return Ratings(
        users[kept], rows.indices[kept], rows.values[kept], rows.indptr.size - 1, N_ITEMS
    ).by_user


def _scale(rows, n_items=N_ITEMS):
    sums, longest = scale.statistic(rows, 1.0)
    return sums, scale.NORM, longest


def _offsets(rows, n_items=N_ITEMS):
    sums, longest = offsets.statistic(rows, n_items, WHOLE)
    return sums, offsets.NORM, longest


def _directions(rows, n_items=N_ITEMS):
    items = np.array([0, 2, 3, 5, 8]) if n_items == N_ITEMS else np.arange(directions.MOST_ITEMS)
    triangle, longest = directions.statistic(rows, items, n_items, WHOLE.typical)
    return triangle, 1.0, longest


def _updates(rows, n_items=N_ITEMS, counted=1.0):
    shares = np.full(n_items, 1 / n_items)
    beliefs = Beliefs(1e-3, 5e-4, shares).with_factors(
        1e-3 * np.random.default_rng(3).standard_normal((n_items, 2)), np.full((n_items, 2), 1e8)
    )
    # ratings are far off what is believed
    popularity = popularity_of(shares, 1.0)
    step = refinement.Step.of(1e-3, beliefs, popularity, WHOLE)
    step = step._replace(counted=counted * step.counted)
    sent, largest = refinement.statistic(rows, beliefs, popularity, WHOLE, step)
    return sent, refinement.NORM, largest


def _counted(rows, n_items=N_ITEMS):
    return _updates(rows, n_items, 1e3)


def _check(rows, n_items=N_ITEMS):
    rng = np.random.default_rng(4)
    b, v, p = 0.1 * rng.standard_normal(n_items), 0.1 * rng.standard_normal((n_items, 2)), 25.0
    models = [Model(b * far, v, np.full(n_items, p), np.full(n_items, 0.1)) for far in (5.0, 1.0)]
    others = (models[1], check.own_means(n_items, WHOLE))
    sent, longest = check.statistic(rows, models[0], others, WHOLE.typical)
    return sent, check.NORM, longest


STATISTICS = [_scale, _offsets, _directions, _updates, _counted, _check]


@pytest.mark.parametrize("statistic", STATISTICS)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1e-3, 0.3, 1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_one_user_moves_no_statistic_by_more_than_its_norm(statistic, seed, size):
    rows = drawn_rows(seed, size=size)
    whole, norm, longest = statistic(rows)
    for user in range(3):
        moved = np.linalg.norm(whole - statistic(without(rows, user))[0])
        assert moved <= longest * (1 + 1e-9) <= norm * (1 + 2e-9)


@pytest.mark.parametrize("size", [1e-3, 0.3, 30.0])
@pytest.mark.parametrize("n", [1, 10_000])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_nor_does_a_user_with_one_or_10_000_ratings(statistic, n, size):
    n_items = 10_000
    values = np.clip(0.5 + size * np.random.default_rng(1).standard_normal(n), -1, 1)
    rows = Ratings(np.zeros(n, int), np.arange(n), values, 1, n_items).by_user
    sent, norm, longest = statistic(rows, n_items)
    assert np.linalg.norm(sent) <= longest * (1 + 1e-9) <= norm * (1 + 2e-9)


def test_rounding_at_the_ends_of_a_far_off_range_lengthens_nobody():
    """Who stopped a fit by it would be told of: of 1e9 to 1e9 + 1 the middle is off by 1e-7."""
    rows = Ratings(np.zeros(300, int), np.arange(300), np.full(300, 0.5 + 1e-7), 1, 300).by_user
    sent, longest = scale.statistic(rows, 0.5)
    assert np.linalg.norm(sent) <= longest * (1 + 1e-12) <= scale.NORM * (1 + 1e-12)


@pytest.mark.parametrize(
    ("statistic", "least"), [(_scale, 0.8), *[(each, 0.95) for each in STATISTICS[1:]]]
)
def test_nobody_who_climbs_comes_above_a_norm_but_near_it(statistic, least):
    """Ratings of one user, changed at random where that makes what is sent longer."""
    rng = np.random.default_rng(8)
    reached = []
    for n in (1, 2, 4, N_ITEMS):
        best, values = 0.0, rng.uniform(-1, 1, n)
        for _ in range(200):
            tried = values + rng.choice([1e-3, 0.03, 1]) * rng.standard_normal(n)
            tried = np.clip(np.where(rng.random(n) < 0.5, tried, values), -1, 1)
            sent, norm, _ = statistic(
                Ratings(np.zeros(n, int), np.arange(n), tried, 1, N_ITEMS).by_user
            )
            if np.linalg.norm(sent) >= best:
                best, values = np.linalg.norm(sent), tried
        reached.append(best / norm)
    assert least < max(reached) < 1 + 1e-9


@pytest.mark.parametrize("statistic", STATISTICS[1:5])
def test_sums_of_items_that_a_user_did_not_rate_keep_their_bits(statistic):
    rows = drawn_rows(5, n_users=40)
    whole, _, _ = statistic(rows)
    for user in range(5):
        own = rows.indices[rows.indptr[user] : rows.indptr[user + 1]]
        less, _, _ = statistic(without(rows, user))
        untouched = np.setdiff1d(np.arange(N_ITEMS), own)
        if statistic is _directions:
            places = np.flatnonzero(np.isin([0, 2, 3, 5, 8], untouched))
            here, there = (unpack(each, 5)[np.ix_(places, places)] for each in (whole, less))
        elif statistic is _offsets:
            here, there = (each[:-1].reshape(2, -1)[:, untouched] for each in (whole, less))
        else:
            here, there = (
                each[: N_ITEMS * 5].reshape(N_ITEMS, 5)[untouched] for each in (whole, less)
            )
        np.testing.assert_array_equal(here, there)


def test_no_user_is_counted_in_another_bin_for_who_stands_in_front():
    """Of spreads at the edges of bins, where one more or less bit of rounding would decide."""
    rng = np.random.default_rng(0)

    def at_an_edge():
        values = rng.standard_normal(rng.integers(5, 60))
        values -= values.mean()
        spread = np.sqrt(np.sum(values**2) / (values.size - 1))
        return values / spread * 2.0 ** (-rng.integers(2, 8) / 2) + rng.uniform(-0.2, 0.2)

    def histogram(*users):
        n = max(user.size for user in users)
        indices = np.concatenate([np.arange(user.size) for user in users])
        numbers = np.repeat(np.arange(len(users)), [user.size for user in users])
        rows = Ratings(numbers, indices, np.concatenate(users), len(users), n).by_user
        return scale.statistic(rows, 1.0)[0][: scale.BINS]

    users = [at_an_edge() for _ in range(300)]
    alone = sum(histogram(user) for user in users)
    for front in range(1, 18):
        others = [at_an_edge() for _ in range(front)]
        found = histogram(*others, *users) - sum(histogram(other) for other in others)
        np.testing.assert_array_equal(found, alone)


def test_bins_are_those_of_logarithms_and_spreads_at_their_edges_are_above():
    rng = np.random.default_rng(0)
    spread, degrees = 2.0 ** rng.uniform(-12, 1, 4000), rng.integers(1, 9, 4000)
    expected = scale.LOG_SQUARE_MEANS[np.minimum(degrees, 5) - 1]
    plain = np.clip(np.floor(2 * np.log2(spread) - expected + scale.BINS), 0, scale.BINS - 1)
    np.testing.assert_array_equal(scale.bins_of(spread, degrees), plain)
    edges = np.arange(1, scale.BINS)
    at = 2.0 ** ((edges - scale.BINS) / 2)
    for nearly in (at, at * (1 - 2.0**-52), at * (1 + 2.0**-52)):
        np.testing.assert_array_equal(scale.bins_of(nearly, np.full(edges.size, 7)), edges)
    assert scale.bins_of(np.array([0.0, 1e9]), np.array([1, 9])).tolist() == [0, scale.BINS - 1]


@pytest.mark.parametrize("far", [1.0, 1e4, 1e8, 1e12])
def test_what_a_user_sends_is_finite_and_short_however_far_out_the_items_are(far):
    """Where rounding hides that factors times their precisions are not all that there is."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, rank = rng.integers(2, 8), rng.integers(1, 5)
        v = far * rng.standard_normal((n, rank))
        if rng.random() < 0.5:
            v[:] = v[0]
        values = rng.choice([-1.0, 0.0, 0.3, 1.0], n)
        rows = Ratings(np.zeros(n, int), np.arange(n), values, 1, n).by_user
        totals, gram, spreads, _ = updates(
            rows, Model(np.zeros(n), v, np.ones(n), np.zeros(n)), spread=1.0,
            columns=np.ones(1 + rank), counted=0.2, unshortened=2.0, unit=0.01,
            gram_bound=GRAM_BOUND, spread_unit=SPREAD_UNIT,
        )  # fmt: skip
        sent = np.concatenate([totals.ravel(), pack(gram.T), [spreads]])
        assert np.linalg.norm(sent) <= refinement.NORM * (1 + 1e-9)
        assert np.isfinite(posterior_means(rows, np.zeros(n), v, np.ones(n))).all()


@pytest.mark.parametrize("noise", [1.0, 10.0, 30.0])
def test_intervals_are_the_wider_the_less_is_known_of_the_size_and_predictions_are_the_same(noise):
    rng = np.random.default_rng(0)
    place = scale.BINS - 0.5 + 2 * np.log2(0.35)
    histogram = 50 * normal.pdf(np.arange(scale.BINS), place, 0.8)
    sums = np.concatenate([histogram, [10.0, 50.0, 10.0]])
    doubt = scale.read(sums, noise, 1.0).doubt
    assert {1.0: doubt < 1e-3, 10.0: 0.001 < doubt < 0.1, 30.0: 0.05 < doubt < 0.5}[noise]
    model = Model(rng.standard_normal(4), rng.standard_normal((4, 2)), rng.random(4) + 1, None)
    wider, own = refinement.widened(model, doubt), np.arange(3)

    def posterior(offsets, v, p, _):
        spread = np.linalg.inv(np.eye(2) + (v[own] * p[own, None]).T @ v[own])
        found = v @ spread @ (v[own] * p[own, None]).T @ (np.array([1.0, -2.0, 0.5]) - offsets[own])
        return offsets + found, np.sum(v @ spread * v, axis=1) + 1 / p

    (before, variances), (after, larger) = posterior(*model), posterior(*wider)
    np.testing.assert_allclose(after, before, rtol=1e-12)
    np.testing.assert_allclose(larger, np.exp(6 * doubt) * variances, rtol=1e-12)


def planted(truth, off, level=0.2, spread=0.4):
    """Return a model whose offsets are off by this much, one way or the other."""
    offsets = truth + off * np.where(np.arange(truth.size) % 2, 1, -1)
    precisions = np.full(truth.size, spread**-2)
    return Model(offsets, np.full((truth.size, 1), level), precisions, np.zeros(truth.size))


@pytest.mark.parametrize(
    ("ours", "biases", "offset", "expected"),
    [
        (0.0, 0.0, 0.3, None),
        (0.0, 1.0, 0.3, None),
        (0.4, 0.0, 0.3, 0),
        (0.4, 0.3, 0.1, 1),
        (0.4, 0.4, 0.1, 1),
    ],
)
def test_the_check_names_the_best_of_planted_models(ours, biases, offset, expected):
    rng, n_items = np.random.default_rng(0), 30
    users, items = np.nonzero(rng.random((2000, n_items)) < 0.5)
    truth = offset * rng.standard_normal(n_items)
    values = truth[items] + 0.2 * rng.standard_normal(2000)[users]
    values = np.clip(values + 0.4 * rng.standard_normal(users.size), -1, 1)
    ratings = Ratings(users, items, values, 2000, n_items)
    whole = scale.Scale(0.5, 0.0, 0.0, 2000.0, len(ratings))
    others = (planted(truth, biases), check.own_means(n_items, whole))
    sent, _ = check.statistic(ratings.by_user, planted(truth, ours), others, whole.typical)
    assert check.better(sent, 100.0) == expected
    assert check.better(sent, 1e4) is None  # what noise hides is no reason


def test_own_means_are_shrunk_by_two_ratings():
    whole = scale.Scale(0.7, 0.1, 0.0, 10.0, 20.0)
    model = check.own_means(1, whole)
    values, spread = np.array([0.9, 0.5, -0.2]), 1 / model.precisions[0]
    expected = (values.sum() + 2 * 0.1) / 5
    found = posterior_means(
        Ratings(np.zeros(3, int), np.arange(3), values, 1, 3).by_user,
        *(np.repeat(each, 3, axis=0) for each in model[:3]),
    )
    assert model.offsets[0] + model.factors[0, 0] * found[0, 0] == pytest.approx(expected)
    assert spread == pytest.approx(0.7**2)
