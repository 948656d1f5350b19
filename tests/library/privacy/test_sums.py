"""Sums of whole numbers: truncated, exact, in any order, and never beyond 64 bits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.methods.kernels.private import residual_sums
from dpmc.privacy import sums
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.sums import MOST_USERS, Sums, step_of
from dpmc.ratings import Compressed

BOUNDS = st.floats(1e-30, 1e30, allow_subnormal=False)
SHARES = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


@given(bound=BOUNDS)
@settings(deadline=None)
def test_steps_are_powers_of_two_of_which_a_bound_has_up_to_2_to_the_53(bound):
    step = step_of(bound)
    assert math.frexp(step)[0] == 0.5
    assert 2**52 * Fraction(step) < Fraction(bound) <= 2**53 * Fraction(step)


@pytest.mark.parametrize("bound", [0.0, -1.0, math.inf, math.nan, 1e-300, 1e300])
def test_what_bounds_nothing_is_refused(bound):
    with pytest.raises(PrivacyViolation, match="cannot be bounded by"):
        Sums(1, bound)


@given(bound=BOUNDS, shares=SHARES)
@settings(max_examples=200, deadline=None)
def test_sums_are_those_of_fractions_truncated_towards_zero(bound, shares):
    values = np.array(shares) * bound
    made = Sums(2, bound)
    made.add(1, made.whole(values))
    step = Fraction(made.step)
    expected = [math.trunc(Fraction(value) / step) for value in values.tolist()]
    assert made.exact() == [0, sum(expected)]
    assert all(abs(k) * step <= abs(Fraction(v)) for k, v in zip(expected, values, strict=True))
    off = abs(sum(map(Fraction, values.tolist())) - sum(expected) * step)
    assert off < len(shares) * Fraction(bound) / 2**52
    exact = sum(expected) * step
    assert abs(Fraction(float(made.floats()[1])) - exact) <= abs(exact) / 2**52


@given(data=st.data(), bound=BOUNDS, shares=SHARES)
@settings(max_examples=50, deadline=None)
def test_any_order_and_any_blocks_give_the_same_bits(data, bound, shares):
    values = np.array(data.draw(st.permutations(shares))) * bound
    whole, cut = Sums(1, bound), data.draw(st.integers(0, values.size))
    whole.add(0, whole.whole(np.array(shares) * bound))
    blocks = []
    for some in (values[:cut], values[cut:]):
        block = whole.empty()
        block.add_at(np.zeros(some.size, int), block.whole(some))
        blocks.append(block)
    together = whole.empty()
    for block in reversed(blocks):
        together.include(block)
    assert together.exact() == whole.exact()
    assert together.floats().tobytes() == whole.floats().tobytes()


@given(shares=SHARES)
@settings(max_examples=50, deadline=None)
def test_who_leaves_takes_the_own_number_along_and_nothing_else(shares):
    whole = Sums(1, 1.0)
    numbers = whole.whole(np.array(shares))
    whole.add(0, numbers)
    without = whole.empty()
    without.add(0, numbers[1:])
    assert whole.exact()[0] - without.exact()[0] == numbers[0]


@pytest.mark.parametrize("k", [2**53, -(2**53), 2**53 + 2**24, -1, 1, -(2**26), 2**26 - 1])
def test_so_many_users_of_the_largest_numbers_leave_room(k):
    """All send the same, so that both parts of their sum are those of one times their number."""
    one = Sums(1, 1.0)
    sums.put(one.parts, 0, k)
    high, low = (int(part) * MOST_USERS for part in one.parts[0])
    assert -(2**59) <= high <= 2**59
    assert 0 <= low < 2**57
    one.parts[0] = high, low
    assert one.exact() == [k * MOST_USERS]
    exact = Fraction(k * MOST_USERS) * Fraction(one.step)
    assert abs(Fraction(float(one.floats()[0])) - exact) <= abs(exact) / 2**52


def test_the_cost_of_truncation_is_below_a_millionth_of_the_noise_for_any_number_of_users():
    for bound in (1.0, 0.51, 0.5, 3e7):
        noise = bound / 2  # Delta / (mu sqrt(w)) for mu sqrt(w) = 2
        assert MOST_USERS * step_of(bound) < 1e-6 * noise
        assert 2**20 * step_of(bound) < 1e-6 * bound / 4000


def test_norms_are_those_of_what_was_sent():
    made = Sums(3, 2.0)
    sent = made.whole(np.array([[0.6, 0.8], [0.0, 0.1]]))
    more = made.whole(np.array([0.0, 1.5]))
    made.saw(sent, more)
    assert made.longest == pytest.approx(math.hypot(0.1, 1.5), rel=1e-15)
    made.saw(made.whole(np.array([1.0])))
    assert made.longest == pytest.approx(math.hypot(0.1, 1.5), rel=1e-15)
    others = made.empty()
    others.saw_squares(np.array([np.nan, 1.0]))
    made.include(others)
    assert not made.longest <= 2.0  # what is no number is never short enough


def test_sums_of_other_steps_are_not_added():
    with pytest.raises(PrivacyViolation, match="different steps"):
        Sums(1, 1.0).include(Sums(1, 2.0))


@pytest.mark.parametrize("number", [np.nan, np.inf, -1e300])
def test_what_is_no_number_or_far_above_the_bound_is_refused(number):
    with pytest.raises(PrivacyViolation, match="is no number"):
        Sums(2, 1.0).whole(np.array([0.5, number]))


def test_residuals_of_what_is_no_number_are_refused():
    rows = Compressed(np.array([0, 1]), np.array([0], np.int32), np.array([0.5]))
    for factors, theta in ((np.nan, 1.0), (1.0, np.nan)):
        with pytest.raises(PrivacyViolation, match="no numbers"):
            residual_sums(rows, np.full((1, 1), factors), 1, 1.0, theta=np.full((1, 1), theta))
