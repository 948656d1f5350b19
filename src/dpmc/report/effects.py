"""Effects pooled over many cells, how they are judged and how they are spelled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc.statistics.bootstrap import pooled_interval
from dpmc.statistics.tests import Interval, log_positive, published_metric, trial_matrix
from dpmc.studies.huber.cells import COORDINATES

HOLDS, FAILS, OPEN = "holds", "fails", "open"
WORTH_NAMING = 0.01  # an effect within one per cent is none, as for the claims


@dataclass(frozen=True)
class Finding:
    """One line of the answer: whether it holds, in a few words, and the numbers behind it."""

    verdict: str
    title: str
    text: str


def pooled_difference(
    trials: pd.DataFrame, column: str, first: str, second: str, ignore: Sequence[str] = ()
) -> Interval:
    """Return the mean over cells of the paired log RMSE of ``first`` minus ``second``.

    Cells are paired where they agree in every coordinate but ``column`` and ``ignore``; the 95 %
    interval is bootstrapped over trials (NaN with few trials).
    """
    keys = [name for name in COORDINATES if name not in (column, *ignore)]
    logs = trials.assign(log_rmse=log_positive(published_metric(trials)))
    merged = _both(logs, column, first, second, [*keys, "trial"])
    if merged.empty:
        return Interval(np.nan, np.nan, np.nan, np.nan, 0)
    difference = merged["log_rmse_first"] - merged["log_rmse_second"]
    _, matrix = trial_matrix(merged, difference, keys)
    return pooled_interval(matrix)


def _both(frame, column, first, second, keys) -> pd.DataFrame:
    names = [*keys, "log_rmse"]
    left, right = (frame.loc[frame[column] == value, names] for value in (first, second))
    return left.merge(right, on=keys, suffixes=("_first", "_second"))


def printed_difference(
    comparison: pd.DataFrame, column: str, first: str, second: str, ignore: Sequence[str] = ()
) -> float:
    """Return the same mean difference between the printed numbers."""
    rows = comparison[comparison["metric"] != "epsilon"]
    keys = [name for name in COORDINATES if name not in (column, *ignore)]
    logs = rows.assign(log_rmse=log_positive(rows["published"]))
    merged = _both(logs, column, first, second, keys)
    return float((merged["log_rmse_first"] - merged["log_rmse_second"]).mean())


def judged(interval: Interval) -> str:
    """Judge "the first has the lower error" by a pooled interval of log ratios.

    Holds if the interval lies below 0 and the effect is worth naming; fails if the interval
    excludes every advantage worth naming; open otherwise.
    """
    if interval.high < 0 and interval.estimate < -WORTH_NAMING:
        return HOLDS
    return FAILS if interval.low > -WORTH_NAMING else OPEN


def effect_text(interval: Interval) -> str:
    """Spell a log ratio with its interval in per cent."""
    if not np.isfinite(interval.estimate):
        return "not run"
    if not np.isfinite(interval.low):
        return f"{signed(interval.estimate)} (too few trials for an interval)"
    low, high = (f"{100 * np.expm1(value):+.2f}" for value in (interval.low, interval.high))
    return f"{signed(interval.estimate)} [{low}, {high}]".replace("-", "−")


def signed(log_ratio: float, digits: int = 2) -> str:
    """Spell a log ratio in per cent with its sign."""
    if not np.isfinite(log_ratio):
        return "–"
    return f"{100 * np.expm1(log_ratio):+.{digits}f} %".replace("-", "−")
