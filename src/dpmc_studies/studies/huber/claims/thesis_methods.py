"""Claims of the thesis's chapter 3, and of the paper's section 3.1, on methods: H40 to H43.

Speed is seconds until the error is within 1 % of the least that a method comes to, so that it
hangs neither on when a method is stopped nor on how well it does in the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import INCONCLUSIVE, NOT_REPORTED, Finding
from dpmc_studies.frame.judging.rules import all_of, always_below, named, not_available
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.statistics import seconds_and_errors

Measured = Mapping[str, pd.DataFrame]
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
    return _judged(evidence, _fast_and_adequate)


def _fast_and_adequate(measured: Measured, choices: Choices) -> Finding:
    both = ("fast_tri", "als")
    much, adequate = -np.log(choices.widened(MUCH)), np.log1p(choices.widened(ADEQUATE))
    near, whole = (
        always_below(_ratios(measured[name], both, "svt"), much) for name in ("seconds", "total")
    )
    told = f"to near the least error {near.reason}; of the whole fit {whole.reason}"
    agreed = near.verdict if near.verdict == whole.verdict else INCONCLUSIVE
    speed = replace(near, verdict=agreed, reason=told)
    error = always_below(_ratios(measured["rmse"], both, "svt"), adequate)
    return all_of([speed, named("least error", error)])


@claim("H41")
def small_matrices_save_much(evidence: Evidence) -> Finding:
    def cheaper(measured: Measured, choices: Choices) -> Finding:
        ratios = _ratios(measured["step"], ("fast_tri",), "svt")
        return always_below(ratios, -np.log(choices.widened(MUCH)))

    return _judged(evidence, cheaper)


@claim("H42")
def als_is_faster_than_tri_factorisation(evidence: Evidence) -> Finding:
    return _judged(evidence, partial(_als_is_faster, "fast_tri"))


@claim("H43")
def als_is_faster_than_the_nuclear_norm(evidence: Evidence) -> Finding:
    return _judged(evidence, partial(_als_is_faster, "svt"))


def _als_is_faster(than: str, measured: Measured, choices: Choices) -> Finding:
    """Judge whether ALS takes fewer seconds, however few: the margin of 1 % is one of errors."""
    found = always_below(_ratios(measured["seconds"], ALS, than))
    return replace(found, margin=np.nan, margin_of="")


def _judged(evidence: Evidence, judge: Callable[[Measured, Choices], Finding]) -> Finding:
    table = evidence.thesis_methods
    if table is None or table.empty:
        return not_available("seconds and errors of the four methods")
    measured = seconds_and_errors(table)
    found = judge(measured, evidence.choices)
    parts = [
        f"{LABELS[name]} {measured['seconds'][name].mean():.2g} s, least RMSE "
        f"{measured['rmse'][name].mean():.3f}"
        for name in measured["rmse"]
    ]
    told = f"{NO_DATA}; {', '.join(parts)}; {found.reason}; {NOT_REPORTED}"
    return replace(found, reason=told)


def _ratios(measured: pd.DataFrame, names: tuple[str, ...], other: str) -> dict[str, np.ndarray]:
    """Return by method the log ratio to another one, by trial."""
    logs = np.log(measured)
    return {
        f"{LABELS[name]} over {LABELS[other]}": (logs[name] - logs[other]).to_numpy()
        for name in names
    }
