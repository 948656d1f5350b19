"""One-bit data: the law and the order of draws of instances, thresholds, splits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.signs import binarise
from dpmc_studies.studies.onebit.instances import first_split, instance

GAUSSIAN, LOGISTIC = link_of("gaussian"), link_of("logistic")


def ratings_of(values):
    values = np.asarray(values, dtype=float)
    index = np.arange(values.size)
    return Ratings(index, index, values, values.size, values.size, "small", (0, 9))


def test_the_instance_has_the_law_of_the_paper_in_its_order_of_draws():
    # the definition, written out
    rng = np.random.default_rng(0)
    first, second = rng.uniform(-0.5, 0.5, (100, 1)), rng.uniform(-0.5, 0.5, (100, 1))
    product = first @ second.T
    product /= np.abs(product).max()
    entries = np.sort(rng.permutation(10_000)[:1500])
    uniform = rng.random(1500)
    for link in (GAUSSIAN, LOGISTIC):
        matrix, signs = instance(np.random.default_rng(0), 100, 100, 1, 0.15, link, 1.0)
        np.testing.assert_allclose(matrix, product, rtol=1e-13)
        assert np.array_equal(signs.users * 100 + signs.items, entries)
        expected = np.where(uniform < link.cdf(product.ravel()[entries]), 1.0, -1.0)
        assert np.array_equal(signs.values, expected)
    assert np.linalg.norm(matrix) == pytest.approx(37.5313, abs=1e-3)


def test_alpha_is_the_largest_absolute_entry_and_rank_the_rank():
    # seed 3: the largest absolute entry is negative, which the paper's law would let exceed alpha
    matrix, signs = instance(np.random.default_rng(3), 30, 20, 2, 0.5, LOGISTIC, 2.5)
    assert -matrix.min() == pytest.approx(2.5)
    assert matrix.max() < 2.4
    assert np.linalg.matrix_rank(matrix) == 2
    assert (len(signs), signs.n_users, signs.n_items) == (300, 30, 20)


def test_links_share_entries_and_uniform_numbers():
    (one, gaussian), (other, logistic) = (
        instance(np.random.default_rng(1), 50, 40, 1, 0.3, link, 1.0)
        for link in (GAUSSIAN, LOGISTIC)
    )
    assert np.array_equal(one, other)
    assert np.array_equal(gaussian.users, logistic.users)
    assert np.array_equal(gaussian.items, logistic.items)
    # the Gaussian link is further from 1/2: where signs differ, it has that of M
    differ = gaussian.values != logistic.values
    truth = np.sign(one[gaussian.users, gaussian.items])
    assert 0 < differ.sum() < 100
    assert np.array_equal(gaussian.values[differ], truth[differ])


def by_entry(signs):
    entries = zip(signs.users.tolist(), signs.items.tolist(), strict=True)
    return dict(zip(entries, signs.values.tolist(), strict=True))


def test_a_smaller_share_is_part_of_what_is_drawn():
    def drawn(share, of=None):
        return instance(np.random.default_rng(1), 50, 40, 1, share, LOGISTIC, 1.0, of)

    whole, all_signs = drawn(0.8)
    values = by_entry(all_signs)
    kept = set()
    for share in (0.1, 0.3, 0.8):
        matrix, signs = drawn(share, 0.8)
        assert np.array_equal(matrix, whole)
        assert len(signs) == round(share * 2000)
        found = by_entry(signs)
        assert set(found) == set(by_entry(drawn(share)[1]))  # as if no more had been drawn
        assert list(found) == sorted(found)
        assert kept <= set(found)
        assert found.items() <= values.items()
        kept = set(found)
    with pytest.raises(InputError, match="cannot be kept"):
        drawn(0.5, 0.3)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"share": 0.0001}, "share"),
        ({"share": float("nan")}, "share"),
    ],
)
def test_an_impossible_instance_is_refused(change, word):
    sizes = {"users": 10, "items": 10, "rank": 1, "share": 0.5, "link": LOGISTIC, "alpha": 1.0}
    with pytest.raises(InputError, match=word):
        instance(np.random.default_rng(0), **(sizes | change))


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=30),
    st.one_of(st.just("mean"), st.floats(-1, 10)),
)
def test_signs_are_those_of_rating_minus_threshold(values, threshold):
    ratings = ratings_of(values)
    signs = binarise(ratings, threshold)
    bound = sum(values) / len(values) if threshold == "mean" else threshold
    assert signs.values.tolist() == [1.0 if value > bound else -1.0 for value in values]
    assert np.array_equal(signs.users, ratings.users)
    assert np.array_equal(signs.items, ratings.items)
    assert (signs.name, signs.n_users, signs.rating_range) == ("small", len(values), (-1, 1))


@pytest.mark.parametrize("threshold", ["median", float("nan"), float("inf")])
def test_another_threshold_is_refused(threshold):
    with pytest.raises(InputError, match="threshold"):
        binarise(ratings_of([1, 2]), threshold)
    with pytest.raises(InputError, match="no ratings"):
        binarise(ratings_of([]), "mean")


def test_the_first_ratings_are_for_testing():
    training, test = first_split(ratings_of([3, 1, 4, 1, 5]), 2)
    assert test.values.tolist() == [3, 1]
    assert training.values.tolist() == [4, 1, 5]
    for size in (0, 5, 6):
        with pytest.raises(InputError, match="test ratings"):
            first_split(ratings_of([3, 1, 4, 1, 5]), size)
