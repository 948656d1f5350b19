"""Generated ratings: shape, popularity, activity and stars as their module states them."""

import numpy as np
import pytest

from dpmc_studies.datasets.popular import MOVIELENS_10M, generate, popular
from dpmc_studies.studies.dpals.experiments.coverage import gini


@pytest.fixture(scope="module")
def tenth():
    """A tenth of the users and items of MovieLens 10M."""
    return generate(np.random.default_rng(5), MOVIELENS_10M, 0.1)


def test_ratings_have_the_range_and_the_items_of_their_scale():
    ratings = popular(4, 0.02)
    assert (ratings.n_users, ratings.n_items) == (1398, 214)
    assert ratings.rating_range == (0.5, 5.0)
    rows = generate(np.random.default_rng(4), MOVIELENS_10M, 0.02)
    np.testing.assert_array_equal(ratings.by_user.indices, rows.indices)


def test_every_item_has_a_rating_and_no_pair_comes_twice(tenth):
    counts = np.bincount(tenth.indices)
    assert counts.size == 1068
    assert counts.min() >= 1
    user = np.repeat(np.arange(tenth.indptr.size - 1), np.diff(tenth.indptr))
    assert np.unique(user * 1068 + tenth.indices).size == tenth.indices.size
    assert np.diff(tenth.indptr).min() >= 1


def test_popularity_and_activity_are_as_stated(tenth):
    counts = np.sort(np.bincount(tenth.indices))[::-1]
    assert counts[: counts.size // 5].sum() > 0.75 * counts.sum()
    assert gini(counts) > 0.6
    expected = MOVIELENS_10M.ratings * 0.1**1.5
    assert tenth.indices.size == pytest.approx(expected, rel=0.06)
    sizes = np.diff(tenth.indptr)
    assert np.median(sizes) < 0.6 * sizes.mean()  # a long tail of heavy users


def test_ratings_are_half_stars_with_the_stated_spread(tenth):
    assert set(np.unique(2 * tenth.values)) == set(range(1, 11))
    assert tenth.values.mean() == pytest.approx(3.5, abs=0.15)
    assert tenth.values.std() == pytest.approx(1.05, abs=0.06)
