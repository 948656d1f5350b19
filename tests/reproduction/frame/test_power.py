"""How many trials would decide, what lies beyond the margin, and p-values: of unequal comparisons.

Comparisons are planted with their means and spreads exact, whatever the number of trials. So what
is said to be needed can be tried: with so many trials the rule decides, and with fewer it does not.
"""

import numpy as np
import pytest
from scipy import stats

from dpmc_studies.frame.judging import verdicts
from dpmc_studies.frame.judging.choices import USUAL
from dpmc_studies.frame.judging.finding import (
    ALL,
    CONTRADICTED,
    INCONCLUSIVE,
    MARGIN,
    MOST,
    NO_EFFECT,
    POOLED,
    SUPPORTED,
)
from dpmc_studies.frame.judging.power import trials_needed
from dpmc_studies.frame.judging.rules import Sample, judge_all, judge_most, judge_pooled, within
from dpmc_studies.statistics.tests import holm, row_tests

RULES = {ALL: judge_all, MOST: judge_most, POOLED: judge_pooled}
TRIALS = 40


def planted(means, trials=TRIALS, spread=1.0):
    """Return comparisons whose means and standard deviations are these, exactly."""
    noise = np.random.default_rng(0).standard_normal((len(means), trials))
    noise -= noise.mean(axis=1, keepdims=True)
    noise /= noise.std(axis=1, ddof=1, keepdims=True)
    return np.array(means)[:, None] + spread * noise


def judged(rule, values):
    return RULES[rule](Sample(values, np.zeros((len(values), 1))))


# How much fewer trials do not decide follows from Holm's factors: the estimate corrects for all
# comparisons, the rule for those that are left when the last one that counts is looked at.
@pytest.mark.parametrize(
    ("rule", "means", "spread", "verdict", "fewer"),
    [
        (ALL, [0.35, *[0.0] * 9], 1, CONTRADICTED, 0.9),  # the one loss
        (ALL, [0.3, 0.2, 0.1, *[-0.1] * 7], 1, CONTRADICTED, 0.9),  # the first of three
        (ALL, [-0.3, *[-1.0] * 3], 1, SUPPORTED, 0.5),  # all four must win
        (ALL, [-0.1, -0.3, *[-1.0] * 8], 1, SUPPORTED, 0.5),  # the last of ten need not
        (ALL, [-0.1, -0.2, -0.3, *[-1.0] * 17], 1, SUPPORTED, 0.5),  # nor the last two of 20
        (MOST, [*[-1.0] * 3, -0.3, *[-0.01] * 3], 1, SUPPORTED, 0.7),  # the fourth of seven
        (MOST, [*[-1.0] * 3, -0.3, *[-0.01] * 2], 1, SUPPORTED, 0.7),  # and of six
        (MOST, [*[-0.5] * 4, *[0.45] * 3], 1, SUPPORTED, 0.7),  # the pooled effect comes last
        (POOLED, [-0.35, 0.05, -0.1], 1, SUPPORTED, 0.7),
        (POOLED, [0.4, 0.2, -0.2], 1, CONTRADICTED, 0.7),
        (POOLED, [0.001, -0.001, 0.002], 0.07, NO_EFFECT, 0.7),
    ],
)
def test_so_many_trials_decide_and_fewer_do_not(rule, means, spread, verdict, fewer):
    found = judged(rule, planted(means, spread=spread))
    assert found.verdict == INCONCLUSIVE
    needed = int(found.needed)
    assert judged(rule, planted(means, needed, spread)).verdict == verdict
    assert judged(rule, planted(means, int(fewer * needed), spread)).verdict == INCONCLUSIVE


@pytest.mark.parametrize(("rule", "winning", "others"), [(ALL, 8, 2), (MOST, 3, 3)])
def test_where_too_few_can_win_no_number_of_trials_decides(rule, winning, others):
    for trials in (TRIALS, 10 * TRIALS):
        level = np.tile([0.5, -0.5], (others, trials // 2))  # exactly 0 in the mean
        values = np.vstack([planted([-0.5] * winning, trials), level])
        found = judged(rule, values)
        assert (found.verdict, found.needed) == (INCONCLUSIVE, np.inf)


@pytest.mark.parametrize("means", [[-0.2, -0.35, *[-1.0] * 8], [0.35, 0.1, *[-1.0] * 8]])
def test_the_number_is_that_of_bonferronis_interval(means):
    half = stats.t.ppf(1 - 0.05 / (2 * len(means)), TRIALS - 1) / np.sqrt(TRIALS)
    number = np.ceil(TRIALS * (half / 0.35) ** 2)
    assert trials_needed(ALL, planted(means)) == number == 73


@pytest.mark.parametrize(
    ("means", "verdict"),
    [([0.0, 0.05, -0.08], SUPPORTED), ([0.0, 0.09, -0.13, 0.2], CONTRADICTED)],
)
def test_a_range_is_settled_by_the_mean_that_comes_last_or_by_the_first_outside(means, verdict):
    def found(trials):
        rows = planted(means, trials, 0.2)
        return within({str(place): row for place, row in enumerate(rows)}, 0.1)

    at_first = 8
    needed = int(found(at_first).needed)
    assert found(at_first).verdict == found(needed // 3).verdict == INCONCLUSIVE
    assert found(needed).verdict == verdict


# -- the margin ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparisons", "most"), [(1, 1), (2, 1), (6, 1), (10, 1), (19, 1), (20, 2), (29, 2), (30, 3)]
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_one_comparison_or_a_tenth_of_them_may_lie_beyond_the_margin(comparisons, most, sign):
    for beyond in range(min(comparisons, most + 2) + 1):
        means = sign * np.where(np.arange(comparisons) < beyond, 0.04, 0.001)
        assert USUAL.few_beyond(planted(means, spread=0.001)) is (beyond <= most), beyond


def test_what_is_beyond_on_either_side_counts_if_it_is_more_than_chance():
    assert not USUAL.few_beyond(planted([-0.04, 0.04, 0, 0, 0, 0], spread=0.001))
    assert USUAL.few_beyond(planted([-0.04, 0.04, 0, 0, 0, 0], spread=0.2))
    edges = planted(np.array([*MARGIN, 0, 0, 0, 0]), spread=1e-6)
    assert not USUAL.few_beyond(1.001 * edges)
    assert USUAL.few_beyond(0.999 * edges)


@pytest.mark.parametrize("rule", [MOST, POOLED])
@pytest.mark.parametrize(("beyond", "verdict"), [(1, NO_EFFECT), (2, INCONCLUSIVE)])
def test_two_of_six_beyond_the_margin_are_no_equivalence(rule, beyond, verdict):
    values = planted([0.02, -0.02 * (beyond > 1), 0, 0, 0, 0], spread=0.001)
    assert judged(rule, values).verdict == verdict


# -- p-values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "means", "verdict"),
    [
        (ALL, [-0.01, -0.7, *[-1.0] * 8], SUPPORTED),  # the weakest of ten need not win
        (ALL, [-0.7, -0.8, -0.9], SUPPORTED),
        (ALL, [0.7, 0.8, *[-1.0] * 5], CONTRADICTED),
        (MOST, [*[-2.0] * 3, -0.55, *[-0.01] * 3], SUPPORTED),  # the fourth of seven
        (MOST, [*[-2.0] * 3, -0.55, *[-0.01] * 2], SUPPORTED),  # and of six
        (MOST, [-3.0, -3.0, 0.7, 0.8, 0.9], CONTRADICTED),  # the third loss of five
    ],
)
def test_a_p_value_is_the_level_at_which_the_rule_would_just_decide(
    monkeypatch, rule, means, verdict
):
    values = planted(means)
    p_value = judged(rule, values).p_value
    for level, expected in ((p_value * (1 + 1e-9), True), (p_value * (1 - 1e-9), False)):
        monkeypatch.setattr(verdicts, "LEVEL", level)
        assert (judged(rule, values).verdict == verdict) is expected
    assert p_value in holm(row_tests(values).p_value)
