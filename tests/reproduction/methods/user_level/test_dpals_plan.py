"""Shares and sensitivities of DPALS: sums to one, tight."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.sensitivity import Sensitivities
from dpmc_studies.methods.user_level.plan import longest_row, plan, published_sigma
from dpmc_studies.studies.dpals.experiments import accounting

USER_LEVEL = ("user_add_remove", "user_replace")
OPTIONS = {
    "iterations": 3, "value_bound": 1.5, "row_bound": None, "gram": True, "global_gram": False,
    "start_share": 0.0, "counts_share": 0.0, "mean_share": 0.0,
}  # fmt: skip


def bounds(relation="user_add_remove", k=9):
    return Sensitivities(relation, "gaussian", 2.0, 0.1, k)


def test_sensitivities_written_out():
    every = OPTIONS | {"global_gram": True, "start_share": 0.1, "counts_share": 0.1}
    every |= {"mean_share": 0.1}
    found = {what: part.sensitivity for what, part in plan(bounds(), **every).items()}
    assert found == pytest.approx(
        {
            "counts": 3.0, "total_sum": 18.0, "total_count": 9.0, "start": 9 * 1.5**2,
            "gram": 3 * 0.01, "right_hand_side": 3 * 0.1 * 1.5, "global_gram": 0.01,
        }
    )  # fmt: skip
    replaced = plan(bounds("user_replace"), **every)
    ratios = {what: replaced[what].sensitivity / found[what] for what in found}
    root = math.sqrt(2)
    assert ratios == pytest.approx(
        {
            "counts": root, "total_sum": 2.0, "total_count": 1.0, "start": root, "gram": root,
            "right_hand_side": 2.0, "global_gram": root,
        }
    )  # fmt: skip


def test_a_row_bound_counts_where_it_is_shorter():
    clipped = plan(bounds(), **(OPTIONS | {"row_bound": 2.0, "start_share": 0.5}))
    assert clipped["right_hand_side"].sensitivity == pytest.approx(0.1 * 2)
    assert clipped["start"].sensitivity == pytest.approx(4)
    assert clipped["gram"].sensitivity == pytest.approx(0.03)
    assert longest_row(bounds(), 1.5, 100.0) == 4.5


@pytest.mark.parametrize(("relation", "factor"), [("user_add_remove", 2), ("user_replace", 6)])
def test_a_step_costs_what_it_does_in_the_units_of_the_paper(relation, factor):
    """mu^2 = 2 k T/sigma^2 and three times as much; both statistics have one sigma."""
    parts = plan(bounds(relation), **OPTIONS)
    mu = 0.7
    sigmas = [
        parts[what].sensitivity * parts[what].weight / mu / unit
        for what, unit in (("gram", 0.01), ("right_hand_side", 0.15))
    ]
    assert sigmas == pytest.approx([math.sqrt(factor * 9 * 3) / mu] * 2)


@settings(deadline=None)
@given(
    st.sampled_from(USER_LEVEL), st.integers(1, 300), st.integers(1, 6), st.booleans(),
    st.booleans(), st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0, 0.3),
)  # fmt: skip
def test_shares_sum_to_one(relation, k, iterations, gram, penalty, start, counts, mean):
    parts = plan(
        bounds(relation, k),
        **OPTIONS
        | {
            "iterations": iterations, "gram": gram, "global_gram": penalty and gram,
            "start_share": start, "counts_share": counts, "mean_share": mean,
        },
    )  # fmt: skip
    repeats = {"gram", "right_hand_side", "global_gram"}
    total = sum(part.share * (iterations if what in repeats else 1) for what, part in parts.items())
    assert total == pytest.approx(1, rel=1e-12)
    assert all(part.share > 0 for part in parts.values())
    assert ("gram" in parts) == gram


def test_shares_that_leave_nothing_are_refused():
    with pytest.raises(InputError, match="nothing of the budget is left"):
        plan(bounds(), **(OPTIONS | {"start_share": 0.6, "counts_share": 0.4}))


# -- the noise of theorem 1, and what it is worth -----------------------------------------------

DELTA = 1e-5
POINTS = [(1, 50, 2), (5, 50, 3), (20, 100, 4)]


def test_the_published_sigma_does_not_keep_to_its_epsilon():
    task = SimpleNamespace(settings={"delta": DELTA, "points": POINTS})
    rows = list(accounting.run(task))
    for name, expected in (
        ("exact_sigma", [52.76, 15.45, 8.204]),
        ("epsilon_at_published", [1.060, 5.575, 20.89]),
        ("mu", [0.2681, 1.1212, 3.4478]),
    ):
        assert [row[name] for row in rows] == pytest.approx(expected, rel=1e-3), name
    assert all(row["published_sigma"] < row["exact_sigma"] for row in rows)


def test_it_is_a_factor_root_two_short():
    """With one statistic and not two, the published sigma would keep to its epsilon."""
    for epsilon, k, steps in POINTS:
        noise = Gaussian(published_sigma(epsilon, DELTA, k, steps))
        assert noise.epsilon(math.sqrt(k * steps), DELTA) < epsilon


@pytest.mark.parametrize("budget", [(0, DELTA), (-1, DELTA), (1, 0), (1, 1)])
def test_budgets_that_are_none(budget):
    with pytest.raises(InputError, match="needs epsilon above 0 and delta between 0 and 1"):
        published_sigma(*budget, 50, 2)
