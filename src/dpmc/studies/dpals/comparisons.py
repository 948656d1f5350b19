"""The places at which methods are compared: by data set and epsilon."""

from collections.abc import Mapping

import pandas as pd

from dpmc.statistics import paired
from dpmc.statistics.tests import log_positive
from dpmc.studies.dpals.frames import LOCAL_BAYES, tuned

PLACE = ("dataset", "epsilon")


def places(rows: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """Return log RMSE of rows of one variant by (data set, epsilon): a column a method."""
    return paired.places(rows, log_positive(rows["rmse"]), PLACE, "method")


def of_local_bayes(trials: pd.DataFrame | None) -> Mapping[tuple, paired.Pair]:
    """Set Local Bayes against the best of the others, each at settings that we searched."""
    rows = tuned(trials)
    if rows.empty:
        return {}
    return paired.pairs(places(rows), [LOCAL_BAYES], set(rows["method"]) - {LOCAL_BAYES})
