"""Sensitivities: never exceeded by neighbours, attained by the worst of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.methods.kernels.private import clip_rows
from dpmc.methods.private_statistics import Statistics
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc.privacy.sensitivity import Sensitivities, planned_releases
from dpmc.ratings import Compressed

N_USERS, N_ITEMS, RANK, K = 5, 7, 3, 3
B, GAMMA, BOUND = 1.5, 0.8, 0.6
QUERIES = ("gram", "right_hand_side", "residual", "sums", "counts", "total_sum", "total_count")


class Nothing:
    """No noise: queries as they are."""

    simulated = True

    def add(self, query, sensitivity):
        return query


KINDS = {"gaussian": 2, "laplace": 1, "huber": 1, "huber by l2": 2}
"""Noise, and the norm of its sensitivities."""


def bounds_of(relation, kind):
    most = K if relation in USER_LEVEL else None
    return Sensitivities(relation, kind.split()[0], B, GAMMA, most, norm=KINDS[kind])


def rows_of(cells):
    """Users' rows of {(user, item): value}."""
    users, items = (np.array([key[side] for key in sorted(cells)], int) for side in (0, 1))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(users, minlength=N_USERS))])
    return Compressed(indptr, items.astype(np.int32), np.array([cells[k] for k in sorted(cells)]))


def queries(bounds, cells, factors, theta, threshold):
    """All statistics of these ratings, exactly: name -> (query, stated sensitivity)."""
    ledger = Ledger(Nothing(), len(QUERIES), keep=True)
    statistics = Statistics(ledger, bounds, 1.0)
    rows = rows_of(cells)
    small = Compressed(rows.indptr, rows.indices, np.clip(rows.values, -BOUND, BOUND))
    statistics.gram(rows, factors, N_ITEMS)
    statistics.right_hand_side(small, factors, N_ITEMS, BOUND)
    statistics.residual(rows, factors, theta, threshold)
    statistics.sums(rows, N_ITEMS)
    statistics.counts(rows, N_ITEMS)
    statistics.total_sum(rows)
    statistics.total_count(rows)
    return {each.what: (each.query, each.sensitivity) for each in ledger.transcript}


def distances(relation, mechanism, pair, factors, theta, threshold):
    """Name -> distance of the statistics of two neighbours over the stated sensitivity."""
    bounds = bounds_of(relation, mechanism)
    here, there = (
        queries(bounds, cells, rows, theta, threshold)
        for cells, rows in zip(pair, factors, strict=True)
    )
    order = KINDS[mechanism]
    return {
        what: np.linalg.norm((here[what][0] - there[what][0]).ravel(), order) / sensitivity
        for what, (_, sensitivity) in here.items()
    }


def neighbours(relation, rng, extreme):
    """A data set and a neighbour, and the factors of the users that go with each of them."""

    def values(n):
        return rng.choice([-B, B], n) if extreme else rng.uniform(-B, B, n)

    def row(user):
        items = rng.choice(N_ITEMS, rng.integers(0, K + 1), replace=False)
        return {(user, int(i)): float(x) for i, x in zip(items, values(items.size), strict=True)}

    cells = {}
    for user in range(N_USERS):
        cells |= row(user)
    cells[0, 0] = float(values(1)[0])
    cells = {key: x for key, x in cells.items() if key[0] or key[1] < K}  # user 0 has at most K
    other = dict(cells)
    if relation == "entry_change":
        other[0, 0] = float(values(1)[0])
    elif relation == "entry_add_remove":
        del other[0, 0]
    else:
        other = {key: x for key, x in cells.items() if key[0]}
        if relation == "user_replace":
            other |= row(0)
    return cells, other


def random_factors(rng, mechanism, relation):
    """Clipped factors; a user who joins has others."""
    scale = rng.choice([0.1, 10])  # mostly not clipped, or all
    first = clip_rows(scale * rng.standard_normal((N_USERS, RANK)), GAMMA, KINDS[mechanism])
    second = first.copy()
    if relation == "user_replace":
        second[0] = clip_rows(rng.standard_normal((1, RANK)), GAMMA, KINDS[mechanism])
    return first, second


@pytest.mark.parametrize("mechanism", KINDS)
@pytest.mark.parametrize("relation", RELATIONS)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), extreme=st.booleans(), threshold=st.sampled_from([0.2, 1.0, 9]))
def test_random_neighbours_stay_within(relation, mechanism, seed, extreme, threshold):
    rng = np.random.default_rng(seed)
    pair = neighbours(relation, rng, extreme)
    factors = random_factors(rng, mechanism, relation)
    theta = rng.standard_normal((N_ITEMS, RANK))
    measured = distances(relation, mechanism, pair, factors, theta, threshold)
    assert max(measured.values()) <= 1 + 1e-12
    if relation == "entry_change":
        assert set(measured) == {"right_hand_side", "residual", "sums", "total_sum"}
    else:
        assert set(measured) == set(QUERIES)


def worst(relation):
    """For each statistic two neighbours as far apart as can be, with the users' factors."""
    first, second = np.zeros((2, N_USERS, RANK))
    first[0, 0] = second[0, 0] = GAMMA
    row = {(0, item): B for item in range(K)}
    flipped = dict.fromkeys(row, -B)
    if relation == "entry_change":
        return dict.fromkeys(QUERIES, ((row, row | {(0, 0): -B}), (first, second)))
    if relation == "entry_add_remove":
        fewer = {key: x for key, x in row.items() if key != (0, 0)}
        return dict.fromkeys(QUERIES, ((row, fewer), (first, second)))
    if relation == "user_add_remove":
        return dict.fromkeys(QUERIES, ((row, {}), (first, second)))
    elsewhere = {(0, item + K): B for item in range(K)}
    apart = dict.fromkeys(QUERIES, ((row, flipped), (first, second)))
    other = np.zeros_like(second)
    other[0, 1] = GAMMA  # orthogonal factors in the same blocks are as bad as other blocks
    apart["gram"] = ((row, row), (first, other))
    apart["counts"] = ((row, elsewhere), (first, second))
    apart["total_count"] = ((row, {}), (first, second))
    return apart


@pytest.mark.parametrize("threshold", [0.2, 1.0, 9.0])
@pytest.mark.parametrize("mechanism", KINDS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_worst_neighbours_attain_them(relation, mechanism, threshold):
    for what, (pair, factors) in worst(relation).items():
        theta = np.zeros((N_ITEMS, RANK))
        if threshold > B:  # residuals of B cannot reach it: let the fit be as far off as it takes
            theta[:, 0] = -(threshold - B) / GAMMA
        measured = distances(relation, mechanism, pair, factors, theta, threshold)
        if what == "residual" and relation == "user_replace" and threshold > B:
            continue  # one fit cannot be that far below one rating and above another
        if what in measured:
            assert measured[what] == pytest.approx(1, rel=1e-12), what


def test_numbers_of_releases():
    def n(relation, **settings):
        return planned_releases(relation, **settings)

    als = {"iterations": 5}
    assert [n(relation, **als) for relation in RELATIONS] == [10, 20, 10, 10]
    irls = {"iterations": 5, "inner_iterations": 3}
    assert [n(relation, **irls) for relation in RELATIONS] == [20, 30, 20, 20]
    for sides, expected in ((1, [1, 2, 2, 2]), (2, [2, 4, 2, 2])):
        found = [n(relation, iterations=0, offset_sides=sides) for relation in RELATIONS]
        assert found == expected
    with pytest.raises(InputError, match="no neighbouring relation 'user'"):
        n("user", **als)


# -- what the checks see ------------------------------------------------------------------------


def test_nothing_bounds_the_ratings_of_a_user():
    with pytest.raises(PrivacyViolation, match="nothing bounds"):
        Sensitivities("user_add_remove", "gaussian", B)


def test_clips_that_were_forgotten():
    bounds = bounds_of("user_add_remove", "gaussian")
    statistics = Statistics(Ledger(Nothing(), 99), bounds, 1.0)
    rows = rows_of({(0, item): B for item in range(K)})
    good = np.full((N_USERS, RANK), GAMMA / math.sqrt(RANK))
    long = good * 1.001
    large = Compressed(rows.indptr, rows.indices, rows.values * 1.001)
    many = rows_of({(0, item): B for item in range(K + 1)})
    theta = np.zeros((N_ITEMS, RANK))
    statistics.gram(rows, good, N_ITEMS)
    statistics.right_hand_side(rows, good, N_ITEMS, B)
    for message, calls in {
        "above the bound 0.8": [
            lambda: statistics.gram(rows, long, N_ITEMS),
            lambda: statistics.right_hand_side(rows, long, N_ITEMS, B),
            lambda: statistics.residual(rows, long, theta, 1.0),
        ],
        "beyond the bound": [
            lambda: statistics.right_hand_side(large, good, N_ITEMS, B),
            lambda: statistics.right_hand_side(rows, good, N_ITEMS, BOUND),
            lambda: statistics.residual(large, good, theta, 1.0),
            lambda: statistics.sums(large, N_ITEMS),
            lambda: statistics.total_sum(large),
        ],
        "a user has more ratings than 3": [
            lambda: statistics.gram(many, good, N_ITEMS),
            lambda: statistics.right_hand_side(many, good, N_ITEMS, B),
            lambda: statistics.residual(many, good, theta, 1.0),
            lambda: statistics.sums(many, N_ITEMS),
            lambda: statistics.counts(many, N_ITEMS),
            lambda: statistics.total_sum(many),
            lambda: statistics.total_count(many),
        ],
    }.items():
        for call in calls:
            with pytest.raises(PrivacyViolation, match=message):
                call()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_no_smaller_than_the_bound(bad):
    bounds = bounds_of("entry_change", "laplace")
    with pytest.raises(PrivacyViolation):
        bounds.check_factors(np.array([[bad, 0.0]]))
    with pytest.raises(PrivacyViolation):
        bounds.check_values(np.array([0.0, bad]))
