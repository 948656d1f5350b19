"""Which budgets must not be published: one policy, in numbers and in words."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import ParameterError
from dpmc.privacy.policy import (
    EXPECTED,
    MOST_EPSILON,
    TOO_LARGE_DELTA,
    condition,
    for_users,
    most_users,
    objections,
    remarks,
    tier,
)


@settings(deadline=None)
@given(
    st.floats(0, 1, exclude_max=True, allow_subnormal=True),
    st.integers(1, 10**12),
    st.floats(1e-9, 1e9),
)
def test_what_is_objected_to_is_what_is_said(delta, users, epsilon):
    """The number of users in words is the one that users are compared with."""
    found = objections(epsilon, delta, users)
    too_many = users > most_users(delta)
    assert len(found) == (epsilon > MOST_EPSILON) + (delta >= TOO_LARGE_DELTA) + too_many
    near = math.isclose(delta * users, EXPECTED, rel_tol=1e-12)
    assert near or too_many == (delta * users > EXPECTED)
    said = condition(delta)
    if most_users(delta) == math.inf:
        assert said == []
        assert "any number of users" in for_users(delta)
    elif most_users(delta) < 1:
        assert "too large for any number of users" in said[0]
    elif most_users(delta) < 1e15:
        assert said == [f"there are at most {most_users(delta)} users (0.1 / delta)"]
        assert f"at most {most_users(delta)} users" in for_users(delta)


@pytest.mark.parametrize(
    ("delta", "most"),
    [
        (1e-6, 10**5),
        (1e-5, 10**4),
        (1e-12, 10**11),
        (3e-7, 333_333),
        (0.01, 10),
        (0.1, 1),
        (0.11, 0),
        (1e-300, 1e299),
    ],
)
def test_the_number_of_users_is_a_tenth_over_delta(delta, most):
    """For 1e-6 it is 100,000 and not one less for rounding."""
    assert most_users(delta) == pytest.approx(most, rel=1e-15, abs=0)


def test_limits_take_the_place_of_ours_in_both_directions():
    assert objections(20.0, 0.00999) == []
    assert objections(20.1, 0.01) == [
        "epsilon 20.1 is above the limit of 20",
        "delta 0.01 is not below the limit of 0.01",
    ]
    assert objections(20.1, 0.01, max_epsilon=20.1, max_delta=0.01) == []
    assert objections(5.0, 1e-6, max_epsilon=4.999, max_delta=9e-7) == [
        "epsilon 5 is above the limit of 4.999",
        "delta 1e-06 is above the limit of 9e-07",
    ]
    # a limit that is hardly exceeded is not said to be the same number
    assert objections(20.000001, 0.0) == ["epsilon 20.000001 is above the limit of 20"]
    for limit in (0, -1.0, math.nan, math.inf):
        for name in ("max_epsilon", "max_delta"):
            with pytest.raises(ParameterError, match=f"{name} must be a number above 0"):
                objections(1.0, 1e-6, **{name: limit})


def test_what_is_weak_gets_a_remark_and_nothing_else_does():
    assert [tier(each) for each in (1, 1.001, 10, 10.001, math.inf)] == [
        "strong", "reasonable", "reasonable", "weak", "weak",
    ]  # fmt: skip
    assert remarks(10.0, 1e-6) == []
    (said,) = remarks(10.001, 1e-6)
    assert said.startswith("epsilon 10.001 is above 10, so the guarantee is called weak: what is")
    assert remarks(21.8, 0.5)[0].startswith("epsilon 21.8 at delta 1e-06 is above 10, so the")
    assert remarks(math.inf, 0.5) == [
        "no epsilon holds at delta 1e-06, so the guarantee is called weak"
    ]
