"""Shares and sensitivities of DPALS: sums to one, tight, no more than any neighbour moves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_dpals import FAMILIES, build, small_ratings

from dpmc.errors import InputError
from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.privacy.sensitivity import Sensitivities
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.plan import longest_row, plan

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


@pytest.mark.parametrize("relation", USER_LEVEL)
@pytest.mark.parametrize("family", FAMILIES)
def test_neighbours_stay_within_the_sensitivities(family, relation):
    """Replayed with the outputs of one run, a neighbour asks nothing farther than stated."""
    ratings = small_ratings()
    model = build(**(FAMILIES[family] | {"relation": relation}))
    # of sums in single precision; those are for simulated noise alone
    slack = 1e-5 if model.dtype == "float32" else 1e-12
    for seed in range(4):
        rng = np.random.default_rng(seed)
        run = Ledger(FloatNoise(model.calibration.noise, rng), 1, keep=True)
        model.fit(ratings, rng=seed, ledger=run)
        for other in neighbours(ratings, relation, rng):
            replay = Ledger(Replay([each.output for each in run.transcript]), 1, keep=True)
            model.fit(other, rng=seed, ledger=replay)
            for one, two in zip(run.transcript, replay.transcript, strict=True):
                change = np.linalg.norm((one.query - two.query).ravel())
                assert change <= one.sensitivity * (1 + slack), one.what


def neighbours(ratings, relation, rng):
    """Yield neighbours: a user gone or, replaced or come, with extreme ratings of all items."""
    user = int(rng.integers(11))
    without = ratings.take(ratings.users != user)
    if relation == "user_add_remove":
        yield without
        without, user = ratings, 11  # who has no ratings yet
    yield Ratings(
        np.append(without.users, np.full(9, user)),
        np.append(without.items, np.arange(9)),
        np.append(without.values, rng.choice([-100.0, 100.0], 9)),
        12,
        9,
    )
