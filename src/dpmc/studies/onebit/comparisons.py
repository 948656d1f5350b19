"""Which one-bit mechanism is best where: paired comparisons over the trials of a cell."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc.statistics.tests import holm, log_positive, row_tests
from dpmc.studies.onebit.frames import FREE, metric_of

LEVEL = 0.05
NO_NOISE = 0.0  # in place of the epsilon of what has none


@dataclass(frozen=True)
class Comparison:
    """The best of some mechanisms at one data set, link and epsilon.

    Attributes
    ----------
    link : str
    epsilon : float
    best : str
        The mechanism of the best mean.
    tied : bool
        Whether it cannot be told from another one (paired t-tests, Holm).
    """

    link: str
    epsilon: float
    best: str
    tied: bool


def scores(trials: pd.DataFrame, stage: str) -> pd.DataFrame:
    """Return what is compared, higher is better: accuracy, or minus log ARE.

    Parameters
    ----------
    trials : DataFrame
        Rows of one data set, constraint and observed fraction; at least one.
    stage : str
        "raw" or "truncated".

    Returns
    -------
    DataFrame
        A row for each trial, a column for each (link, epsilon, mechanism), with
        :data:`NO_NOISE` for no epsilon.
    """
    metric = metric_of(trials["dataset"].iloc[0], stage)
    values = trials[metric].astype(float)
    higher = values if metric.startswith("accuracy") else -log_positive(values)
    table = trials.assign(score=higher, epsilon=trials["epsilon"].fillna(NO_NOISE))
    return table.pivot(index="trial", columns=["link", "epsilon", "mechanism"], values="score")


def comparisons(trials: pd.DataFrame, names: Collection[str], stage: str) -> Iterator[Comparison]:
    """Yield the best of ``names`` for every link and epsilon.

    Parameters
    ----------
    trials : DataFrame
        Rows of one data set, constraint and observed fraction.
    names : collection of str
        Mechanisms.
    stage : str
        "raw" or "truncated".
    """
    here = trials[trials["mechanism"].isin(list(names)) & trials["epsilon"].notna()]
    if here.empty:
        return
    table = scores(here, stage).sort_index(axis="columns")
    for link, epsilon in table.columns.droplevel("mechanism").unique():
        wide = table[link, epsilon]
        best = wide.mean().idxmax()
        others = wide.columns.drop(best)
        tests = row_tests((wide[[best]].to_numpy() - wide[others].to_numpy()).T)
        # without a test (one trial) nothing is significant
        significant = np.nan_to_num(holm(tests.p_value), nan=1.0) < LEVEL
        yield Comparison(link, float(epsilon), best, not bool(significant.all()))


def against(trials: pd.DataFrame, names: Collection[str], other: str, stage: str) -> pd.DataFrame:
    """Compare the best of ``names`` with another mechanism, for every link and epsilon.

    Parameters
    ----------
    trials : DataFrame
        Rows of one data set, constraint and observed fraction.
    names : collection of str
    other : str
        A mechanism; one of those without noise stands against every epsilon.
    stage : str

    Returns
    -------
    DataFrame
        Columns ``link``, ``epsilon``, ``best``, ``difference`` of the scores (positive: the best
        of ``names`` is better) and ``p_holm``, adjusted over the rows.
    """
    rows = []
    found = list(comparisons(trials, names, stage))
    table = scores(trials, stage) if found else pd.DataFrame()
    for comparison in found:
        theirs = (comparison.link, NO_NOISE if other in FREE else comparison.epsilon, other)
        if theirs in table:
            mine = (comparison.link, comparison.epsilon, comparison.best)
            tests = row_tests((table[mine] - table[theirs]).to_numpy())
            means = (float(tests.mean[0]), float(tests.p_value[0]))
            rows.append((comparison.link, comparison.epsilon, comparison.best, *means))
    columns = ["link", "epsilon", "best", "difference", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p_holm=holm(frame["p_value"]))


def better(table: pd.DataFrame) -> int:
    """Count the rows of :func:`against` in which the best of the names is significantly better."""
    return int(((table["difference"] > 0) & (table["p_holm"] < LEVEL)).sum())


def worse(table: pd.DataFrame) -> int:
    """Count the rows in which it is significantly worse."""
    return int(((table["difference"] < 0) & (table["p_holm"] < LEVEL)).sum())
