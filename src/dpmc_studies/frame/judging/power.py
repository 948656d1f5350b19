"""The approximate number of trials that would decide an inconclusive claim."""

import numpy as np
from scipy import special

from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.finding import ALL, EQUIVALENCE, MOST, MOST_OF_ALL
from dpmc_studies.statistics.tests import LEVEL, Interval, RowTests, row_tests


def trials_needed(
    rule: str, values: np.ndarray, threshold: float = 0.0, choices: Choices = USUAL
) -> float:
    """Return about how many trials would decide, at unchanged means and spreads.

    The result is the smaller of two numbers: trials that would show that there is no effect, and
    trials that would decide by the rule. POOLED and MOST decide by an interval without 0, MOST also
    by wins of more than half of the comparisons, and ALL by wins of 90 % of them or by one loss.

    ``values`` has shape (comparisons, trials); ``threshold`` is the value that comparisons are
    tested against. The result is rounded to two significant digits. It is NaN with too few trials
    for an interval, and infinite if no number of trials is enough.
    """
    tests, pooled = row_tests(values, null=threshold), choices.pooled(values)
    trials = int(tests.trials.min())
    if trials < 2 or (rule != ALL and not np.isfinite(pooled.low)):
        return np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        width = (pooled.high - pooled.low) / 2
        by_effect = (width / np.abs(pooled.estimate - threshold)) ** 2
        half = special.stdtrit(trials - 1, 1 - LEVEL / (2 * len(values))) * tests.standard_error
        by_row = (half / np.abs(tests.mean - threshold)) ** 2
    wins, losses = np.sort(by_row[tests.mean < threshold]), by_row[tests.mean > threshold]
    if rule == ALL:
        enough = int(np.ceil(MOST_OF_ALL * len(values)))
        won = wins[enough - 1] if enough <= len(wins) else np.inf
        decided = min(won, losses.min(initial=np.inf))
    elif rule == MOST and pooled.estimate < threshold:
        enough = len(values) // 2 + 1
        decided = max(by_effect, wins[enough - 1]) if enough <= len(wins) else np.inf
    else:
        decided = by_effect
    room = choices.margin()[1] - abs(pooled.estimate)
    quantiles = special.stdtrit(trials - 1, [(1 + EQUIVALENCE) / 2, 1 - LEVEL / 2])
    none = (width * quantiles[0] / quantiles[1] / room) ** 2 if room > 0 else np.inf
    possible = threshold == 0 and np.isfinite(none) and choices.few_beyond(values)
    none = none if possible else np.inf
    return _more(trials, min(decided, none))


def trials_off_zero(interval: Interval) -> float:
    """Return about how many trials would exclude 0 from an interval, as :func:`trials_needed`."""
    half = (interval.high - interval.low) / 2
    return _more(interval.trials, (half / interval.estimate) ** 2 if interval.estimate else np.inf)


def trials_to_settle(tests: RowTests, low: float, high: float) -> float:
    """Return about how many trials would decide whether all means are in [low, high].

    At unchanged means and spreads, one interval is then wholly outside, if its mean is, or all
    intervals are inside. Rounded to two significant digits; infinite if a mean is at a bound.
    """
    room = np.minimum(tests.mean - low, high - tests.mean)  # below 0 outside
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(room == 0, np.inf, np.square((tests.high - tests.mean) / room))
    factor = factor[room < 0].min() if (room < 0).any() else factor.max()
    return _more(int(tests.trials.min()), factor)


def _more(trials: int, factor: float) -> float:
    """Return ``factor`` times as many trials, at least one more, rounded up to two digits."""
    if not np.isfinite(factor):
        return np.inf
    number = max(trials * factor, trials + 1)
    unit = 10.0 ** max(np.floor(np.log10(number)) - 1, 0)
    return float(np.ceil(number / unit) * unit)
