"""How fast the methods are: error by step with its fitted slope, and CPU time by matrix size."""

import numpy as np
import pandas as pd

from dpmc_studies.statistics.tests import mean_interval
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.theory import slope_of

NEAR = 1.05  # within 5 % of the best error a method has arrived


def slopes(iterations: pd.DataFrame, metric: str = "rse") -> pd.DataFrame:
    """Fit log error against the step, by trial, up to the step that comes near the lowest error.

    From one row a cell, trial and step comes a row a cell: its coordinates, ``factor`` (by which
    the error changes each step, exp of the mean slope), ``low``, ``high`` (95 % t interval over
    trials), ``best`` (the first step within 5 % of the lowest mean error, the last that is fitted),
    ``lowest`` (that error), ``trials``. One step has no slope.
    """
    rows = []
    for cell, part in iterations.groupby(list(DPALS_COORDINATES), dropna=False):
        wide = part.pivot(index="iteration", columns="trial", values=metric).sort_index().dropna()
        if wide.empty:
            continue
        mean = wide.mean(axis=1)
        best = int(mean.index[(mean <= NEAR * mean.min()).argmax()])
        fitted = np.log(wide.loc[:best])
        found = slope_of(fitted.to_numpy(), fitted.index.to_numpy(float))
        one = mean_interval(found)
        ends = np.exp([one.estimate, one.low, one.high])
        rows.append((*cell, *ends, best, mean.min(), wide.shape[1]))
    names = [*DPALS_COORDINATES, "factor", "low", "high", "best", "lowest", "trials"]
    return pd.DataFrame(rows, columns=names)


def growth(timing: pd.DataFrame) -> pd.Series:
    """Return the slope of log CPU seconds of an iteration in log ratings, by method.

    Lines are fitted by least squares to the medians of the sizes, NaN with a single one.
    """
    slopes = {}
    for method, part in timing.groupby("method"):
        medians = np.log(part.groupby("users")[["ratings", "seconds"]].median())
        values = medians["seconds"].to_numpy()
        slopes[method] = float(slope_of(values, medians["ratings"].to_numpy()))
    return pd.Series(slopes, dtype=float)
