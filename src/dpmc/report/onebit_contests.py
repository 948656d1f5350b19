"""Which one-bit mechanism is best where: paired comparisons over the draws of a cell."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc.experiments.statistics import holm, log_positive, row_tests
from dpmc.report.onebit_frames import FREE, metric_of

PLACE = ["dataset", "link", "constraint", "observed_share"]
LEVEL = 0.05
ROUNDING = 1 + 1e-9  # by which a proven epsilon may exceed a claimed one without being another


@dataclass(frozen=True)
class Contest:
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


def scores(trials: pd.DataFrame, stage: str) -> pd.Series:
    """Return per row what is compared, higher is better: accuracy, or minus log ARE."""
    real = metric_of(trials["dataset"].iloc[0], stage).startswith("accuracy")
    values = trials[metric_of(trials["dataset"].iloc[0], stage)].astype(float)
    return values if real else pd.Series(-log_positive(values), trials.index)


def contests(trials: pd.DataFrame, names: Collection[str], stage: str) -> Iterator[Contest]:
    """Yield the best of ``names`` for every link and epsilon.

    Parameters
    ----------
    trials : DataFrame
        Rows of one data set, constraint and share.
    names : collection of str
        Mechanisms.
    stage : str
        "raw" or "truncated".
    """
    here = trials[trials["mechanism"].isin(list(names)) & trials["epsilon"].notna()]
    if here.empty:
        return
    here = here.assign(score=scores(here, stage))
    for (link, epsilon), part in here.groupby(["link", "epsilon"]):
        wide = part.pivot(index="trial", columns="mechanism", values="score")
        best = wide.mean().idxmax()
        others = wide.columns.drop(best)
        tests = row_tests((wide[[best]].to_numpy() - wide[others].to_numpy()).T)
        # without a test (one draw) nothing is told apart
        apart = np.nan_to_num(holm(tests.p_value), nan=1.0) < LEVEL
        yield Contest(link, float(epsilon), best, not bool(apart.all()))


def against(trials: pd.DataFrame, names: Collection[str], other: str, stage: str) -> pd.DataFrame:
    """Compare the best of ``names`` with another mechanism, for every link and epsilon.

    Parameters
    ----------
    trials : DataFrame
        Rows of one data set, constraint and share.
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
    scored = trials.assign(score=scores(trials, stage)) if len(trials) else trials
    for contest in contests(trials, names, stage):
        here = scored[scored["link"] == contest.link]
        mine = here[(here["mechanism"] == contest.best) & (here["epsilon"] == contest.epsilon)]
        theirs = here[here["mechanism"] == other]
        if other not in FREE:
            theirs = theirs[theirs["epsilon"] == contest.epsilon]
        pairs = mine.merge(theirs, on="trial", suffixes=("", "_other"))
        if len(pairs):
            tests = row_tests((pairs["score"] - pairs["score_other"]).to_numpy())
            found = (float(tests.mean[0]), float(tests.p_value[0]))
            rows.append((contest.link, contest.epsilon, contest.best, *found))
    table = pd.DataFrame(rows, columns=["link", "epsilon", "best", "difference", "p_value"])
    return table.assign(p_holm=holm(table["p_value"]))


def better(table: pd.DataFrame) -> int:
    """Count the rows of :func:`against` in which the best of the names is significantly better."""
    return int(((table["difference"] > 0) & (table["p_holm"] < LEVEL)).sum())


def worse(table: pd.DataFrame) -> int:
    """Count the rows in which it is significantly worse."""
    return int(((table["difference"] < 0) & (table["p_holm"] < LEVEL)).sum())


def keeps_claim(trials: pd.DataFrame) -> pd.Series:
    """Say per row whether what is proven is what is claimed."""
    epsilon = trials["actual_epsilon"] <= trials["claimed_epsilon"] * ROUNDING
    return epsilon & (trials["actual_delta"] <= trials["claimed_delta"])
