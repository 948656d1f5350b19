"""How fast the methods are: error by step with its fitted slope, and CPU time by matrix size."""

import numpy as np
import pandas as pd
from scipy import stats

from dpmc_studies.statistics.tests import mean_interval
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.frames import summary

NEAR = 1.05  # within 5 % of the best error a method has arrived


def by_step(iterations: pd.DataFrame, metric: str = "rse") -> pd.DataFrame:
    """Return the mean error of every cell after every step, with its 95 % interval."""
    return summary(iterations, metric, (*DPALS_COORDINATES, "iteration"))


def slopes(iterations: pd.DataFrame, metric: str = "rse") -> pd.DataFrame:
    """Fit log error against the step, by trial, up to the step that comes near the lowest error.

    From one row a cell, trial and step comes a row a cell: its coordinates, ``factor`` (by which
    the error changes each step, exp of the mean slope), ``low``, ``high`` (95 % t interval over
    trials), ``intercept`` (of the fit to the mean of the logarithms), ``best`` (the first step
    within 5 % of the lowest mean error, the last that is fitted), ``lowest`` (that error),
    ``trials``. One step has no slope.
    """
    rows = []
    for cell, part in iterations.groupby(list(DPALS_COORDINATES), dropna=False):
        wide = part.pivot(index="iteration", columns="trial", values=metric).sort_index().dropna()
        if wide.empty:
            continue
        mean = wide.mean(axis=1)
        best = int(mean.index[(mean <= NEAR * mean.min()).argmax()])
        fitted = np.log(wide.loc[:best])
        one = mean_interval(_slopes(fitted))
        steps = fitted.index.to_numpy(dtype=float)
        start = float(fitted.to_numpy().mean() - one.estimate * steps.mean())
        ends = np.exp([one.estimate, one.low, one.high])
        named = dict(zip(DPALS_COORDINATES, cell, strict=True))
        rows.append(
            named
            | dict(zip(("factor", "low", "high"), ends, strict=True))
            | {"intercept": start, "best": best, "lowest": mean.min()}
            | {"trials": wide.shape[1]}
        )
    names = ["factor", "low", "high", "intercept", "best", "lowest", "trials"]
    return pd.DataFrame(rows, columns=[*DPALS_COORDINATES, *names])


def _slopes(fitted: pd.DataFrame) -> np.ndarray:
    """Least-squares slopes of the columns; NaN where there is a single step."""
    steps = fitted.index.to_numpy(dtype=float)
    centred = steps - steps.mean()
    if len(steps) < 2:
        return np.full(fitted.shape[1], np.nan)
    return centred @ fitted.to_numpy() / (centred @ centred)


def growth(timing: pd.DataFrame) -> pd.DataFrame:
    """Fit log CPU seconds of an iteration against the log number of ratings, by method.

    From one row a method, size and repeat come ``method``, ``slope``, ``low``, ``high`` (95 % t
    interval of the least-squares slope over the medians of the sizes; NaN with fewer than three),
    ``sizes``.
    """
    rows = []
    for method, part in timing.groupby("method"):
        medians = np.log(part.groupby("ratings")["seconds"].median())
        x, y = np.log(medians.index.to_numpy(dtype=float)), medians.to_numpy()
        rows.append((method, *_fit(x, y), len(x)))
    return pd.DataFrame(rows, columns=["method", "slope", "low", "high", "sizes"])


def _fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    if len(x) < 2:
        return np.nan, np.nan, np.nan
    if len(x) == 2:
        return float((y[1] - y[0]) / (x[1] - x[0])), np.nan, np.nan
    fit = stats.linregress(x, y)
    half = stats.t.ppf(0.975, len(x) - 2) * fit.stderr
    return float(fit.slope), float(fit.slope - half), float(fit.slope + half)
