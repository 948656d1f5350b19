"""Claims of the thesis's chapter 3, and of the paper's section 3.1, on methods: H40 to H43.

Speed is seconds until the error is within 1 % of the least that a method comes to, so that it
hangs neither on when a method is stopped nor on how well it does in the end.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import INCONCLUSIVE, NOT_AVAILABLE, NOT_REPORTED, Finding
from dpmc_studies.frame.judging.rules import all_of, always_below, named
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.statistics import seconds_and_errors

MUCH = 3.0  # times as fast
ADEQUATE = 0.1  # more error than the exact method
ALS = ("als", "als_published")
NO_DATA = (
    "the chapter names no data: MovieLens 100K, our code; FTF has a penalty where the thesis has "
    "a constraint, and ALS alone does not take the mean out first"
)
LABELS = {
    "svt": "SVT",
    "svd": "SVD",
    "fast_tri": "FTF",
    "als": "ALS",
    "als_published": "ALS with the papers' settings",
}


@claim("H40")
def factorisations_are_fast_and_adequate(evidence: Evidence) -> Finding:
    measured = _measured(evidence.thesis_methods)
    if measured is None:
        return _missing()
    both = ("fast_tri", "als")
    near, whole = (
        always_below(_ratios(measured[name], both, "svt"), -np.log(evidence.choices.widened(MUCH)))
        for name in ("seconds", "total")
    )
    told = f"to near the least error {near.reason}; of the whole fit {whole.reason}"
    agreed = near.verdict if near.verdict == whole.verdict else INCONCLUSIVE
    speed = replace(near, verdict=agreed, reason=told)
    adequate = np.log1p(evidence.choices.widened(ADEQUATE))
    error = always_below(_ratios(measured["rmse"], both, "svt"), adequate)
    return _told(all_of([speed, named("least error", error)]), measured)


@claim("H41")
def small_matrices_save_much(evidence: Evidence) -> Finding:
    measured = _measured(evidence.thesis_methods)
    if measured is None:
        return _missing()
    ratios = _ratios(measured["step"], ("fast_tri",), "svt")
    return _told(always_below(ratios, -np.log(evidence.choices.widened(MUCH))), measured)


@claim("H42")
def als_is_faster_than_tri_factorisation(evidence: Evidence) -> Finding:
    measured = _measured(evidence.thesis_methods)
    if measured is None:
        return _missing()
    return _told(_faster_than(measured, "fast_tri"), measured)


@claim("H43")
def als_is_faster_than_the_nuclear_norm(evidence: Evidence) -> Finding:
    measured = _measured(evidence.thesis_methods)
    if measured is None:
        return _missing()
    return _told(_faster_than(measured, "svt"), measured)


def _faster_than(measured: Mapping[str, pd.DataFrame], other: str) -> Finding:
    """Judge whether ALS takes fewer seconds, however few: the margin of 1 % is one of errors."""
    found = always_below(_ratios(measured["seconds"], ALS, other))
    return replace(found, margin=np.nan, margin_of="")


def _measured(table: pd.DataFrame | None) -> Mapping[str, pd.DataFrame] | None:
    return None if table is None or table.empty else seconds_and_errors(table)


def _missing() -> Finding:
    return Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (seconds and errors of the four methods)")


def _ratios(measured: pd.DataFrame, names: tuple[str, ...], other: str) -> dict[str, np.ndarray]:
    """Return by method the log ratio to another one, by trial."""
    logs = np.log(measured)
    return {
        f"{LABELS[name]} over {LABELS[other]}": (logs[name] - logs[other]).to_numpy()
        for name in names
    }


def _told(found: Finding, measured: Mapping[str, pd.DataFrame]) -> Finding:
    parts = [
        f"{LABELS[name]} {measured['seconds'][name].mean():.2g} s, least RMSE "
        f"{measured['rmse'][name].mean():.3f}"
        for name in measured["rmse"]
    ]
    told = f"{NO_DATA}; {', '.join(parts)}; {found.reason}; {NOT_REPORTED}"
    return replace(found, reason=told)
