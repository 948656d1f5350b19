"""Claims that compare Huber, Gaussian and Laplace noise on synthetic data: H1 to H6, H32, H33."""

from dataclasses import replace

import numpy as np

from dpmc.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    MARGIN,
    NO_EFFECT,
    NOT_REPORTED,
    OURS,
    POOLED,
    SUPPORTED,
    Finding,
)
from dpmc.frame.judging.power import trials_off_zero
from dpmc.frame.judging.rules import (
    Tally,
    all_of,
    at_least,
    combined,
    count,
    judge_all,
    judge_most,
    judge_pooled,
    mirrored,
    obstacle_to,
    percent,
    pooled_verdict,
    tally,
    verdict_of,
)
from dpmc.statistics.bootstrap import pooled_interval, pooled_spread_ratio
from dpmc.studies.huber.claims.budgets import huber_budget_close_to_laplace
from dpmc.studies.huber.claims.contrasts import average, delta, deltas, synthetic_grid
from dpmc.studies.huber.claims.evidence import Evidence, claim

NOISES = ("huber", "gaussian", "laplace")
COMPARABLE = np.log1p(0.02)
SMALL, LARGE = 0.05, 0.15
TABLE_3 = [5]  # its rank


@claim("H1")
def huber_wins_sometimes_and_never_loses_by_much(evidence: Evidence) -> Finding:
    """A significant win against each other noise, and no cell significantly more than 2 % worse."""
    huber, gaussian, laplace = map(synthetic_grid, NOISES)
    others = [evidence.sample(deltas(huber, other)) for other in (gaussian, laplace)]
    best = evidence.sample_against_best(huber, gaussian, laplace)
    ours = [*(tally(other.ours) for other in others), tally(best.ours, COMPARABLE)]
    reported = [*(count(other.reported) for other in others), count(best.reported, COMPARABLE)]
    pooled = judge_pooled(best)
    found = (
        f"{ours[0].wins} wins against Gaussian, {ours[1].wins} against Laplace, {ours[2].losses} "
        f"cells more than 2 % worse than the better (reported: {reported[0].wins}, "
        f"{reported[1].wins}, {reported[2].losses}); against the better: {pooled.reason}"
    )
    return replace(
        pooled,
        verdict=_wins_or_matches(*ours, pooled.verdict == NO_EFFECT),
        reported_verdict=_wins_or_matches(*reported),
        reason=ours[2].obstacle or found,
    )


@claim("H2")
def huber_lowest_at_rank_5(evidence: Evidence) -> Finding:
    """ALL rank-5 comparisons of Huber with Gaussian and with Laplace noise."""
    huber, gaussian, laplace = (synthetic_grid(noise, ranks=[5]) for noise in NOISES)
    rows = count(evidence.sample_against_best(huber, gaussian, laplace).reported)
    found = judge_all(evidence.sample(deltas(huber, gaussian) + deltas(huber, laplace)))
    return replace(found, reason=f"{found.reason} ({rows.wins} of {rows.total} rows)")


@claim("H3")
def huber_lowest_in_the_majority(evidence: Evidence) -> Finding:
    """MOST rows against the better of Gaussian and Laplace noise."""
    return judge_most(evidence.sample_against_best(*map(synthetic_grid, NOISES)))


@claim("H4")
def gaussian_lowest_in_a_few_cases_at_higher_rank(evidence: Evidence) -> Finding:
    """At ranks 10 and 20, Gaussian noise is lowest in some rows and Huber noise in more."""
    huber, gaussian, laplace = (synthetic_grid(noise, ranks=[10, 20]) for noise in NOISES)
    huber_best = evidence.sample_against_best(huber, gaussian, laplace)
    gaussian_best = evidence.sample_against_best(gaussian, huber, laplace)
    ours = tally(gaussian_best.ours), tally(huber_best.ours)
    reported = count(gaussian_best.reported), count(huber_best.reported)
    pooled = judge_pooled(huber_best)
    not_best = pooled.verdict in (CONTRADICTED, NO_EFFECT)
    found = (
        f"significantly lowest: Gaussian {ours[0].wins}, Huber {ours[1].wins} of {ours[0].total} "
        f"(reported lowest: {reported[0].wins}, {reported[1].wins}); "
        f"Huber against the better: {pooled.reason}"
    )
    return replace(
        pooled,
        verdict=pooled.verdict if not_best else _some_but_fewer(*ours),
        reported_verdict=_some_but_fewer(*reported),
        reason=ours[0].obstacle or found,
    )


@claim("H5")
def huber_more_accurate_than_laplace_at_a_similar_budget(evidence: Evidence) -> Finding:
    """MOST rank-5 rows against Laplace noise, and at most 10 % more budget from variance 2 on."""
    rows = deltas(*(synthetic_grid(noise, ranks=TABLE_3) for noise in ("huber", "laplace")))
    return all_of([judge_most(evidence.sample(rows)), huber_budget_close_to_laplace(evidence)])


@claim("H6")
def gaussian_does_not_reduce_rmse(evidence: Evidence) -> Finding:
    """At rank 5 neither pooled effect of Gaussian noise, against the others, is below -1 %."""
    gaussian = synthetic_grid("gaussian", ranks=TABLE_3)
    others = {
        other: deltas(gaussian, synthetic_grid(other, ranks=TABLE_3))
        for other in ("huber", "laplace")
    }
    return all_of([_not_below_margin(evidence, name, rows) for name, rows in others.items()])


@claim("H32")
def laplace_is_inconsistent(evidence: Evidence) -> Finding:
    """The RMSE of Laplace noise varies more over trials than that of the other two."""
    huber, gaussian, laplace = (
        np.exp([evidence.ours.row(cell) for cell in synthetic_grid(noise)]) for noise in NOISES
    )
    trials = np.isfinite(huber + gaussian + laplace).sum(axis=1)
    obstacle = obstacle_to(trials)
    ratios = [pooled_spread_ratio(laplace, other) for other in (gaussian, huber)]
    verdicts = [pooled_verdict(mirrored(ratio)) for ratio in ratios]
    found = " and ".join(
        f"{np.exp(ratio.estimate):.2f} ({np.exp(ratio.low):.2f} to {np.exp(ratio.high):.2f}) {name}"
        for ratio, name in zip(ratios, ("Gaussian", "Huber"), strict=True)
    )
    verdict = INCONCLUSIVE if obstacle else combined(verdicts)
    open_one = verdict == INCONCLUSIVE and not obstacle
    return Finding(
        verdict,
        INCONCLUSIVE,
        ratios[0].estimate,
        ratios[0].low,
        ratios[0].high,
        int(trials.min()),
        f"{obstacle or f'standard deviation of Laplace in units of {found}'}; {NOT_REPORTED}",
        POOLED,
        MARGIN[1],
        OURS,
        max(map(trials_off_zero, ratios)) if open_one else np.nan,
    )


@claim("H33")
def gaussian_works_best_at_small_fractions(evidence: Evidence) -> Finding:
    """Gaussian noise against the mean of the others: below 0 at 5 %, and lower than at 15 %."""
    small, large = _gaussian_advantage(SMALL), _gaussian_advantage(LARGE)
    trend = [at_small - at_large for at_small, at_large in zip(small, large, strict=True)]
    level, slope = judge_pooled(evidence.sample(small)), judge_pooled(evidence.sample(trend))
    return all_of(
        [
            replace(level, reason=f"at 5 %: {level.reason}"),
            replace(slope, reason=f"5 % minus 15 %: {slope.reason}"),
        ]
    )


def _gaussian_advantage(fraction: float) -> list:
    cells = (synthetic_grid(noise, fractions=[fraction]) for noise in NOISES)
    return [
        average([delta(gaussian, huber), delta(gaussian, laplace)])
        for huber, gaussian, laplace in zip(*cells, strict=True)
    ]


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


def _some_but_fewer(few: Tally, many: Tally) -> str:
    if few.obstacle or many.obstacle:
        return INCONCLUSIVE
    if few.wins > many.wins:
        return CONTRADICTED
    return SUPPORTED if 1 <= few.wins < many.wins else INCONCLUSIVE


def _not_below_margin(evidence: Evidence, other: str, rows: list) -> Finding:
    sample = evidence.sample(rows)
    found, pooled = judge_pooled(sample), pooled_interval(sample.ours)
    theirs = float(sample.reported.mean())
    return replace(
        found,
        verdict=INCONCLUSIVE if tally(sample.ours).obstacle else at_least(pooled, MARGIN[0]),
        reported_verdict=verdict_of(theirs >= MARGIN[0]),
        reason=f"against {other}: {found.reason}, mean {percent(theirs)}",
    )
