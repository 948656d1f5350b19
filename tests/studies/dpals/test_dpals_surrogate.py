"""Generated ratings: the format of the real files, and the popularity that is published."""

import zipfile

import numpy as np
import pytest

from dpmc.datasets.surrogate import FORMS, generate, surrogate
from dpmc.studies.dpals.experiments.coverage import gini

SETTINGS = {"seed": 4, "name": "surrogate-small", "scale": 0.02}


@pytest.fixture(scope="module")
def tenth():
    """A tenth of the users and items of MovieLens 10M."""
    return generate(np.random.default_rng(5), FORMS["ml-10m"], 0.1)


@pytest.mark.parametrize("like", ["ml-10m", "ml-20m"])
def test_the_reader_of_the_real_file_reads_it(tmp_path, like):
    ratings = surrogate(SETTINGS | {"like": like}, tmp_path)
    form = FORMS[like]
    assert ratings.name == "surrogate-small"
    assert (ratings.n_users, ratings.n_items) == (
        round(0.02 * form.users),
        round(0.02 * form.items),
    )
    assert ratings.rating_range == (0.5, 5.0)
    rows = generate(np.random.default_rng(4), form, 0.02)
    np.testing.assert_array_equal(ratings.by_user.indices, rows.indices)
    np.testing.assert_array_equal(ratings.by_user.values, rows.values)


def test_lines_have_the_form_of_the_file(tmp_path):
    surrogate(SETTINGS | {"like": "ml-10m"}, tmp_path)
    with zipfile.ZipFile(tmp_path / "surrogate-small.zip") as archive:
        lines = archive.read("ml-10M100K/ratings.dat").decode().splitlines()
    fields = [line.split("::") for line in lines]
    assert {len(each) for each in fields} == {4}
    stars = {each[2] for each in fields}
    assert stars == {"0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5"}


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
    expected = FORMS["ml-10m"].ratings * 0.1**1.5
    assert tenth.indices.size == pytest.approx(expected, rel=0.06)
    sizes = np.diff(tenth.indptr)
    assert np.median(sizes) < 0.6 * sizes.mean()  # a long tail of heavy users


def test_ratings_are_half_stars_with_the_stated_spread(tenth):
    assert set(np.unique(2 * tenth.values)) == set(range(1, 11))
    assert tenth.values.mean() == pytest.approx(3.5, abs=0.15)
    assert tenth.values.std() == pytest.approx(1.05, abs=0.06)
