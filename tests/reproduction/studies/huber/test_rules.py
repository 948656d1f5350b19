"""The rules of judgement on planted matrices, and the algebra of contrasts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import (
    Sample,
    all_of,
    judge_all,
    judge_most,
    judge_pooled,
)
from dpmc_studies.frame.judging.verdicts import combined, count, tally
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import (
    LogRmse,
    delta,
    synthetic_grid,
)
from dpmc_studies.studies.huber.claims.evidence import Evidence


def sample(*means, spread=0.001, trials=10, reported=None, seed=0):
    """Return planted comparisons with these means; the reported ones are the means themselves."""
    rng = np.random.default_rng(seed)
    # Residuals of mean 0 and variance 1, so that means and t-statistics are exact.
    noise = rng.standard_normal((len(means), trials))
    noise -= noise.mean(axis=1, keepdims=True)
    noise /= noise.std(axis=1, ddof=1, keepdims=True) if trials > 1 else 1.0
    ours = np.array(means)[:, None] + spread * noise
    return Sample(ours, np.array(means if reported is None else reported, dtype=float)[:, None])


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ([-0.05] * 10, "supported"),
        ([-0.05] * 9 + [0.0], "supported"),  # 90 % wins, one undecided
        ([-0.05] * 8 + [0.0] * 2, "inconclusive"),
        ([-0.05] * 9 + [0.05], "contradicted"),  # any loss
        ([0.0] * 10, "no effect"),
        ([-0.05] * 4 + [0.0] * 3 + [0.06], "contradicted"),
    ],
)
def test_all(means, verdict):
    found = judge_all(sample(*means))
    assert found.verdict == verdict
    assert found.effect == pytest.approx(np.mean(means))
    assert found.n == 10


@pytest.mark.parametrize(
    ("means", "reported"),
    [([-0.05] * 10, "supported"), ([-0.1] * 9 + [0.0], "supported"),
     ([-0.1] * 8 + [0.0] * 2, "inconclusive"), ([-0.1] * 9 + [1e-4], "contradicted")],
)  # fmt: skip
def test_all_by_reported_counts(means, reported):
    assert judge_all(sample(*means)).reported_verdict == reported


@pytest.mark.parametrize(
    ("means", "spread", "verdict"),
    [
        ([-0.05] * 6 + [0.0] * 4, 0.001, "supported"),
        ([-0.05] * 5 + [0.0] * 5, 0.001, "inconclusive"),  # just half
        ([-0.005] * 10, 0.001, "no effect"),  # real, but inside +-1 %
        ([-0.1] * 2 + [0.1] * 2 + [0.0] * 16, 0.001, "inconclusive"),  # 20 % beyond, cancelling
        ([-0.1] + [0.1] + [0.0] * 18, 0.001, "no effect"),  # 10 % beyond
        ([-0.04] + [0.0] * 5, 0.001, "no effect"),  # one of six
        ([-0.011] * 8 + [0.011] * 8, 0.03, "no effect"),  # beyond, but not by more than chance
        ([0.05] * 4 + [-0.01] * 6, 0.001, "contradicted"),  # pooled above 0
        ([0.01] * 6 + [-0.1] * 4, 0.001, "contradicted"),  # more than half are losses
        ([0.2] * 2 + [-0.6] + [0.0] * 4, 0.001, "inconclusive"),  # 2 losses of 7, 1 win
        ([-0.05] * 10, 0.5, "inconclusive"),  # too noisy to say
    ],
)
def test_most(means, spread, verdict):
    assert judge_most(sample(*means, spread=spread)).verdict == verdict


def test_most_with_a_required_size():
    shallow, deep = sample(*[-0.012] * 9, spread=0.01), sample(*[-0.03] * 9, spread=0.01)
    assert judge_most(shallow).verdict == "supported"
    assert judge_most(shallow, below=np.log(0.99)).verdict == "inconclusive"
    assert judge_most(deep, below=np.log(0.99)).verdict == "supported"


@pytest.mark.parametrize(
    ("reported", "verdict"),
    [([-1] * 6 + [1] * 3, "supported"), ([-1] * 5 + [1.1] * 5, "inconclusive"),
     ([-1] * 3 + [1] * 5 + [0], "contradicted"), ([-1] * 4 + [0] * 5, "inconclusive"),
     ([-1] * 3 + [1] * 4 + [0] * 2, "inconclusive"), ([-0.009] * 9, "no effect")],
)  # fmt: skip
def test_most_by_reported_counts(reported, verdict):
    planted = sample(*[-0.05] * len(reported), reported=reported)
    assert judge_most(planted).reported_verdict == verdict
    assert judge_pooled(planted).reported_verdict == verdict


@pytest.mark.parametrize(
    ("mean", "spread", "verdict"),
    [(-0.05, 0.01, "supported"), (0.05, 0.01, "contradicted"), (0.0, 0.001, "no effect"),
     (-0.05, 1.0, "inconclusive")],
)  # fmt: skip
def test_pooled(mean, spread, verdict):
    assert judge_pooled(sample(mean, mean, spread=spread)).verdict == verdict


@pytest.mark.parametrize("judge", [judge_most, judge_pooled])
def test_gains_and_losses_that_cancel_are_not_no_effect(judge):
    found = judge(sample(*[-0.1] * 5, *[0.1] * 5))
    assert found.verdict == "inconclusive"
    assert "pooled +0.0" in found.reason or "pooled -0.0" in found.reason
    assert found.needed > 1e6  # by more trials there would not be "no effect" either


def test_a_threshold_moves_wins_and_losses():
    planted = sample(0.005, 0.005)
    assert judge_all(planted).verdict == "contradicted"
    assert judge_all(planted, threshold=np.log(1.01)).verdict == "supported"
    assert judge_all(sample(0.02, 0.005), threshold=np.log(1.01)).verdict == "contradicted"


def test_significance_is_corrected_over_the_comparisons():
    # t = -2.82 at 9 degrees of freedom, p = .02: a win alone and none among ten.
    values = sample(-1.0, spread=np.sqrt(10) / 2.82).ours
    assert tally(values).wins == 1
    assert tally(np.vstack([values, sample(*[0.0] * 9).ours])).wins == 0


@pytest.mark.parametrize("judge", [judge_all, judge_most, judge_pooled])
@pytest.mark.parametrize("trials", [1, 3])
def test_too_few_trials_are_never_a_verdict_of_most(judge, trials):
    found = judge(sample(-0.05, -0.05, trials=trials))
    assert found.verdict == ("supported" if judge is judge_all and trials > 1 else "inconclusive")
    assert np.isnan(found.interval_low)
    assert found.n == trials


@pytest.mark.parametrize("judge", [judge_all, judge_most, judge_pooled])
def test_one_missing_cell_makes_a_claim_inconclusive(judge):
    planted = sample(-0.05, -0.05, -0.05)
    planted.ours[1] = np.nan
    found = judge(planted)
    assert (found.verdict, found.reported_verdict) == ("inconclusive", "supported")
    assert found.reason.startswith("not part of this run: 1 of 3 comparisons")
    assert found.effect == pytest.approx(-0.05)
    assert found.n == planted.ours.shape[1]  # trials of the comparisons that were run


@pytest.mark.parametrize("judge", [judge_all, judge_most, judge_pooled])
def test_unreported_comparisons_are_said_to_be(judge):
    found = judge(sample(-0.05, reported=[np.nan]))
    assert found.reported_verdict == "not reported"
    assert "the papers report no number for it" in found.reason


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [(["supported"] * 2, "supported"), (["supported", "inconclusive"], "inconclusive"),
     (["inconclusive", "contradicted"], "contradicted"),
     (["supported", "no effect"], "no effect"), (["no effect", "inconclusive"], "no effect")],
)  # fmt: skip
def test_conjunction(verdicts, expected):
    assert combined(verdicts) == expected
    found = all_of([Finding(verdict, verdict, reason=verdict) for verdict in verdicts])
    assert (found.verdict, found.reported_verdict) == (expected, expected)


def test_a_conjunction_of_what_is_not_reported_is_not_reported():
    assert combined(["not reported"] * 2) == "not reported"
    assert combined(["not reported", "supported"]) == "inconclusive"


def test_a_sample_is_judged_by_its_own_choices():
    planted, wide = sample(0.015, 0.015), Choices(widening=2.0)
    assert judge_pooled(planted).verdict == "contradicted"
    assert judge_pooled(planted._replace(choices=wide)).verdict == "no effect"
    assert wide.widened(3.0) == 6.0


@given(st.permutations(range(6)), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_verdicts_do_not_depend_on_the_order_of_comparisons(order, seed):
    planted = sample(-0.05, -0.02, -0.001, 0.0, 0.001, 0.004, spread=0.01, seed=seed)
    shuffled = Sample(planted.ours[order], planted.reported[order])
    for judge in (judge_all, judge_most, judge_pooled):
        one, other = judge(planted), judge(shuffled)
        assert (one.verdict, one.reported_verdict) == (other.verdict, other.reported_verdict)
        assert one.effect == pytest.approx(other.effect)
    assert tally(planted.ours) == tally(shuffled.ours)
    assert count(planted.reported) == count(shuffled.reported)


class TestContrasts:
    a, b, c = (Cell("synthetic", 5, 1.0, 0.1, "als", m, None) for m in "abc")

    def table(self, **rows):
        cells = [getattr(self, name) for name in rows]
        return LogRmse(cells, np.array(list(rows.values()), dtype=float), per_variance=False)

    def test_a_noiseless_pair_at_two_variances_is_one_of_ours(self, make_trials, paper):
        none = [synthetic_grid("none", ranks=[rank]) for rank in (5, 10)]
        rows = [delta(low, high) for low, high in zip(*none, strict=True)]
        assert LogRmse.of_trials(make_trials()).matrix(rows).shape == (6, 10)
        assert LogRmse.of_published(paper).matrix(rows).shape == (12, 1)

    def test_the_better_other_is_the_one_reported_with_less_error(self):
        ours = self.table(a=[0, 0, np.nan], b=[1, -9, 1], c=[2, 3, 4])
        reported = self.table(a=[0.0], b=[2.0], c=[1.0])
        evidence = Evidence(ours, reported, {}, pd.DataFrame(), pd.DataFrame())
        sample = evidence.sample_against_best([self.a], [self.b], [self.c])
        np.testing.assert_array_equal(sample.ours, [[-2, -3, np.nan]])
        np.testing.assert_array_equal(sample.reported, [[-1]])
