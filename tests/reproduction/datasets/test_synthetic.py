"""The synthetic matrices: their law, their observed entries, and that files keep them."""

import numpy as np
import pytest
from scipy import stats

from dpmc.datasets.synthetic import generate, load_instances, save_instances
from dpmc.errors import InputError

SIZE = {"users": 40, "items": 70, "rank": 3, "observed_fraction": 0.2}


def make(seed=0, **change):
    return generate(np.random.default_rng(seed), **SIZE | change)


def test_factors_are_uniform_and_scale_multiplies_the_matrix():
    # one fixed seed; a right generator fails at a share of 1e-4 of the seeds
    instance = make(users=2000, items=3000)
    for factors in (instance.user_factors, instance.item_factors):
        assert stats.kstest(factors.ravel(), "uniform").pvalue > 5e-5
    doubled = make(users=2000, items=3000, scale=2.0)
    np.testing.assert_allclose(doubled.matrix()[:9], 2 * instance.matrix()[:9], rtol=1e-14)
    np.testing.assert_allclose(doubled.observed.values, 2 * instance.observed.values, rtol=1e-14)


def test_observed_entries_are_those_of_the_matrix():
    instance = make(scale=1.3)
    observed = instance.observed
    assert instance.matrix().shape == (observed.n_users, observed.n_items) == (40, 70)
    assert np.linalg.matrix_rank(instance.matrix()) == 3
    expected = instance.matrix()[observed.users, observed.items]
    np.testing.assert_allclose(observed.values, expected, rtol=1e-14)


def test_an_entry_is_observed_or_not():
    instance = make()
    hidden = instance.unobserved()
    assert hidden.shape == instance.matrix().shape
    assert 0 < hidden.sum() == hidden.size - len(instance.observed)
    assert not hidden[instance.observed.users, instance.observed.items].any()


def test_each_entry_is_observed_with_the_stated_probability():
    # one fixed seed; counts beyond their 1e-5 and 1 - 1e-5 quantiles would be 2 seeds in 1e5
    for fraction in (0.05, 0.5):
        seen = len(make(users=300, items=400, observed_fraction=fraction).observed)
        low, high = stats.binom.ppf([1e-5, 1 - 1e-5], 120_000, fraction)
        assert low <= seen <= high
    assert len(make(observed_fraction=1.0).observed) == 40 * 70


def test_a_larger_fraction_of_one_stream_observes_a_superset():
    few, many = (make(seed=1, observed_fraction=f).observed for f in (0.1, 0.3))
    pairs = [set(zip(r.users.tolist(), r.items.tolist(), strict=True)) for r in (few, many)]
    assert pairs[0] < pairs[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"users": 0}, "users must be at least 1, got 0"),
        ({"items": -1}, "items must be at least 1, got -1"),
        ({"rank": 0}, "rank must be at least 1, got 0"),
        ({"observed_fraction": 0.0}, "observed_fraction must be above 0 and at most 1, got 0"),
        ({"observed_fraction": 1.5}, "observed_fraction must be above 0 and at most 1, got 1.5"),
        ({"scale": -1.0}, "scale must be a positive number, got -1"),
        ({"scale": np.inf}, "scale must be a positive number, got inf"),
    ],
)
def test_bad_parameters_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        make(**change)


def test_files_keep_instances(tmp_path):
    made = [make(seed) for seed in (2, 3)]
    save_instances(tmp_path / "data.npz", made)
    stored = load_instances(tmp_path / "data.npz")
    assert len(stored) == 2
    for one, other in zip(made, stored, strict=True):
        np.testing.assert_array_equal(one.user_factors, other.user_factors)
        np.testing.assert_array_equal(one.item_factors, other.item_factors)
        for name in ("users", "items", "values"):
            np.testing.assert_array_equal(
                getattr(one.observed, name), getattr(other.observed, name)
            )
