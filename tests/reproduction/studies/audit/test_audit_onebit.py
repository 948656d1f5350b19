"""Audits of one-bit completion: honest mechanisms pass, every planted fault is caught."""

from dataclasses import replace

import numpy as np
import pytest

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.studies.audit import randomised
from dpmc_studies.studies.audit.faults.onebit import (
    LINE_SEARCH,
    PAPER_FAULTS,
    TWO_RATIOS,
    SearchingProblem,
    two_ratios,
)
from dpmc_studies.studies.audit.onebit import (
    AUDITED,
    SIZE,
    blocks,
    follow,
    mechanism_rows,
    neighbours,
)
from dpmc_studies.studies.audit.parts import audit_part
from dpmc_studies.studies.audit.randomised import flip_claims, flip_rows
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS, caught_row

RUNS = 80
TESTS = [
    "sensitivity", "post_processing", "likelihood_ratio", "privacy_loss", "kolmogorov_smirnov",
    "independence",
]  # fmt: skip


def rng(seed=3):
    return np.random.default_rng(seed)


def test_neighbours_differ_in_one_sign():
    for pair in neighbours("grap", rng()):
        here, there = pair.here.signs, pair.there.signs
        assert (here.users == there.users).all()
        assert (here.items == there.items).all()
        assert np.flatnonzero(here.values != there.values).tolist() == [0]
        assert (pair.here.link, pair.here.ball) == (pair.there.link, pair.there.ball)


def test_the_block_instance_turns_half_of_the_matrix_over():
    signs = blocks(SIZE)
    assert len(signs) == SIZE**2 // 2 + 1
    assert (signs.users[0] < SIZE // 2) != (signs.items[0] < SIZE // 2)
    pair = neighbours("outp", rng())[0]
    change = np.abs(np.clip(pair.clear[0], -1, 1) - np.clip(pair.clear[1], -1, 1)).sum()
    # in l1: half of 2 alpha d1 d2, up to where the solver stops
    assert change == pytest.approx(SIZE**2, rel=0.05)


@pytest.mark.parametrize("mechanism", AUDITED)
def test_right_mechanisms_pass(mechanism):
    # 4 tests of chance each: two fail 0.1 % of the time at most, two 1e-6
    rows = list(mechanism_rows(mechanism, RUNS, rng()))
    assert [row["test"] for row in rows] == TESTS
    assert all(row["passed"] for row in rows)
    assert all(tuple(row) == AUDIT_COLUMNS for row in rows)
    largest = rows[0]["measured"]
    assert largest == pytest.approx(0.5 if mechanism == "outp" else 1.0, rel=0.01)


@pytest.mark.parametrize(
    ("mechanism", "ratio"), [("outp_paper", 18), ("grap_paper", 2), ("objp_literal", 2)]
)
def test_the_noise_of_the_paper_is_caught(mechanism, ratio):
    row = caught_row(PAPER_FAULTS[mechanism], mechanism_rows(mechanism, RUNS, rng()))
    assert row["passed"]
    assert row["planted_fault"] == PAPER_FAULTS[mechanism]
    assert row["measured"] == pytest.approx(ratio, rel=0.01)


def test_steps_that_look_at_the_signs_are_caught_by_what_comes_out():
    assert follow("grap", neighbours("grap", rng())[0], rng())[1] == 0
    assert follow("grap", neighbours("grap", rng(), SearchingProblem)[0], rng())[1] > 0
    row = caught_row(LINE_SEARCH, mechanism_rows("grap", RUNS, rng(), SearchingProblem))
    assert row["passed"]


@pytest.mark.parametrize("claim", flip_claims(), ids=lambda claim: claim.mechanism)
def test_right_flips_pass_and_spend_nearly_all(claim):
    # the bound is wrong 0.1 % of the time at most; 100,000 flips show 93 % of epsilon
    rows = list(flip_rows(claim, 100_000, rng()))
    assert [row["test"] for row in rows] == ["likelihood_ratio", "kolmogorov_smirnov"]
    assert all(row["passed"] for row in rows)
    assert all(tuple(row) == AUDIT_COLUMNS for row in rows)
    assert rows[0]["lower_bound"] >= 0.93 * claim.epsilon


@pytest.mark.parametrize("p", [(0.3, 0.27), (0.26, 0.27), (0.27, 0.3), (0.27, 0.26)])
def test_flips_of_other_probabilities_are_seen(p):
    # of either sign, also where there are too many: half a per cent is 7 standard errors
    claim = flip_claims()[0]
    wrong = replace(claim, flip=RandomisedResponse(*p).flip)
    rows = {row["test"]: row for row in flip_rows(wrong, 400_000, rng())}
    assert not rows["kolmogorov_smirnov"]["passed"]


def test_faulty_flips_are_caught():
    claim = two_ratios()
    assert caught_row(TWO_RATIOS, flip_rows(claim, 20_000, rng()))["passed"]
    # the two ratios that are checked keep to epsilon, and yet there is no bound
    p, q = claim.response.p_plus, claim.response.p_minus
    assert randomised.UNEVEN.epsilon() == pytest.approx(randomised.EPSILON)
    assert max((1 - p) / q, p / (1 - q)) <= np.exp(randomised.EPSILON) * (1 + 1e-12)
    assert claim.response.epsilon() == np.inf


def test_the_part_has_all_rows_once_and_passes():
    rows = list(audit_part("onebit", {"seed": 5, "samples": 5000, "runs": 20}))
    keys = [(row["test"], row["mechanism"], row["planted_fault"]) for row in rows]
    assert len(set(keys)) == len(keys)
    assert len(keys) == len(TESTS) * len(AUDITED) + len(PAPER_FAULTS) + 2
    assert all(row["passed"] for row in rows)
    planted = [row["planted_fault"] for row in rows if row["planted_fault"]]
    assert planted == [*PAPER_FAULTS.values(), LINE_SEARCH, TWO_RATIOS]
