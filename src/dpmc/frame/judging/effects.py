"""Lines of the answer, and how effects are formatted."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Line:
    """One line of the answer or of the findings: a claim as it was judged.

    Attributes
    ----------
    claim : str
        Its id.
    verdict : str
        One of :data:`dpmc.frame.judging.finding.VERDICTS`.
    title : str
        What is claimed, in a few words.
    text : str
        The numbers behind the verdict.
    """

    claim: str
    verdict: str
    title: str
    text: str


def lines_of(
    claims: pd.DataFrame | None, identifiers: Iterable[str], about: str = ""
) -> list[Line]:
    """Return the lines of some claims, in the order given; those that were not judged have none.

    Parameters
    ----------
    claims : DataFrame or None
        Columns :data:`dpmc.frame.judging.claims.CLAIM_COLUMNS`; None if nothing has been judged.
    about : str
        What they are about, before each title, where that is not plain.
    """
    if claims is None:
        return []
    judged = claims.set_index("id")
    title = f"{about}: " if about else ""
    return [
        Line(name, claim["verdict"], f"{title}{claim['claim']}", _text(name, claim))
        for name in identifiers
        if name in judged.index
        for claim in [judged.loc[name]]
    ]


def _text(identifier: str, claim: pd.Series) -> str:
    """Format the numbers behind a verdict, and by which other reading it would be another one."""
    reason, others = (
        "" if pd.isna(claim[name]) else claim[name] for name in ("reason", "depends_on")
    )
    text = f"{identifier}: {reason.removesuffix('.')}."
    return f"{text} By another reading: {others}." if others else text


def signed(log_ratio: float, digits: int = 2) -> str:
    """Format a log ratio in per cent with its sign."""
    if not np.isfinite(log_ratio):
        return "–"
    return f"{100 * np.expm1(log_ratio):+.{digits}f} %".replace("-", "−")
