"""Local Bayes, what it releases: against brute force, and how far one user can move it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpmc.methods.user_level.covariance import pack, unpack
from dpmc.methods.user_level.local_bayes import check, directions, offsets, refinement, scale
from dpmc.methods.user_level.local_bayes.beliefs import LEVEL, OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    COUNTED,
    GRAM_BOUND,
    MEAN_PRIOR_SD,
    OWN_MEANS,
    SHORTEST,
    SPREAD_UNIT,
)
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.users import (
    Model,
    left_out_errors,
    posterior_means,
    updates,
)
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


def wider(popularity):
    """Return by how much more than the usual the offsets of items differ, rare ones more."""
    logs = np.log(popularity)
    return np.exp(np.clip(0.3 * (popularity @ logs - logs), -1.5, 1.5))


def drawn_items(seed, rank, n_items=N_ITEMS):
    rng = np.random.default_rng(seed + 1)
    return (
        0.3 * rng.standard_normal(n_items),
        0.5 * rng.standard_normal((n_items, rank)),
        rng.uniform(0.5, 3, n_items),
    )


# more factors than one vector of the kernels has, and more ratings than are added up in one go
SHAPES = {"n_items": st.sampled_from([N_ITEMS, 150]), "rank": st.integers(1, 4) | st.just(11)}


def brute_posterior(items, values, b, v, p):
    matrix = np.eye(v.shape[1]) + (v[items] * p[items, None]).T @ v[items]
    return np.linalg.solve(matrix, v[items].T @ (p[items] * (values - b[items])))


@given(seed=st.integers(0, 10**6), **SHAPES)
@settings(max_examples=25, deadline=None)
def test_posterior_means_are_weighted_ridge_regressions(seed, n_items, rank):
    rows, (b, v, p) = drawn_rows(seed, n_items=n_items), drawn_items(seed, rank, n_items)
    found = posterior_means(rows, b, v, p)
    for user in range(rows.indptr.size - 1):
        own = slice(rows.indptr[user], rows.indptr[user + 1])
        expected = brute_posterior(rows.indices[own], rows.values[own], b, v, p)
        np.testing.assert_allclose(found[user], expected, rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 10**6), **SHAPES)
@settings(max_examples=25, deadline=None)
def test_updates_leave_each_rating_out_by_fitting_again(seed, n_items, rank):
    rows, (b, v, p) = drawn_rows(seed, n_items=n_items), drawn_items(seed, rank, n_items)
    columns = np.linspace(1, 0.3, 1 + rank)
    leverages = np.random.default_rng(seed).uniform(0, 0.9, n_items)
    totals, gram, spreads, largest = updates(
        rows, Model(b, v, p, leverages), spread=0.5, columns=columns, counted=0.4, unshortened=2.0,
        unit=0.01, gram_bound=0.02, spread_unit=0.2,
    )  # fmt: skip
    expected, matrix, excesses = np.zeros_like(totals), np.zeros((1 + rank, 1 + rank)), 0.0
    lengths = []
    for user in range(rows.indptr.size - 1):
        own = np.arange(rows.indptr[user], rows.indptr[user + 1])
        items, values = rows.indices[own], rows.values[own]
        if not own.size:
            continue
        sent, mine, chi = [], 0, 0.0
        for k, item in enumerate(items):
            rest = np.delete(np.arange(own.size), k)
            f = brute_posterior(items[rest], values[rest], b, v, p)
            others = v[items[rest]]
            precision = np.eye(rank) + (others * p[items[rest], None]).T @ others
            weight = 1 / (1 / p[item] + v[item] @ np.linalg.solve(precision, v[item]))
            left = values[k] - b[item] - v[item] @ f
            one = columns * np.concatenate([[1], f])
            sent.append(np.append(left * weight * one, 0.4 * weight))
            mine = mine + weight * np.outer(one, one)
            chi += left**2 * weight
        shrink = 1 / max(np.linalg.norm(sent), 2.0)
        np.add.at(expected, items, np.array(sent) * shrink)
        mine = mine * shrink * 0.01
        mine /= max(1, np.linalg.norm(mine) / 0.02)
        matrix += mine
        fresh = np.sum(np.maximum(1 - 2 * leverages[items] * 0.25 * p[items], 1e-3))
        excess = 0.2 * min(1, fresh / 5) * min((chi / fresh - 1) / 3, 1)
        excesses += excess
        lengths.append(np.sqrt(np.sum(np.square(sent)) * shrink**2 + np.sum(mine**2) + excess**2))
    np.testing.assert_allclose(totals, expected, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(np.tril(gram), np.tril(matrix), rtol=1e-8, atol=1e-12)
    assert spreads == pytest.approx(excesses, rel=1e-8, abs=1e-12)
    assert largest == pytest.approx(max(lengths, default=0), rel=1e-8)


@given(seed=st.integers(0, 10**6), **SHAPES)
@settings(max_examples=15, deadline=None)
def test_errors_are_of_ratings_predicted_without_themselves(seed, n_items, rank):
    """And without what items have learnt from them: a user's rating moved them by its leverage."""
    rows, (b, v, p) = drawn_rows(seed, n_items=n_items), drawn_items(seed, rank, n_items)
    leverages = np.random.default_rng(seed).uniform(0, 0.9, n_items)
    chosen = np.random.default_rng(seed + 2).random(n_items) < 0.7
    found, numbers = left_out_errors(rows, Model(b, v, p, leverages), chosen)
    for user in range(rows.indptr.size - 1):
        own = slice(rows.indptr[user], rows.indptr[user + 1])
        items, values = rows.indices[own], rows.values[own]
        left = [
            (values[k] - b[i] - v[i] @ brute_posterior(*rest, b, v, p)) / (1 - leverages[i])
            for k, i in enumerate(items)
            if chosen[i]
            for rest in [(np.delete(items, k), np.delete(values, k))]
        ]
        assert numbers[user] == len(left)
        expected = np.mean(np.square(left)) if left else 0
        assert found[user] == pytest.approx(expected, rel=1e-9)


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
    ("statistic", "least"),
    [
        (_scale, 0.99),
        (_offsets, 0.99),
        (_directions, 0.99),
        (_updates, 0.95),
        (_counted, 0.95),
        (_check, 0.99),
    ],
)
def test_some_user_moves_each_statistic_by_nearly_its_norm(statistic, least):
    # who rated all as differently as can be
    n = 9 if statistic is not _scale else scale.RATING_COUNT_CAP
    values = np.where(np.arange(n) % 2, 1.0, -1.0) + (1e-3 if statistic is _updates else 0)
    if statistic is _scale:
        values = np.array([1.0] * n)  # the mean at the end of the range
    if statistic is _check:
        values = 0.1 * np.random.default_rng(4).standard_normal(n)  # as the other model says
    rows = Ratings(np.zeros(n, int), np.arange(n), values, 1, n).by_user
    sent, norm, _ = statistic(rows)
    assert np.linalg.norm(sent) >= least * norm


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


@pytest.mark.parametrize(("noise", "expected", "within"), [(1e-6, 0.15, 0.01), (1e6, 0.21, 1e-3)])
def test_the_level_of_users_is_read_or_the_usual_where_noise_hides_it(noise, expected, within):
    """The usual is .2, and a little more for the tail towards larger ones."""
    rng = np.random.default_rng(6)
    n_users, n_items = 4000, 30
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.5)
    values = 0.15 * rng.standard_normal(n_users)[users] + 0.4 * rng.standard_normal(users.size)
    rows = Ratings(users, items, values, n_users, n_items).by_user
    whole = scale.Scale(0.4, 0.0, 0.0, n_users, users.size)
    noised, _ = offsets.statistic(rows, n_items, whole)
    _, beliefs = offsets.read(noised, noise, whole)
    assert beliefs.level == pytest.approx(expected, abs=within)
    np.testing.assert_allclose(beliefs.prior_mean[:, LEVEL], beliefs.level)


@pytest.mark.parametrize("level", [0.1, 0.5, 1.0, 3.0, 10.0])
def test_levels_are_told_by_the_mean_of_their_squares_cut_off_at_1(level):
    """Within 2 %: nearly without noise the grid of what they may be is what is seen."""
    whole = scale.Scale(0.3, 0.0, 0.0, 1e5, 1e6)
    ends = [-1 / level, 1 / level]
    mean, _ = integrate.quad(
        lambda z: min((level * z) ** 2, 1) * stats.norm.pdf(z), -12, 12, points=ends, limit=200
    )
    noised = offsets.LEVEL_UNIT * whole.users * mean
    assert offsets.level_of(noised, 1.0, whole) == pytest.approx(level, rel=0.02)


def test_a_mean_that_is_not_known_makes_levels_less_alike_than_they_seem():
    """Hidden by noise, a level is what users differ by, and by how much the mean may be off."""
    known, unknown = (scale.Scale(0.3, 0.0, off, 10.0, 100.0) for off in (0.0, 0.09))
    expected = (1 + 1 / OWN_MEANS**2) ** 0.5
    found = offsets.level_of(0.0, 1e6, unknown) / offsets.level_of(0.0, 1e6, known)
    assert found == pytest.approx(expected, rel=0.03)


@given(seed=st.integers(0, 10**6), variance=st.sampled_from([0.0, 0.01, 1.0]))
@settings(max_examples=20, deadline=None)
def test_each_rating_is_taken_without_the_level_that_the_others_tell(seed, variance):
    """The posterior mean of a level, for a prior as wide as levels differ and the mean is off."""
    rows = drawn_rows(seed)
    whole = WHOLE._replace(mean_variance=variance, typical=1.0)  # nobody's row is shortened
    part = OWN_MEANS**2 + variance
    sums, _ = offsets.statistic(rows, N_ITEMS, whole)
    expected = np.zeros(N_ITEMS)
    for user in range(rows.indptr.size - 1):
        own = slice(rows.indptr[user], rows.indptr[user + 1])
        items, values = rows.indices[own], rows.values[own] - whole.mean
        for k, item in enumerate(items):
            others = np.delete(values, k)
            expected[item] += values[k] - others.sum() / (1 / part + others.size)
    expected /= SHORTEST * np.sqrt(1 + COUNTED**2)
    np.testing.assert_allclose(sums[:N_ITEMS], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noise", [1.0, 3.35, 9.0])
def test_users_who_give_all_items_the_same_do_not_hide_how_far_ratings_of_others_are_apart(noise):
    """18 of 48: all of 300 draws are within a factor of 2; taken for all users it would be 20."""
    rng, others = np.random.default_rng(0), np.arange(1, scale.BINS)
    place = scale.BINS - 0.5 + 2 * np.log2(0.35)
    sums = np.concatenate([[18.0], 30 * stats.norm.pdf(others, place, 0.8), [33.6, 48.0, 10.0]])
    draws = [
        scale.read(sums + noise * rng.standard_normal(sums.size), noise, 1.0) for _ in range(300)
    ]
    assert all(0.35 / 2 < each.typical < 2 * 0.35 for each in draws)


def test_where_all_users_give_all_items_the_same_their_ratings_are_not_apart():
    sums = np.concatenate([[500.0], np.zeros(scale.BINS - 1), [100.0, 500.0, 100.0]])
    assert scale.read(sums, 2.0, 1.0).typical < 0.01


@pytest.mark.parametrize("noise", [1.0, 10.0, 30.0])
def test_intervals_are_the_wider_the_less_is_known_of_the_size_and_predictions_are_the_same(noise):
    rng = np.random.default_rng(0)
    place = scale.BINS - 0.5 + 2 * np.log2(0.35)
    histogram = 50 * stats.norm.pdf(np.arange(scale.BINS), place, 0.8)
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


@pytest.mark.parametrize("noise", [3.0, 30.0, 100.0])
def test_the_mean_is_off_by_as_much_as_is_said(noise):
    """Of 4,000 draws from its prior: the mean square is within 5 deviations, or .11.

    The number of users has noise, too: users who are hardly more than it are no case for a ratio.
    """
    rng = np.random.default_rng(9)
    users, half = 1000.0, 2.5
    sums = np.zeros(scale.BINS + 3)
    sums[-2:] = users, 10.0
    ratios = []
    for _ in range(4000):
        mean = MEAN_PRIOR_SD * half * np.clip(rng.standard_normal(), -2, 2)
        sums[-3] = users * mean / half + noise * rng.standard_normal()
        sums[-2] = users + noise * rng.standard_normal()
        whole = scale.read(sums, noise, half)
        ratios.append((whole.mean - mean) ** 2 / whole.mean_variance)
    cut = integrate.quad(lambda z: np.clip(z, -2, 2) ** 2 * stats.norm.pdf(z), -9, 9)[0]
    part = 1 / (1 + (users * MEAN_PRIOR_SD / noise) ** 2)  # of the error that is the prior's
    assert np.mean(ratios) == pytest.approx(1 + part * (cut - 1), abs=0.11)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_spread_of_users_with_few_normal_ratings_has_hardly_a_bias(n):
    """A user's part of it is off by less than .009, where one with a single rating is cut.

    A mean of logarithms would be off by .08 or more; the standard error is at most .001.
    """
    n_users, spread = 40_000, 0.5
    values = spread * np.random.default_rng(n).standard_normal(n_users * n)
    users, items = np.repeat(np.arange(n_users), n), np.tile(np.arange(n), n_users)
    model = Model(np.zeros(n), np.full((n, 1), 1e-9), np.full(n, spread**-2), np.zeros(n))
    _, _, spreads, _ = updates(
        Ratings(users, items, values, n_users, n).by_user, model, spread=spread,
        columns=np.ones(2), counted=0.1, unshortened=4.0, unit=0.01, gram_bound=0.2,
        spread_unit=SPREAD_UNIT,
    )  # fmt: skip
    assert abs(spreads / (SPREAD_UNIT * n_users)) < 0.009


def test_the_scale_is_read_without_noise():
    rng = np.random.default_rng(0)
    n_users, n_items = 3000, 40
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.5)
    values = (
        0.2 + 0.1 * rng.standard_normal(n_users)[users] + 0.25 * rng.standard_normal(users.size)
    )
    rows = Ratings(users, items, np.clip(values, -1, 1), n_users, n_items).by_user
    whole = scale.read(scale.statistic(rows, 1.0)[0], 1.0, 1.0)
    assert whole.typical == pytest.approx(0.25, rel=0.15)
    assert whole.mean == pytest.approx(0.2, abs=0.01)
    assert whole.users == pytest.approx(n_users, rel=0.01)
    assert whole.ratings == pytest.approx(users.size, rel=0.01)


def planted(seed, noise, rank=3, size=60, n_users=4000):
    """Return a noised covariance of users with planted factors, and the factors."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal((size, rank)) * np.array([0.7, 0.5, 0.4])[:rank]
    x = rng.standard_normal((n_users, rank)) @ v.T + rng.standard_normal((n_users, size))
    users, items = np.nonzero(rng.random((n_users, size)) < 0.5)
    rows = Ratings(users, items, x[users, items], n_users, size).by_user
    typical = np.sqrt(1 + np.sum(v**2) / size)
    whole = scale.Scale(typical, 0.0, 0.0, n_users, users.size)
    triangle, _ = directions.statistic(rows, np.arange(size), size, typical)
    return triangle + noise * rng.standard_normal(triangle.size), whole, v


def test_planted_directions_are_found_with_their_size():
    noised, whole, v = planted(1, noise=2.0)
    shares = np.full(60, 1 / 60)
    factors, precisions = directions.read(noised, 2.0, np.arange(60), shares, whole)
    assert factors.shape == (60, 3)
    # the same products of factors, whatever the rotation: within what the precisions say
    difference = factors @ factors.T - v @ v.T
    assert np.linalg.norm(difference) < 0.35 * np.linalg.norm(v @ v.T)
    assert (precisions > 0).all()


@pytest.mark.parametrize(
    ("size", "noise", "n_users"), [(60, 500.0, 10), (200, 500.0, 10), (60, 5.0, 4000)]
)
def test_noise_alone_gives_about_one_direction_whatever_its_size(size, noise, n_users):
    """.8 by the semicircle and EDGE_WIDTH; the bounds are 3.5 deviations of a mean of 60 draws."""
    rng = np.random.default_rng(0)
    shares = np.arange(size, 2 * size) / np.sum(np.arange(size, 2 * size))
    found = []
    for _ in range(60):
        users, items = np.nonzero(rng.random((n_users, size)) < 20 * shares)
        rows = Ratings(users, items, rng.standard_normal(users.size), n_users, size).by_user
        whole = scale.Scale(1.0, 0.0, 0.0, n_users, users.size)
        triangle, _ = directions.statistic(rows, np.arange(size), size, whole.typical)
        noised = triangle + noise * rng.standard_normal(triangle.size)
        found.append(directions.read(noised, noise, np.arange(size), shares, whole)[0].shape[1])
    assert 0.4 < np.mean(found) < 1.2


def test_no_items_are_worth_it_under_large_noise_and_many_under_small():
    shares = np.full(100, 0.01)
    whole = scale.Scale(1.0, 0.0, 0.0, 1000.0, 30000.0)
    assert directions.items_worth_it(shares, 1e4, whole, 0.1).size == 0
    assert directions.items_worth_it(shares, 1.0, whole, 0.1).size == 100


def test_a_strong_direction_of_few_users_is_looked_for_with_a_small_part_of_the_budget():
    """100 users who all rate 500 items: at little noise all of it is used, at much nothing is."""
    shares, whole = np.full(500, 0.002), scale.Scale(0.9, 0.0, 0.0, 100.0, 50_000.0)
    for noise, part, least in ((1 / 3, 1, 0), (0.6, 1 / 16, 0.25), (1.8, 1 / 8, 0.25), (9.0, 0, 0)):
        items, found, believed = directions.asked_for(shares, noise, whole, 0.1, 0.1)
        assert (found, believed) == (part, least)
        assert (items.size > 0) == (part > 0)
    # where next to nothing is unknown of offsets, all of the budget is not missed
    assert directions.asked_for(shares, 0.6, whole, 0.1, 0.01)[1:] == (1.0, 0.0)
    assert directions.asked_for(shares, 1.8, whole, 0.1, 0.5)[1] < 0.1 / 0.5 * 1.01


def test_as_many_items_are_taken_as_tell_most_of_where_users_stand():
    """Of M items alike the ratio of signal and edge is (M/m)^.5 for m, and m (1 - m/M) the aim."""
    shares, noise = np.full(1000, 1e-3), 10.0
    whole = scale.Scale(0.7, 0.0, 0.0, 1e3, 1e6)
    as_many_as_possible = (0.4 * 1000 / (np.sqrt(2) * noise)) ** 2
    assert directions.items_worth_it(shares, noise, whole, 0.4).size == pytest.approx(
        as_many_as_possible / 2, rel=0.08
    )


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_the_posterior_of_one_observation_is_the_mean_weighted_by_precision(seed):
    rng = np.random.default_rng(seed)
    beliefs = Beliefs(1.0, 0.5, np.full(50, 0.02))
    observed, precision = rng.standard_normal(50), rng.uniform(1, 9, 50)
    beliefs.precision[:, 0, 0] = precision
    beliefs.score[:, 0] = precision * observed
    beliefs.learn()
    prior = 1 / beliefs.prior_variance[0]
    expected = (precision * observed + prior * beliefs.prior_mean[:, 0]) / (precision + prior)
    np.testing.assert_allclose(beliefs.mean[:, 0], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(beliefs.variance[:, 0], 1 / (precision + prior), rtol=1e-9)


@given(seed=st.integers(0, 10**6), rank=st.integers(0, 4))
@settings(max_examples=30, deadline=None)
def test_the_posterior_of_parameters_that_were_observed_together(seed, rank):
    rng = np.random.default_rng(seed)
    popularity = rng.dirichlet(np.full(30, 0.5)) + 1e-4
    popularity /= popularity.sum()
    beliefs = Beliefs(1.0, 0.5, popularity, rank)
    half = rng.standard_normal((30, 2 + rank, 2 + rank))
    precision = half @ half.transpose(0, 2, 1)
    observed = rng.standard_normal((30, 2 + rank))
    beliefs.precision[:] = precision
    beliefs.score[:] = (precision @ observed[..., None])[..., 0]
    beliefs.learn()
    deviations = np.tile(beliefs.prior_variance**0.5, (30, 1))
    deviations[:, OFFSET] *= wider(popularity) ** 0.5
    both = deviations[:, :, None] * deviations[:, None]
    prior = np.linalg.inv(beliefs.prior_correlation * both)
    whole = precision + prior
    score = beliefs.score + np.matvec(prior, beliefs.prior_mean)
    expected = np.linalg.solve(whole, score[..., None])[..., 0]
    variance = np.diagonal(np.linalg.inv(whole), axis1=1, axis2=2)
    np.testing.assert_allclose(beliefs.mean, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(beliefs.variance, variance, rtol=1e-8)


def test_the_prior_is_learnt():
    """Offsets on a line in the logarithm of popularity, with the usual deviation .4 around it."""
    rng = np.random.default_rng(2)
    popularity = rng.lognormal(0, 1, 4000)
    popularity /= popularity.sum()
    log = np.log(popularity) - np.log(popularity).mean()
    truth = 0.3 + 0.2 * log + 0.4 * np.sqrt(wider(popularity)) * rng.standard_normal(4000)
    precision = rng.uniform(1, 30, 4000)
    beliefs = Beliefs(1.0, 0.5, popularity)
    beliefs.precision[:, 0, 0] = precision
    beliefs.score[:, 0] = precision * (truth + precision**-0.5 * rng.standard_normal(4000))
    for _ in range(3):
        beliefs.learn()
    assert np.sqrt(beliefs.prior_variance[0]) == pytest.approx(0.4, abs=0.03)
    slope, level = np.polyfit(log, beliefs.prior_mean[:, 0], 1)
    assert slope == pytest.approx(0.2, abs=0.03)
    assert level == pytest.approx(0.3, abs=0.03)


def test_lines_and_correlations_of_all_parameters_are_learnt():
    """And what is seen of one parameter tells of another: what was not seen of the first items."""
    rng = np.random.default_rng(6)
    n, slopes, deviations = 3000, np.array([0.2, 0.1, -0.3]), np.array([0.4, 0.2, 0.5])
    popularity = np.exp(rng.uniform(-1, 1, n))
    popularity /= popularity.sum()
    log = np.log(popularity) - np.log(popularity).mean()
    correlation = np.array([[1, 0.5, -0.7], [0.5, 1, 0], [-0.7, 0, 1]])
    drawn = rng.multivariate_normal(np.zeros(3), correlation, n) * deviations
    drawn[:, OFFSET] *= np.sqrt(wider(popularity))
    truth = np.array([0.3, 0.5, 0.2]) + log[:, None] * slopes + drawn
    seen = np.full(n, 50.0)
    seen[:500] = 0
    observed = truth[:, 2:] + 50**-0.5 * rng.standard_normal((n, 1))
    beliefs = Beliefs(1.0, 0.5, popularity)
    for place in (OFFSET, LEVEL):
        beliefs.precision[:, place, place] = 50
        beliefs.score[:, place] = 50 * (truth[:, place] + 50**-0.5 * rng.standard_normal(n))
    beliefs.learn()
    beliefs = beliefs.with_factors(observed, seen[:, None])
    for _ in range(3):
        beliefs.learn()
    assert beliefs.prior_correlation == pytest.approx(correlation, abs=0.08)
    assert np.sqrt(beliefs.prior_variance) == pytest.approx(deviations, abs=0.03)
    fitted = np.polyfit(log, beliefs.prior_mean, 1)[0]
    assert fitted == pytest.approx(slopes, abs=0.05)
    # var(v | offset, level) = .25 (1 - .7^2 - ...) of .25 in the limit of what is seen
    left = np.mean((beliefs.mean[:500, 2] - truth[:500, 2]) ** 2)
    assert left == pytest.approx(beliefs.variance[:500, 2].mean(), rel=0.2)
    assert left < 0.7 * deviations[2] ** 2


def test_the_mean_share_in_the_level_follows_many_faint_observations_at_once():
    """Of 2,000 items, each seen with the tenfold deviation of the prior: .05 in all."""
    rng = np.random.default_rng(5)
    beliefs = Beliefs(1.0, 0.5, np.full(2000, 1 / 2000))
    precision = 0.01 / beliefs.prior_variance[LEVEL]
    beliefs.precision[:, LEVEL, LEVEL] = precision
    beliefs.score[:, LEVEL] = precision * (0.1 + rng.standard_normal(2000) * precision**-0.5)
    beliefs.learn()
    start = 1 / 0.25**2  # deviation LEVELS_WITHIN of the level
    seen = 1 / (1 / precision + beliefs.prior_variance[LEVEL]) * 2000
    observed = np.mean(beliefs.score[:, LEVEL]) / precision
    expected = (seen * observed + start * 0.5) / (seen + start)
    assert beliefs.prior_mean[0, LEVEL] == pytest.approx(expected, abs=2e-3)
    assert np.ptp(beliefs.prior_mean[:, LEVEL]) == 0


def test_columns_weigh_as_much_as_there_is_left_to_learn_of_them():
    shares = np.array([0.7, 0.3])
    beliefs = Beliefs(1.0, 0.5, shares, 1)
    beliefs.variance[:] = [[0.09, 1e-8, 0.16], [0.09, 1e-8, 0.16]]
    whole = scale.Scale(1.0, 0.0, 0.0, 10.0, 20.0)
    popularity = popularity_of(shares)
    step = refinement.Step.of(0.5, beliefs, popularity, whole)
    np.testing.assert_allclose(step.columns, [0.75, refinement.LEAST_WEIGHT, 1.0])
    # hardly any noise of ratings is left
    clean = refinement.Step.of(0.2, beliefs, popularity, whole)
    np.testing.assert_array_equal(clean.columns, 1)


def test_an_old_observation_that_the_new_one_contradicts_counts_less():
    rng = np.random.default_rng(3)
    truth, n = 0.5 * rng.standard_normal(500), 500

    def after(drift):
        beliefs = Beliefs(1.0, 0.5, np.full(n, 1 / n))
        beliefs.precision[:, LEVEL, LEVEL] = 100
        beliefs.score[:, LEVEL] = 100 * (truth + drift * rng.standard_normal(n))
        beliefs.precision[:, 0, 0] = 1e-3
        beliefs.learn()
        precision = np.tile(np.diag([1e-3, 100.0]), (n, 1, 1))
        observed = np.stack([np.zeros(n), truth + 0.1 * rng.standard_normal(n)], axis=1)
        beliefs.observe(observed, precision, beliefs.sampling)
        return beliefs.precision[:, LEVEL, LEVEL].mean()

    assert after(0.1) > 180
    assert 100 < after(0.5) < 115


def test_the_noise_of_ratings_is_counted_once():
    """However often the same ratings are seen, their own noise is there, and privacy's falls."""
    n = 200
    beliefs = Beliefs(1.0, 0.5, np.full(n, 1 / n))
    observed = np.tile([0.4, 0.5], (n, 1)) + 0.05 * np.random.default_rng(5).standard_normal((n, 2))
    precision, sampling = (np.tile(np.diag([each, each]), (n, 1, 1)) for each in (300.0, 100.0))
    for times in (1, 2, 3):
        beliefs.observe(observed, precision, sampling)
        beliefs.learn()
        together = 1 / (1 / 100 + 1 / (300 * times))
        expected = 1 / (1 / beliefs.prior_variance + together)
        np.testing.assert_allclose(beliefs.variance, np.tile(expected, (n, 1)), rtol=1e-6)
        np.testing.assert_allclose(beliefs.own, 300 * times / (300 * times + 100), rtol=1e-6)


def test_the_line_of_the_prior_is_flat_below_what_is_known():
    """Offsets fall with popularity where they are seen; of what is rarer there is no telling."""
    n = 400
    popularity = np.geomspace(1, 1e-8, n)
    popularity /= popularity.sum()
    places = np.log(popularity) - np.log(popularity[0])
    beliefs = Beliefs(1.0, 0.5, popularity)
    precision = np.where(np.arange(n) < 100, 400.0, 1e-9)
    beliefs.precision[:, OFFSET, OFFSET] = precision
    beliefs.score[:, OFFSET] = precision * 0.2 * places
    for _ in range(2):
        beliefs.learn()
    line = beliefs.prior_mean[:, OFFSET]
    assert np.ptp(line[100:]) == 0
    np.testing.assert_allclose(line[:90] - line[0], 0.2 * places[:90], atol=0.05)


def test_a_step_points_from_the_beliefs_to_the_truth():
    """Without noise one step moves offsets that are off by .3 most of the way."""
    rng = np.random.default_rng(4)
    n_users, n_items = 3000, 30
    truth = 0.3 * rng.standard_normal(n_items)
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.5)
    values = truth[items] + 0.2 * rng.standard_normal(n_users)[users]
    values += 0.4 * rng.standard_normal(users.size)
    rows = Ratings(users, items, values, n_users, n_items).by_user
    shares = np.full(n_items, 1 / n_items)
    whole = scale.Scale(0.5, 0.0, 0.0, n_users, users.size)
    beliefs, popularity = Beliefs(0.5, 0.2, shares), popularity_of(shares)
    before = np.abs(beliefs.mean[:, 0] - truth).mean()
    spread = 0.5
    for _ in range(3):
        step = refinement.Step.of(spread, beliefs, popularity, whole)
        sent, _ = refinement.statistic(rows, beliefs, popularity, whole, step)
        spread, _ = refinement.read(sent, 1e-6, beliefs, popularity, whole, step, 1.0)
    assert np.abs(beliefs.mean[:, 0] - truth).mean() < 0.1 * before
    assert spread == pytest.approx(0.4, rel=0.1)


def test_a_step_leads_to_the_same_whatever_columns_weigh():
    """Without noise, and but for how much rows are shortened; a step could be off by half."""
    rng = np.random.default_rng(7)
    n_users, n_items = 3000, 30
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.5)
    values = 0.3 * rng.standard_normal(n_items)[items] + 0.2 * rng.standard_normal(n_users)[users]
    values += 0.4 * rng.standard_normal(users.size)
    rows = Ratings(users, items, values, n_users, n_items).by_user
    shares = np.full(n_items, 1 / n_items)
    popularity = popularity_of(shares)
    whole = scale.Scale(0.5, 0.0, 0.0, n_users, users.size)
    found = []
    for columns in ([1.0, 1.0], [0.5, 1.0], [1.0, 0.5]):
        beliefs = Beliefs(0.5, 0.2, shares)
        step = refinement.Step.of(0.5, beliefs, popularity, whole)
        step = step._replace(columns=np.array(columns))
        sent, _ = refinement.statistic(rows, beliefs, popularity, whole, step)
        refinement.read(sent, 1e-6, beliefs, popularity, whole, step, 1.0)
        found.append(beliefs.mean)
    moved = np.abs(found[0][:, 0]).mean()
    for other in found[1:]:
        assert np.abs(other - found[0])[:, 0].mean() < 0.1 * moved


def test_norms_are_those_of_the_release():
    assert pytest.approx(np.sqrt(1 + GRAM_BOUND**2 + SPREAD_UNIT**2)) == refinement.NORM
    triangle = np.array([[1.0, 2.0], [2.0, 3.0]])
    assert np.linalg.norm(pack(triangle)) == pytest.approx(np.linalg.norm(triangle))
