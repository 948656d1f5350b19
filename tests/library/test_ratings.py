"""Ratings: grouping against scipy.sparse, explicit zeros, selection, storage, every error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dpmc import ratings as module
from dpmc.errors import InputError
from dpmc.ratings import Compressed, Ratings, any_pair_repeats


@st.composite
def ratings(draw):
    n_users, n_items = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    pairs = draw(st.lists(st.integers(0, n_users * n_items - 1), unique=True, max_size=60))
    values = draw(st.lists(st.integers(-3, 3), min_size=len(pairs), max_size=len(pairs)))
    users, items = np.divmod(np.array(pairs, dtype=int), n_items)
    return Ratings(users, items, np.array(values, dtype=float), n_users, n_items)


def small(**changes):
    arguments = {
        "users": [2, 0, 2, 1],
        "items": [1, 0, 0, 1],
        "values": [0.0, 5.0, 3.5, 1.0],
        "n_users": 4,
        "n_items": 2,
        "name": "small",
        "rating_range": (0.0, 5.0),
        "user_labels": np.array(["a", "b", "c", "d"]),
        "item_labels": np.array([10, 20]),
    }
    return Ratings(**(arguments | changes))


def assert_equal(one, other):
    for attribute in ("users", "items", "values", "user_labels", "item_labels"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))
    for attribute in ("n_users", "n_items", "name", "rating_range"):
        assert getattr(one, attribute) == getattr(other, attribute)


@pytest.mark.parametrize("few", [0, module.FEW])
@settings(deadline=None, max_examples=100)
@given(data=ratings())
def test_grouping_equals_scipy(few, data):
    # scipy keeps explicit zeros, and so must we
    triplets = (data.values, (data.users, data.items))
    matrix = sparse.coo_array(triplets, shape=(data.n_users, data.n_items))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "FEW", few)
        grouped = (data.by_user, matrix.tocsr()), (data.by_item, matrix.tocsc())
    for ours, theirs in grouped:
        theirs.sort_indices()
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.values, theirs.data)


@settings(deadline=None, max_examples=50)
@given(ratings())
def test_row_operations_equal_those_of_the_matrix(data):
    rows, n_items = data.by_user, data.n_items
    seen = np.full((data.n_users, n_items), np.nan)
    seen[data.users, data.items] = data.values
    there = ~np.isnan(seen)
    assert rows.n_rows == data.n_users
    np.testing.assert_array_equal(rows.sizes, there.sum(axis=1))
    numbers = rows.per_rating(np.arange(data.n_users))
    np.testing.assert_array_equal(seen[numbers, rows.indices], rows.values)
    np.testing.assert_array_equal(rows.matrix(n_items).toarray(), np.where(there, seen, 0))
    squares = np.nansum(seen**2, axis=1)
    np.testing.assert_allclose(rows.squares(), squares)
    np.testing.assert_allclose(rows.norms(), np.sqrt(squares))
    means = np.nansum(seen, axis=1) / np.maximum(there.sum(axis=1), 1)
    np.testing.assert_allclose(rows.means(7.5), np.where(there.any(axis=1), means, 7.5))
    of_rows, of_columns = np.arange(data.n_users) / 3, np.arange(n_items) / 7
    left = (seen - of_columns) - of_rows[:, None]
    np.testing.assert_array_equal(rows.minus(rows=of_rows, columns=of_columns).values, left[there])
    np.testing.assert_array_equal(rows.clipped(-1, 2).values, np.clip(seen[there], -1, 2))
    positive = rows.keep(rows.values > 0).matrix(n_items).toarray()
    np.testing.assert_array_equal(positive, np.where(seen > 0, seen, 0))
    odd = np.arange(1, n_items, 2)
    np.testing.assert_array_equal(
        rows.columns(odd, n_items).matrix(odd.size).toarray(), np.where(there, seen, 0)[:, odd]
    )


@settings(deadline=None, max_examples=100)
@given(ratings())
def test_ratings_grouped_already_are_taken_as_they_are(data):
    again = Ratings.from_rows(data.by_user, data.n_items, name="again", rating_range=(-3, 3))
    assert (again.n_users, again.name, again.rating_range) == (data.n_users, "again", (-3, 3))
    assert again.items is data.by_user.indices
    assert again.by_user.values is again.values is data.by_user.values
    for ours, theirs in ((again.by_user, data.by_user), (again.by_item, data.by_item)):
        for attribute in ("indptr", "indices", "values"):
            one, other = getattr(ours, attribute), getattr(theirs, attribute)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_a_row_out_of_order_or_twice_is_no_matter_or_refused():
    rows = Compressed(np.array([0, 2]), np.array([1, 0], np.int32), np.array([1.0, 2.0]))
    assert Ratings.from_rows(rows, 2).by_user.indices.tolist() == [0, 1]
    twice = Compressed(rows.indptr, np.array([1, 1], np.int32), rows.values)
    with pytest.raises(InputError, match="more than once"):
        Ratings.from_rows(twice, 2)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_repeated_pairs_are_found(pairs):
    users, items = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    assert any_pair_repeats(users, items, 6) == (len(set(pairs)) < len(pairs))


def test_pairs_that_are_alike_modulo_2_to_the_32_do_not_repeat():
    users, items = np.array([[66_076, 0], [27_296, 0]], dtype=np.int32)
    assert not any_pair_repeats(users, items, 65_000)
    assert any_pair_repeats(np.append(users, 0), np.append(items, 0), 65_000)


@pytest.mark.parametrize(
    "index", [np.array([3, 0]), np.array([True, False, False, True]), slice(1, 3)]
)
def test_take_keeps_the_matrix(index):
    data = small()
    taken = data.take(index)
    np.testing.assert_array_equal(taken.users, data.users[index])
    np.testing.assert_array_equal(taken.values, data.values[index])
    assert (taken.n_users, taken.n_items, taken.name) == (4, 2, "small")
    assert taken.rating_range == (0.0, 5.0)
    assert taken.user_labels is data.user_labels


def test_save_and_load(tmp_path):
    path = tmp_path / "folder" / "small.npz"
    small().save(path)
    assert_equal(Ratings.load(path), small())
    bare = small(rating_range=None, user_labels=None, item_labels=None)
    bare.save(path)
    assert_equal(Ratings.load(path), bare)
    assert [each.name for each in path.parent.iterdir()] == ["small.npz"]


def test_empty_file_stands_for_data_not_available(tmp_path):
    path = tmp_path / "small.npz"
    path.touch()
    assert Ratings.load_if_available(path) is None
    small().save(path)
    assert_equal(Ratings.load_if_available(path), small())


def test_some_items_in_another_order():
    ratings = Ratings(
        [0, 1, 1, 2], [0, 0, 2, 1], [1.0, 2.0, 3.0, 4.0], 3, 3, "x", (1.0, 5.0),
        np.array(["a", "b", "c"]), np.array(["p", "q", "r"]),
    )  # fmt: skip
    taken = ratings.take_items(np.array([2, 0]))
    assert taken.item_labels.tolist() == ["r", "p"]
    assert (taken.n_users, taken.n_items, taken.rating_range) == (3, 2, (1.0, 5.0))
    triplets = zip(taken.users.tolist(), taken.items.tolist(), taken.values.tolist(), strict=True)
    assert list(triplets) == [(0, 1, 1.0), (1, 1, 2.0), (1, 0, 3.0)]
    assert ratings.take_items(np.array([], dtype=int)).n_items == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"users": [0, 1]}, "must be one-dimensional and of one length"),
        ({"items": [0, 1]}, "must be one-dimensional and of one length"),
        ({"values": [[1.0, 1.0, 1.0, 1.0]]}, "must be one-dimensional"),
        ({"users": [0, 1, 2, 4]}, "user indices must lie in 0..3, got 0..4"),
        ({"users": [0, 1, 2, -1]}, "user indices must lie in 0..3, got -1..2"),
        ({"items": [0, 1, 0, 2]}, "item indices must lie in 0..1, got 0..2"),
        ({"values": [1.0, np.nan, 1.0, 1.0]}, "rating number 2 is not a finite number"),
        ({"values": [1.0, 1.0, 1.0, np.inf]}, "rating number 4 is not a finite number"),
        ({"values": [1.0, 1.0, 5.5, 1.0]}, "rating number 3 is outside the stated range 0 to"),
        ({"values": [-0.1, 1.0, 5.0, 1.0]}, "rating number 1 is outside"),
        ({"users": [2, 0, 2, 2]}, "a (user, item) pair occurs more than once"),
    ],
)
def test_errors_are_one_sentence_that_starts_with_the_name(changes, message):
    with pytest.raises(InputError) as caught:
        small(**changes)
    assert str(caught.value).startswith("small: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
