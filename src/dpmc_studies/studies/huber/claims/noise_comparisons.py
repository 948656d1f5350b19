"""Claims that compare kinds of noise: H1, H4 to H6, H32, H33, H50 and H57."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    OURS,
    POOLED,
    SUPPORTED,
    UNREPORTED,
    Finding,
)
from dpmc_studies.frame.judging.power import trials_off_zero
from dpmc_studies.frame.judging.rules import (
    Sample,
    all_of,
    fact,
    judge_most,
    judge_pooled,
    mirrored,
    named,
)
from dpmc_studies.frame.judging.verdicts import (
    Tally,
    at_least,
    combined,
    count,
    obstacle_to,
    pooled_verdict,
    tally,
    verdict_of,
)
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS
from dpmc_studies.mechanism_facts import total_variation
from dpmc_studies.statistics.bootstrap import pooled_spread_ratio
from dpmc_studies.statistics.tests import LEVEL, holm, row_tests
from dpmc_studies.studies.huber.claims.budgets import (
    LARGER_VARIANCES,
    huber_budget_close_to_laplace,
)
from dpmc_studies.studies.huber.claims.contrasts import (
    TABLE_3,
    Contrast,
    average,
    between,
    deltas,
    synthetic_grid,
)
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.claims.own import reported_epsilon_is_that_of_the_model

NOISES = ("huber", "gaussian", "laplace")
COMPARABLE = 0.02
KINDS = (Laplace, Gaussian)
PAPERS_TRIALS = 10  # behind every number that the papers print
SMALL, LARGE = 0.05, 0.15


@claim("H1")
def huber_wins_sometimes_and_never_loses_by_much(evidence: Evidence) -> Finding:
    huber, gaussian, laplace = map(synthetic_grid, NOISES)
    worse = np.log1p(evidence.choices.widened(COMPARABLE))
    others = [evidence.sample(deltas(huber, other)) for other in (gaussian, laplace)]
    best = evidence.sample_against_best(huber, gaussian, laplace)
    ours = [*(tally(other.ours) for other in others), tally(best.ours, worse)]
    reported = [*(count(other.reported) for other in others), count(best.reported, worse)]
    beyond_chance = _losses_beyond_sampling_error(best, worse)
    overall = judge_pooled(best)
    found = (
        f"{ours[0].wins} wins against Gaussian, {ours[1].wins} against Laplace, {ours[2].losses} "
        f"cells more than 2 % worse than the better (reported: {reported[0].wins}, "
        f"{reported[1].wins}, {reported[2].losses}, by more than sampling error {beyond_chance}); "
        f"against the better: {overall.reason}"
    )
    return replace(
        overall,
        verdict=_wins_or_matches(*ours, overall.verdict == NO_EFFECT),
        reported_verdict=_wins_or_matches(
            *reported[:2], reported[2]._replace(losses=beyond_chance)
        ),
        reason=ours[2].obstacle or found,
    )


def _losses_beyond_sampling_error(sample: Sample, threshold: float) -> int:
    """Count reported comparisons above a threshold by more than means over ten trials may be.

    A reported comparison is one number; how it scatters is taken from our trials of the same cells.
    Where there are none, every one above counts.
    """
    spread = row_tests(sample.ours)
    error = spread.standard_error * np.sqrt(spread.trials / PAPERS_TRIALS)
    excess = sample.reported[:, 0] - threshold
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * special.ndtr(-np.abs(excess) / np.where(error > 0, error, np.nan))
    significant = holm(np.where(np.isnan(p_value), 0.0, p_value)) <= LEVEL
    return int(((excess > 1e-12) & significant).sum())


def _wins_or_matches(
    gaussian: Tally, laplace: Tally, worse_than_best: Tally, no_effect: bool = False
) -> str:
    if gaussian.obstacle or laplace.obstacle or worse_than_best.obstacle:
        return INCONCLUSIVE
    if worse_than_best.losses:
        return CONTRADICTED
    if gaussian.wins and laplace.wins:
        return SUPPORTED
    return NO_EFFECT if no_effect else INCONCLUSIVE


@claim("H4")
def gaussian_lowest_in_a_few_cases_at_higher_rank(evidence: Evidence) -> Finding:
    huber, gaussian, laplace = (synthetic_grid(noise, ranks=[10, 20]) for noise in NOISES)
    huber_best = evidence.sample_against_best(huber, gaussian, laplace)
    gaussian_best = evidence.sample_against_best(gaussian, huber, laplace)
    ours = tally(gaussian_best.ours), tally(huber_best.ours)
    reported = count(gaussian_best.reported), count(huber_best.reported)
    overall = judge_pooled(huber_best)
    not_best = overall.verdict in (CONTRADICTED, NO_EFFECT)
    found = (
        f"significantly lowest: Gaussian {ours[0].wins}, Huber {ours[1].wins} of {ours[0].total} "
        f"(reported lowest: {reported[0].wins}, {reported[1].wins}); "
        f"Huber against the better: {overall.reason}"
    )
    return replace(
        overall,
        verdict=overall.verdict if not_best else _some_but_fewer(*ours),
        reported_verdict=_some_but_fewer(*reported),
        reason=ours[0].obstacle or found,
    )


def _some_but_fewer(few: Tally, many: Tally) -> str:
    if few.obstacle or many.obstacle:
        return INCONCLUSIVE
    if few.wins > many.wins:
        return CONTRADICTED
    return SUPPORTED if 1 <= few.wins < many.wins else INCONCLUSIVE


@claim("H5")
def huber_more_accurate_than_laplace_at_a_similar_budget(evidence: Evidence) -> Finding:
    sample = evidence.sample(between("huber", "laplace", ranks=TABLE_3))
    return all_of([judge_most(sample), huber_budget_close_to_laplace(evidence)])


@claim("H6")
def gaussian_does_not_reduce_rmse(evidence: Evidence) -> Finding:
    return all_of(_gaussian_not_below_margin(evidence, ranks=TABLE_3))


@claim("H57")
def others_are_competitive_with_a_pure_guarantee(evidence: Evidence) -> Finding:
    guarantee = reported_epsilon_is_that_of_the_model(evidence)
    guarantee = replace(guarantee, reason=f"R6, that they have such an ε: {guarantee.verdict}")
    return all_of([*_gaussian_not_below_margin(evidence), guarantee])


def _gaussian_not_below_margin(evidence: Evidence, **part: Sequence) -> list[Finding]:
    """Judge that Gaussian noise has no less error than Huber and than Laplace noise, by 1 %."""
    least, found = evidence.choices.margin()[0], []
    for other in ("huber", "laplace"):
        sample = evidence.sample(between("gaussian", other, **part))
        verdict = at_least(sample.choices.pooled(sample.ours), least)
        judged = _bounded(sample, verdict, sample.reported.mean() >= least)
        found.append(named(f"against {MECHANISM_LABELS[other]} noise", judged))
    return found


def _bounded(sample: Sample, verdict: str, reported: bool) -> Finding:
    return replace(
        judge_pooled(sample),
        verdict=INCONCLUSIVE if tally(sample.ours).obstacle else verdict,
        reported_verdict=verdict_of(reported),
    )


@claim("H32")
def laplace_is_inconsistent(evidence: Evidence) -> Finding:
    """Subtract first the effects of a trial's matrix, mask and start, which all noises share.

    Each noise is compared with the mean of the other two.
    """
    logs = {
        noise: np.array([evidence.ours.row(cell) for cell in synthetic_grid(noise)])
        for noise in NOISES
    }
    huber, gaussian, laplace = (1.5 * (logs[name] - sum(logs.values()) / 3) for name in NOISES)
    trials = np.isfinite(laplace).sum(axis=1)
    obstacle = obstacle_to(trials)
    ratios = [pooled_spread_ratio(laplace, other) for other in (gaussian, huber)]
    verdicts = [pooled_verdict(mirrored(ratio), choices=evidence.choices) for ratio in ratios]
    verdict = INCONCLUSIVE if obstacle else combined(verdicts)
    open_one = verdict == INCONCLUSIVE and not obstacle
    told = " and ".join(
        f"{np.exp(ratio.estimate):.2f} ({np.exp(ratio.low):.2f} to {np.exp(ratio.high):.2f})"
        for ratio in ratios
    )
    found = f"standard deviation of Laplace over that of Gaussian and of Huber noise: {told}"
    return Finding(
        verdict,
        UNREPORTED,
        ratios[0].estimate,
        ratios[0].low,
        ratios[0].high,
        int(trials.min()),
        f"{obstacle or found}; {NOT_REPORTED}",
        POOLED,
        evidence.choices.margin()[1],
        OURS,
        max(map(trials_off_zero, ratios)) if open_one else np.nan,
    )


@claim("H33")
def gaussian_works_best_at_small_fractions(evidence: Evidence) -> Finding:
    """Read "works well" as "not worse", and "especially" as the trend."""
    small, large = _gaussian_advantage(SMALL), _gaussian_advantage(LARGE)
    trend = [at_small - at_large for at_small, at_large in zip(small, large, strict=True)]
    level, largest = evidence.sample(small), evidence.choices.margin()[1]
    verdict = at_least(mirrored(level.choices.pooled(level.ours)), -largest)
    not_above = _bounded(level, verdict, level.reported.mean() <= largest)
    slope = judge_pooled(evidence.sample(trend))
    return all_of([named("5 % minus 15 %", slope), named("at 5 %", not_above)])


def _gaussian_advantage(fraction: float) -> list[Contrast]:
    over = (between("gaussian", other, fractions=[fraction]) for other in ("huber", "laplace"))
    return [average(pair) for pair in zip(*over, strict=True)]


@claim("H50")
def huber_is_like_laplace_at_high_variance(evidence: Evidence) -> Finding:
    """Judge "nearer" by total variation, which noise like Gaussian noise would not pass.

    The sentence is about budgets, so only budgets decide the reported verdict.
    """
    sample = evidence.sample(between("huber", "laplace", variances=[2.0]))
    found, effect = judge_pooled(sample), sample.choices.pooled(sample.ours)
    low, high = evidence.choices.margin()
    verdict = INCONCLUSIVE
    if found.verdict == NO_EFFECT:
        verdict = SUPPORTED
    elif found.verdict != INCONCLUSIVE and (effect.low > high or effect.high < low):
        verdict = CONTRADICTED
    budgets = huber_budget_close_to_laplace(evidence)
    alike = replace(found, verdict=verdict, reported_verdict=budgets.reported_verdict)
    distances = [
        [total_variation(Huber.from_variance(v), other.from_variance(v)) for other in KINDS]
        for v in LARGER_VARIANCES
    ]
    told = ", ".join(f"{laplace:.3f} and {gaussian:.3f}" for laplace, gaussian in distances)
    nearer = fact(
        all(laplace < gaussian for laplace, gaussian in distances),
        f"total variation to Laplace and to Gaussian noise at variance 2, 3, 4: {told}",
    )
    nearer = replace(nearer, reported_verdict=nearer.verdict)  # whatever is printed
    return all_of([alike, budgets, nearer])
