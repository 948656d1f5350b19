"""Ratings: the one rule that makes a number of any value, for tables and for one user's ratings."""

import math
import re

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
"""What Arrow's parser takes for a finite number, blanks around it aside (ASCII digits too)."""
BLANK = " \t"


def to_number(value: object) -> float:
    """Return the number that a value is or that a text spells; NaN if it is none."""
    if isinstance(value, bytes | bytearray):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        value = value.strip(BLANK)
        return float(value) if NUMBER.fullmatch(value) else math.nan
    try:
        return math.nan if isinstance(value, complex) else float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return math.nan
