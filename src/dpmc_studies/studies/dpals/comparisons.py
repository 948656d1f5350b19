"""The places at which methods are compared: by data set and epsilon."""

import pandas as pd

from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive

PLACE = ("dataset", "epsilon")


def places(rows: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """Return log RMSE of rows of one variant by (data set, epsilon): a column a method."""
    return paired.places(rows, log_positive(rows["rmse"]), PLACE, "method")
