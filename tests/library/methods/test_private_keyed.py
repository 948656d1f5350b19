"""Which ratings of a user count, for publication: a matter of that user's own label, and a key."""

import pickle
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc.methods.private_choice import Keyed
from dpmc.ratings import Compressed, Ratings

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
ITEMS = [f"item {number}" for number in range(10)]


def ratings_of(rated, items=ITEMS):
    """From user -> items that the user rated; users are numbered in the order of their labels."""
    users = sorted(rated)
    place = {item: number for number, item in enumerate(items)}
    pairs = [(row, place[item]) for row, user in enumerate(users) for item in sorted(rated[user])]
    rows, columns = np.array(pairs, int).reshape(-1, 2).T
    labels = {"user_labels": np.array(users, np.str_), "item_labels": np.array(items, np.str_)}
    values = np.arange(rows.size, dtype=float)
    return Ratings(rows, columns, values, len(users), len(items), **labels)


def keyed(ratings, key=KEY):
    return Keyed(ratings, key, np.random.default_rng(0))


def chosen(ratings, most=3, key=KEY):
    """Return user -> items that count."""
    rows = keyed(ratings, key).choose(ratings.by_user, most)
    found = {}
    for row, user in enumerate(ratings.user_labels.tolist()):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        found[user] = set(ratings.item_labels[rows.indices[own]].tolist())
    return found


def groups(ratings, number=5, key=KEY):
    found = keyed(ratings, key).groups(number, ratings.n_users)
    return dict(zip(ratings.user_labels.tolist(), found.tolist(), strict=True))


LABELS = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=8)
RATED = st.dictionaries(
    LABELS, st.sets(st.sampled_from(ITEMS), max_size=len(ITEMS)), min_size=1, max_size=8
)


@settings(deadline=None)
@given(rated=RATED, label=LABELS, own=st.sets(st.sampled_from(ITEMS)), most=st.integers(1, 6))
def test_one_more_user_changes_nobody_elses_choice_or_group(rated, label, own, most):
    more = rated | {label: own}
    without, joined = ratings_of(rated), ratings_of(more)
    before, after = chosen(without, most), chosen(joined, most)
    one, two = groups(without), groups(joined)
    for user in rated.keys() - {label}:
        assert before[user] == after[user]
        assert one[user] == two[user]
    for user, items in more.items():
        assert after[user] <= items
        assert len(after[user]) == min(most, len(items))


@settings(deadline=None)
@given(rated=RATED, most=st.integers(1, 6), seed=st.integers(0, 99))
def test_numbers_of_users_do_not_matter(rated, most, seed):
    ratings = ratings_of(rated)
    number = np.random.default_rng(seed).permutation(ratings.n_users)
    labels = np.empty_like(ratings.user_labels)
    labels[number] = ratings.user_labels
    renumbered = replace(ratings, users=number[ratings.users], user_labels=labels)
    assert chosen(renumbered, most) == chosen(ratings, most)
    assert groups(renumbered) == groups(ratings)


@settings(deadline=None)
@given(rated=RATED, most=st.integers(1, 6), seed=st.integers(0, 99), kept=st.integers(1, 10))
def test_columns_that_are_numbered_anew_are_the_same_items(rated, most, seed, kept):
    """As where frequent items alone have factors: by number of the item or by its label."""
    ratings = ratings_of(rated)
    columns = np.random.default_rng(seed).permutation(len(ITEMS))[:kept]
    taken = ratings.take_items(columns)
    expected = chosen(taken, most)
    for each in (ratings, replace(ratings, item_labels=None)):
        rows = keyed(each).choose(taken.by_user, most, columns)
        for row, user in enumerate(ratings.user_labels.tolist()):
            own = columns[rows.indices[rows.indptr[row] : rows.indptr[row + 1]]]
            if each is ratings:
                assert {ITEMS[item] for item in own} == expected[user]
            alone = own_choice(each, user, taken, row, columns, most)
            assert set(own.tolist()) == alone


def own_choice(ratings, user, taken, row, columns, most):
    """Return what counts of one user's items, in a matrix of that user alone and all columns."""
    rows = taken.by_user
    items = np.sort(columns[rows.indices[rows.indptr[row] : rows.indptr[row + 1]]])
    alone = Compressed(np.array([0, items.size]), items.astype(np.int32), np.zeros(items.size))
    labels = {"user_labels": np.array([user]), "item_labels": ratings.item_labels}
    single = Ratings(np.zeros(items.size), items, alone.values, 1, len(ITEMS), **labels)
    return set(keyed(single).choose(alone, most).indices.tolist())


def test_values_do_not_matter_and_stay_with_their_items():
    ratings = ratings_of({f"user {number}": ITEMS for number in range(9)})
    rows = keyed(ratings).choose(ratings.by_user, 4)
    assert np.diff(rows.indptr).tolist() == [4] * 9
    assert (rows.values == 10 * np.repeat(np.arange(9), 4) + rows.indices).all()
    assert chosen(replace(ratings, values=-(ratings.values**2))) == chosen(ratings)
    whole = keyed(ratings).choose(ratings.by_user, 10)
    assert (whole.values == ratings.by_user.values).all()


def test_the_choice_depends_on_the_key_and_is_repeatable():
    ratings = ratings_of({f"user {number}": ITEMS for number in range(50)})
    assert chosen(ratings) == chosen(ratings)
    assert groups(ratings) == groups(ratings)
    # of 120 sets each, and 5 groups: two keys agree on about 0.4 and 10 of 50 users
    one, two = chosen(ratings), chosen(ratings, key=OTHER)
    assert sum(one[user] == two[user] for user in one) < 5
    one, two = groups(ratings), groups(ratings, key=OTHER)
    assert sum(one[user] == two[user] for user in one) < 25
    fresh = [Keyed.fresh(ratings).choose(ratings.by_user, 3).indices.tolist() for _ in range(2)]
    assert fresh[0] != fresh[1]  # equal once in 120^50 runs


def hashes(ratings):
    rows = ratings.by_user
    return keyed(ratings)._hashes(b"choice", 0, rows, np.arange(rows.n_rows), None)


@pytest.mark.parametrize("size", [0, 1, 100, 119, 120, 121, 128, 247, 248, 249, 1000])
def test_hashes_are_those_of_hashlib(size):
    """Texts that end before, at and after the end of a block of 128 octets, with the length."""
    items = ["", "1", "ü", "\ud800", "x" * 127, "y" * 128, "z" * 400]
    ratings = ratings_of({"a" * size: items, "é" + "b" * size: items}, items)
    expected = []
    for user in ratings.user_labels.tolist():
        for item in items:
            label = user.encode("utf-8", "surrogatepass")
            text = len(label).to_bytes(8) + label + item.encode("utf-8", "surrogatepass")
            one = blake2b(text, key=KEY, person=b"choice", digest_size=8)
            expected.append(int.from_bytes(one.digest(), "little"))
    assert hashes(ratings).tolist() == expected


@pytest.mark.parametrize("key", [KEY, OTHER, b"0" * 16])
def test_choices_and_groups_are_uniform(key):
    """Each of these tests fails with a chance of 1e-6, were the keys not fixed."""
    users = 6000
    ratings = ratings_of({f"u{number}": ITEMS for number in range(users)})
    first = keyed(ratings, key).choose(ratings.by_user, 1).indices
    assert stats.chisquare(np.bincount(first, minlength=10)).pvalue > 1e-6
    # of a user and the next one: every pair of items as often as every other
    pairs = np.bincount(first[::2] * 10 + first[1::2], minlength=100)
    assert stats.chisquare(pairs).pvalue > 1e-6
    # two of ten: every set as often as every other
    two = keyed(ratings, key).choose(ratings.by_user, 2).indices.reshape(-1, 2)
    sets = np.bincount(np.sort(two, axis=1) @ [10, 1], minlength=100)
    assert stats.chisquare(sets[sets > 0]).pvalue > 1e-6
    assert (sets > 0).sum() == 45
    group = keyed(ratings, key).groups(7, users)
    assert stats.chisquare(np.bincount(group, minlength=7)).pvalue > 1e-6
    # groups have nothing to do with what is chosen
    table = np.bincount(group * 10 + first, minlength=70).reshape(7, 10)
    assert stats.chi2_contingency(table).pvalue > 1e-6


def test_what_is_sent_elsewhere_chooses_alike_and_cannot_draw_a_start():
    ratings = ratings_of({f"user {number}": ITEMS for number in range(9)})
    own = keyed(ratings)
    for made in (own, own.choices(3), own.parts(0.3)):
        assert b"numpy.random" not in pickle.dumps(made)
    assert pickle.loads(pickle.dumps(own)).rng is None
    rows = pickle.loads(pickle.dumps(own.choices(3)))(0, ratings.by_user)
    assert rows.indices.tolist() == own.choose(ratings.by_user, 3).indices.tolist()
    assert own.rng is not None  # the process that fits still has it


def test_users_need_labels():
    nameless = Ratings([0], [0], [1.0], 1, 1)
    for make in (lambda: keyed(nameless), lambda: Keyed.fresh(nameless)):
        with pytest.raises(InputError, match="For publication ratings need user_labels: which"):
            make()


def test_a_part_is_of_about_its_share_and_of_nobody_elses_making():
    """5,000 ratings: a share of .3 is off by .03, 4.6 deviations, once in 10^5."""
    n_users, n_items = 100, 50
    users, items = np.divmod(np.arange(n_users * n_items), n_items)
    labels = np.array([f"u{k}" for k in range(n_users)], dtype=object)
    ratings = Ratings(users, items, np.ones(users.size), n_users, n_items, user_labels=labels)
    keyed = Keyed(ratings, b"0123456789abcdef", np.random.default_rng(0))
    part = keyed.parts(0.3)(0, ratings.by_user)
    assert abs(part.mean() - 0.3) < 0.03
    last = ratings.take(users == n_users - 1)
    alone = Ratings(
        np.zeros(n_items, int), last.items, last.values, 1, n_items, user_labels=labels[-1:]
    )
    own = Keyed(alone, b"0123456789abcdef", np.random.default_rng(1)).parts(0.3)(0, alone.by_user)
    np.testing.assert_array_equal(own, part[users == n_users - 1])
    # whoever is chosen first is not held out more often
    first = keyed.choose(ratings.by_user, 10)
    chosen = np.zeros((n_users, n_items), dtype=bool)
    chosen[np.repeat(np.arange(n_users), 10), first.indices] = True
    assert abs(part.reshape(n_users, n_items)[chosen].mean() - 0.3) < 0.065
