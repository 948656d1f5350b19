"""Drawn matrices of the experiments at user level, and the parts and splits of real ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.datasets.drawn import synthetic
from dpmc_studies.datasets.parts import (
    rescale,
    restrict,
    select,
    split_ratings,
    split_users,
)

LAW = {"users": 900, "items": 200, "rank": 5, "share": 0.3, "test_entries": 20_000}


def drawn(seed=0, **changes):
    return synthetic(np.random.default_rng(seed), **(LAW | changes))


def small(seed=0, users=30, items=12, share=0.6):
    """Ratings of which each value tells its place."""
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(rng.random((users, items)) < share)
    order = rng.permutation(rows.size)
    rows, columns = rows[order], columns[order]
    values = 1 + (rows * items + columns) % 9 / 2
    return Ratings(
        rows,
        columns,
        values,
        users,
        items,
        "small",
        (1, 5),
        np.arange(users) + 100,
        np.arange(items),
    )


def test_entries_have_deviation_one_and_the_rank():
    split = drawn()
    # both are means of squares over tens of thousands of entries of one matrix
    assert np.sqrt(np.mean(split.training.values**2)) == pytest.approx(1, abs=0.03)
    assert np.sqrt(np.mean(split.test.values**2)) == pytest.approx(1, abs=0.03)
    ratings = drawn(users=300, items=12, share=0.9, test_entries=100).training
    whole = np.diff(ratings.by_user.indptr) == 12
    rows = ratings.values[np.repeat(whole, np.diff(ratings.by_user.indptr))]
    values = np.linalg.svd(rows.reshape(-1, 12), compute_uv=False)
    assert whole.sum() > 40
    assert np.count_nonzero(values > 1e-5 * values[0]) == 5


def test_observed_fraction_and_fresh_test_entries():
    split = drawn()
    size = 900 * 200
    # binomial: 5 standard deviations, once in a million
    assert abs(len(split.training) - 0.3 * size) < 5 * np.sqrt(size * 0.3 * 0.7)
    trained = split.training.users * 200 + split.training.items
    tested = split.test.users * 200 + split.test.items
    assert np.unique(tested).size == tested.size == LAW["test_entries"]
    assert not np.isin(tested, trained).any()
    # every hidden entry as likely: rows hold as many of those tested as of those hidden
    hidden = 200 - np.bincount(split.training.users, minlength=900)
    expected = LAW["test_entries"] * hidden / hidden.sum()
    deviation = (np.bincount(split.test.users, minlength=900) - expected) / np.sqrt(expected)
    assert np.mean(deviation**2) < 1.25


def test_places_are_those_that_plain_numpy_finds(monkeypatch):
    monkeypatch.setattr("dpmc_studies.datasets.drawn.BLOCK", 5 * 13)  # 5 rows at a time, and 2
    law = {"users": 42, "items": 13, "rank": 1, "share": 0.4, "test_entries": 150}
    split = synthetic(np.random.default_rng(7), **law)
    rng = np.random.default_rng(7)
    rng.standard_normal(42), rng.standard_normal(13)  # of the factors
    observed = rng.random((42, 13), dtype=np.float32) < 0.4
    np.testing.assert_array_equal(split.training.by_user.matrix(13).toarray() != 0, observed)
    hidden = 42 * 13 - np.count_nonzero(observed)
    fresh = []
    while len(fresh) < 150:
        for entry in rng.integers(42 * 13, size=2 * 150 * 42 * 13 // hidden).tolist():
            if not observed.flat[entry] and entry not in fresh:
                fresh.append(entry)
    assert (split.test.users * 13 + split.test.items).tolist() == fresh[:150]


def test_noise_is_on_what_is_observed_alone():
    given = {"users": 400, "items": 300, "rank": 3, "share": 0.2, "test_entries": 1000}
    clean, noisy = (
        synthetic(np.random.default_rng(5), **given, noise=noise) for noise in (0.0, 0.5)
    )
    assert (noisy.test.values == clean.test.values).all()
    errors = noisy.training.values - clean.training.values
    assert errors.std() == pytest.approx(0.5, rel=0.03)
    assert abs(np.corrcoef(errors, clean.training.values)[0, 1]) < 0.03
    assert (noisy.training.values == np.float32(noisy.training.values)).all()


def test_rank_one_of_unit_max_norm():
    split = drawn(rank=1, max_norm=True, test_entries=60_000)
    values = np.concatenate([split.training.values, split.test.values])
    assert 0.3 < np.abs(values).max() <= 1


@pytest.mark.parametrize(
    "changes",
    [{"rank": 0}, {"rank": 201}, {"share": 0.0}, {"share": 1.0}, {"test_entries": 0},
     {"test_entries": 100_000}],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(changes):
    with pytest.raises(InputError):
        drawn(**changes)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 50), st.floats(0.1, 0.9), st.floats(0.02, 0.5))
def test_a_split_takes_each_rating_once(seed, training_share, test_share):
    ratings = small(seed)
    test_share = min(test_share, 1 - training_share)
    parts = [
        split_ratings(np.random.default_rng(seed), ratings, training_share, test_share, part=part)
        for part in ("test", "validation")[: 2 if training_share + test_share < 0.98 else 1]
    ]
    pieces = [parts[0].training, *(each.test for each in parts)]
    keys = np.concatenate([piece.users * 12 + piece.items for piece in pieces])
    assert np.unique(keys).size == keys.size
    assert len(parts[0].training) == round(training_share * len(ratings))
    if len(parts) == 2:
        assert keys.size == len(ratings)
        np.testing.assert_array_equal(parts[0].training.values, parts[1].training.values)


def test_a_split_without_validation_says_so():
    with pytest.raises(InputError, match="validation"):
        split_ratings(np.random.default_rng(0), small(), 0.8, 0.2, part="validation")


def test_restriction_numbers_anew_and_keeps_labels():
    ratings, users, items = small(), np.array([3, 7, 20]), np.array([1, 2, 11])
    part = restrict(ratings, users=users, items=items)
    assert (part.n_users, part.n_items) == (3, 3)
    np.testing.assert_array_equal(part.user_labels, [103, 107, 120])
    whole = {
        (u, i): v for u, i, v in zip(ratings.users, ratings.items, ratings.values, strict=True)
    }
    found = {
        (users[u], items[i]): v for u, i, v in zip(part.users, part.items, part.values, strict=True)
    }
    assert found == {key: v for key, v in whole.items() if key[0] in users and key[1] in items}


def test_selection_of_users_items_and_range():
    ratings = small()
    first = select(np.random.default_rng(0), ratings, {"users": 10, "rescale": [0, 5]})
    assert first.n_users == 10
    np.testing.assert_array_equal(first.user_labels, np.arange(100, 110))
    assert first.rating_range == (0, 5)
    inside = ratings.users < 10
    np.testing.assert_allclose(first.values, (ratings.values[inside] - 1) * 1.25)
    share = select(np.random.default_rng(0), ratings, {"users_share": 0.2, "top_items": 5})
    assert (share.n_users, share.n_items) == (6, 5)
    other = select(np.random.default_rng(1), ratings, {"users_share": 0.2})
    assert not np.array_equal(share.user_labels, other.user_labels)
    assert select(np.random.default_rng(0), ratings, {}) is ratings


@settings(deadline=None)
@given(st.floats(-100, 100), st.floats(0.1, 200))
def test_rescaled_ratings_stay_in_their_range(low, width):
    scaled = rescale(small(), (low, low + width))
    assert scaled.values.min() >= low
    assert scaled.values.max() <= low + width


def test_splits_by_users_follow_liang():
    ratings = small(users=60, items=40)
    splits = [
        split_users(np.random.default_rng(2), ratings, 8, part=part)
        for part in ("test", "validation")
    ]
    trained = set(splits[0].training.user_labels)
    held_out = [set(split.test.user_labels) for split in splits]
    assert [len(each) for each in held_out] == [8, 8]
    assert not (trained & held_out[0])
    assert not (trained & held_out[1])
    assert not (held_out[0] & held_out[1])
    split = splits[0]
    assert (split.training.values == 1).all()
    liked = {
        (ratings.user_labels[u], ratings.item_labels[i])
        for u, i, v in zip(ratings.users, ratings.items, ratings.values, strict=True)
        if v >= 4
    }
    for part in (split.training, split.known, split.test):
        pairs = zip(part.user_labels[part.users], part.item_labels[part.items], strict=True)
        assert liked.issuperset(pairs)
    assert np.bincount(split.training.users).min() >= 5
    known, tested = (np.bincount(each.users, minlength=8) for each in (split.known, split.test))
    np.testing.assert_array_equal(tested, (known + tested) // 5)
    pairs = [set(zip(each.users, each.items, strict=True)) for each in (split.known, split.test)]
    assert not pairs[0] & pairs[1]
    with pytest.raises(InputError, match="held out leave none"):
        split_users(np.random.default_rng(2), ratings, 40)
