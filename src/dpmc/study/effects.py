"""Lines of the answer, and how effects are formatted."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpmc.statistics.tests import Interval
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED


@dataclass(frozen=True)
class Answer:
    """One line of the answer.

    Attributes
    ----------
    verdict : str
        One of :data:`dpmc.study.finding.VERDICTS`.
    title : str
        What is judged, in a few words.
    text : str
        The numbers behind the verdict.
    """

    verdict: str
    title: str
    text: str


def answer_to(claims: pd.DataFrame, identifier: str) -> Answer:
    """Return the line of a claim: its verdict, its words and its numbers as they were judged.

    Parameters
    ----------
    claims : DataFrame
        Columns :data:`dpmc.study.claims.CLAIM_COLUMNS`; effects are log ratios.
    identifier : str
        Of a claim in it.
    """
    claim = claims.set_index("id").loc[identifier]
    interval = Interval(
        claim["effect"], np.nan, claim["interval_low"], claim["interval_high"], claim["n"]
    )
    text = f"{identifier}: {effect_text(interval)}"
    text += "" if pd.isna(claim["n"]) else f", {int(claim['n'])} trials a cell"
    text += f"; on the reported numbers {claim['reported_verdict']}"
    if pd.notna(claim["depends_on"]) and claim["depends_on"]:
        text += f". By another reading: {claim['depends_on']}"
    return Answer(claim["verdict"], claim["claim"], f"{text}.")


def by_count(wins: int, count: int) -> str:
    """Judge by how many comparisons hold: all of them, none, or some."""
    return SUPPORTED if wins == count else CONTRADICTED if wins == 0 else INCONCLUSIVE


def effect_text(interval: Interval) -> str:
    """Format a log ratio with its interval in per cent."""
    if not np.isfinite(interval.estimate):
        return "not run"
    if not np.isfinite(interval.low):
        return f"{signed(interval.estimate)} (too few trials for an interval)"
    low, high = (f"{100 * np.expm1(value):+.2f}" for value in (interval.low, interval.high))
    return f"{signed(interval.estimate)} [{low}, {high}]".replace("-", "−")


def signed(log_ratio: float, digits: int = 2) -> str:
    """Format a log ratio in per cent with its sign."""
    if not np.isfinite(log_ratio):
        return "–"
    return f"{100 * np.expm1(log_ratio):+.{digits}f} %".replace("-", "−")
