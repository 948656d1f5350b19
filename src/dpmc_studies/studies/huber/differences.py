"""Huber noise against the other mechanisms, cell by cell: ours and what is reported."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import METHOD_LABELS, SYNTHETIC, select
from dpmc_studies.statistics.tests import holm, row_tests
from dpmc_studies.studies.huber.statistics import log_by_trial

OTHERS = ("gaussian", "laplace")
SETTING = ["dataset", "rank", "variance", "observed_fraction"]


def differences(trials: pd.DataFrame, comparison: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the paired differences of log RMSE, Huber minus each other mechanism.

    The result has one row for each cell with Huber noise and each other mechanism: the difference
    with its 95 % t interval, ``p_adjusted`` (Holm over all rows), and the same difference of the
    ``reported`` numbers. The two methods can differ: on real data the papers ran Gaussian noise
    with ALS only.
    """
    huber = trials[(trials["mechanism"] == "huber") & _not_irls_two(trials)]
    rows = []
    keys = [*SETTING, "method"]
    for values, cell in huber.groupby(keys, sort=True):
        setting = dict(zip(keys, values, strict=True))
        for other in OTHERS:
            row = _difference(trials, cell, setting, other)
            if row:
                rows.append({**setting, "other": other, **row, "reported": np.nan})
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    frame["p_adjusted"] = holm(frame.pop("p_value"))
    if comparison is not None:
        frame["reported"] = [_reported(comparison, row) for row in frame.itertuples()]
    return frame


def _difference(trials, cell, setting, other) -> dict | None:
    place = {name: setting[name] for name in SETTING}
    peers = select(trials, **place, mechanism=other)
    methods = [setting["method"], *METHOD_LABELS]
    method = next((name for name in methods if (peers["method"] == name).any()), None)
    if method is None:
        return None
    theirs = log_by_trial(peers[peers["method"] == method])
    values = (log_by_trial(cell) - theirs).dropna()
    tests = row_tests(values.to_numpy()[None, :])
    return {
        "other_method": method,
        "difference": tests.mean[0],
        "low": tests.low[0],
        "high": tests.high[0],
        "trials": len(values),
        "p_value": tests.p_value[0],
    }


def _reported(comparison: pd.DataFrame, row) -> float:
    """Difference of the reported numbers; the real tables are keyed without a variance."""
    place = {"dataset": row.dataset, "observed_fraction": row.observed_fraction}
    if row.dataset == SYNTHETIC:
        place |= {"rank": row.rank, "variance": row.variance}
    found = select(comparison[_not_irls_two(comparison)], **place)
    ours = select(found, method=row.method, mechanism="huber")["published"]
    theirs = select(found, method=row.other_method, mechanism=row.other)["published"]
    if ours.empty or theirs.empty:
        return np.nan
    return float(np.log(ours.iloc[0] / theirs.iloc[0]))


def _not_irls_two(frame: pd.DataFrame) -> np.ndarray:
    """IRLS-2 of the real tables is a variant of its own, not the Huber model compared here."""
    return frame["irls_iterations"].to_numpy(dtype=float, na_value=np.nan) != 2
