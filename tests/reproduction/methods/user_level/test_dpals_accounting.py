"""The noise of theorem 1 and what it is worth."""

import math

import pytest

from dpmc.errors import InputError
from dpmc_studies.methods.user_level.plan import published_sigma
from dpmc_studies.studies.dpals.experiments.accounting import (
    ACCOUNTING_COLUMNS,
    accounting_rows,
    epsilon_at,
    exact_sigma,
)

DELTA = 1e-5
POINTS = [(1, 50, 2), (5, 50, 3), (20, 100, 4)]


def test_the_exact_sigma_at_published_settings():
    found = [exact_sigma(epsilon, DELTA, k, steps) for epsilon, k, steps in POINTS]
    assert found == pytest.approx([52.76, 15.45, 8.204], rel=2e-4)
    assert exact_sigma(1, 8e-6, 100, 3) == pytest.approx(92.60, rel=2e-4)


def test_the_published_sigma_does_not_keep_to_its_epsilon():
    rows = list(accounting_rows(POINTS, DELTA))
    assert all(tuple(row) == ACCOUNTING_COLUMNS for row in rows)
    assert [row["epsilon_at_published"] for row in rows] == pytest.approx(
        [1.060, 5.575, 20.89], abs=5e-3
    )
    assert all(row["published_sigma"] < row["exact_sigma"] for row in rows)
    assert [row["mu"] for row in rows] == pytest.approx([0.2681, 1.1212, 3.4478], abs=5e-5)


def test_it_is_a_factor_root_two_short():
    """With one statistic and not two, the published sigma would keep to its epsilon."""
    for epsilon, k, steps in POINTS:
        sigma = published_sigma(epsilon, DELTA, k, steps)
        assert epsilon_at(sigma * math.sqrt(2), DELTA, k, steps) < epsilon


@pytest.mark.parametrize("budget", [(0, DELTA), (-1, DELTA), (1, 0), (1, 1)])
def test_budgets_that_are_none(budget):
    with pytest.raises(InputError, match="needs epsilon above 0 and delta between 0 and 1"):
        published_sigma(*budget, 50, 2)
