"""How the DPALS paper's claims are judged beside ALL: within bounds, below in some case."""

import numpy as np

from dpmc.statistics.tests import row_tests
from dpmc.study.rules import (
    CONTRADICTED,
    INCONCLUSIVE,
    LEVEL,
    NOT_AVAILABLE,
    OURS,
    SUPPORTED,
    WITHIN,
    Finding,
    Formatter,
    Rows,
    obstacle_to,
    percent,
    tally,
    trials_to_settle,
)

SOME = "some"


def not_available(what: str) -> Finding:
    """Return the finding on a claim whose table has not been made."""
    return Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} ({what})")


def plain(value: float) -> str:
    """Format an RMSE or a recall."""
    return f"{value:.4f}"


def times(log_ratio: float) -> str:
    """Format a log ratio as a factor."""
    return f"{np.exp(log_ratio):.3g}-fold"


def inside(
    rows: Rows,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    formatter: Formatter = percent,
    margin_of: str = OURS,
) -> Finding:
    """Judge that means lie in [low, high], by simultaneous t-intervals (Bonferroni, 95 %).

    Supported if every interval lies inside, contradicted if any lies wholly outside. The effect
    is the mean with the least room to a bound, or furthest beyond it, with its interval; the
    margin is the upper bound, or the lower if there is no upper, and ``margin_of`` says whose.
    """
    margin = high if np.isfinite(high) else low
    tests = row_tests(np.array(list(rows.values())), confidence=1 - LEVEL / len(rows))
    trials = int(tests.trials.min())
    obstacle = obstacle_to(tests.trials)
    if obstacle:
        means = f": {formatted_means(rows, formatter)}" if trials else ""
        return Finding(
            INCONCLUSIVE,
            n=trials,
            reason=obstacle + means,
            rule=WITHIN,
            margin=margin,
            margin_of=margin_of,
        )
    holds = (tests.low >= low) & (tests.high <= high)
    fails = (tests.high < low) | (tests.low > high)
    least = int(np.argmin(np.minimum(tests.mean - low, high - tests.mean)))
    effect, lower, upper = (float(side[least]) for side in (tests.mean, tests.low, tests.high))
    verdict = CONTRADICTED if fails.any() else SUPPORTED if holds.all() else INCONCLUSIVE
    return Finding(
        verdict,
        INCONCLUSIVE,
        effect,
        lower,
        upper,
        trials,
        f"{_bounds(low, high, formatter)}: {holds.sum()} hold, {fails.sum()} do not, "
        f"{(~holds & ~fails).sum()} undecided of {len(rows)}; nearest or furthest off "
        f"{list(rows)[least]} {formatter(effect)} ({formatter(lower)} to {formatter(upper)}); "
        f"n = {trials}",
        WITHIN,
        margin,
        margin_of,
        trials_to_settle(tests, low, high) if verdict == INCONCLUSIVE else np.nan,
    )


def some_below(rows: Rows) -> Finding:
    """Judge that some comparison is below 0, Holm-corrected; contradicted if all are above."""
    matrix = np.array(list(rows.values()))
    counts = tally(matrix)
    tests = row_tests(matrix)
    trials = int(tests.trials.min())
    if counts.obstacle:
        return Finding(INCONCLUSIVE, n=trials, reason=counts.obstacle, rule=SOME)
    least = int(np.argmin(tests.mean))
    effect, lower, upper = (float(side[least]) for side in (tests.mean, tests.low, tests.high))
    opposite = CONTRADICTED if counts.losses == counts.total else INCONCLUSIVE
    return Finding(
        SUPPORTED if counts.wins else opposite,
        INCONCLUSIVE,
        effect,
        lower,
        upper,
        trials,
        f"{counts.formatted()}; least {list(rows)[least]} {percent(effect)} ({percent(lower)} to "
        f"{percent(upper)}); n = {trials}",
        SOME,
    )


def best(rows: Rows) -> tuple[str, np.ndarray]:
    """Return the row with the least mean over trials, or one that has none, with its name."""
    means = row_tests(np.array(list(rows.values()))).mean
    place = int(np.argmin(means))  # a missing mean counts as the least
    return list(rows.items())[place]


def formatted_means(rows: Rows, formatter: Formatter = plain) -> str:
    """Format mean values, "-" where there is none."""
    means = {name: row_tests(row).mean[0] for name, row in rows.items()}
    return ", ".join(
        f"{name} {formatter(mean) if np.isfinite(mean) else '-'}" for name, mean in means.items()
    )


def _bounds(low: float, high: float, formatter: Formatter) -> str:
    if np.isinf(high):
        return f"at least {formatter(low)}"
    return (
        f"at most {formatter(high)}" if np.isinf(low) else f"{formatter(low)} to {formatter(high)}"
    )
