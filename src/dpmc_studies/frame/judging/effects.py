"""Lines of the answer, and how effects are formatted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Line:
    """One line of the answer or of the findings: a judged claim."""

    claim: str  # its id
    verdict: str  # one of `VERDICTS`
    title: str  # what is claimed, in a few words
    text: str  # the numbers behind the verdict
    found: str = ""  # what was found, with its number; "" where no sentence is known for it


Sentences = Mapping[str, Mapping[str, str]]
"""Id of a claim -> verdict -> what was found if that is the verdict, with the placeholders that
:func:`lines_of` fills: ``{effect}`` in per cent with its sign, ``{interval}`` in brackets,
``{size}`` and ``{opposite}``, the effect without its sign and with the other one."""


def lines_of(
    claims: pd.DataFrame | None,
    identifiers: Iterable[str],
    about: str = "",
    found: Sentences | None = None,
    **values: object,
) -> list[Line]:
    """Return the lines of some claims, in the order given, without claims that were not judged.

    ``claims`` is the table of verdicts, or None before anything is judged. ``about``, the subject
    of the claims, precedes titles. ``values`` fill the sentences ``found``, by claim and verdict.
    """
    if claims is None:
        return []
    judged = claims.set_index("id")
    title = f"{about}: " if about else ""
    return [
        Line(
            name,
            claim["verdict"],
            f"{title}{claim['claim']}",
            _text(name, claim),
            _found(claim, (found or {}).get(name, {}).get(claim["verdict"], ""), values),
        )
        for name in identifiers
        if name in judged.index
        for claim in [judged.loc[name]]
    ]


def _text(identifier: str, claim: pd.Series) -> str:
    """Format the numbers behind a verdict, and by which other reading it would be another one."""
    reason, others = (
        "" if pd.isna(claim[name]) else claim[name] for name in ("reason", "depends_on")
    )
    text = f"{identifier}: {reason}{'' if reason.endswith(('.', '.)')) else '.'}"
    return f"{text} By another reading: {others}." if others else text


def _found(claim: pd.Series, sentence: str, values: Mapping[str, object]) -> str:
    """Fill the placeholders of a sentence on a claim, log ratios in per cent."""
    if not sentence:
        return ""
    effect, low, high = (float(claim[n]) for n in ("effect", "interval_low", "interval_high"))
    numbers = {
        "effect": signed(effect),
        "size": signed(abs(effect)).removeprefix("+"),
        "opposite": signed(-effect),
        "interval": "" if pd.isna(low) or pd.isna(high) else f" ({signed(low)} to {signed(high)})",
    }
    return sentence.format_map(numbers | dict(values))


def signed(log_ratio: float, digits: int = 2) -> str:
    """Format a log ratio in per cent with its sign."""
    if not np.isfinite(log_ratio):
        return "–"
    return f"{100 * np.expm1(log_ratio):+.{digits}f} %".replace("-", "−")
