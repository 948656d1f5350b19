"""Labels of users and items: the one rule that turns any value into text.

Files, frames, arrays, stores, released models and pages all use :func:`label`, so an item has the
same label in every format. A label depends on its own value alone, never on other rows. Every value
has one: an odd label affects only its own rows and does not make a table fail.

- Whole numbers of a numeric type are written as integers: 1, 1.0, True and Decimal("1.00") are "1".
  Other numbers are written with the fewest digits that represent them: 1.5 is "1.5".
- Text stays as it is: "1", "1.0" and "001" are three labels. Bytes are UTF-8 text.
- Blanks around text and a byte-order mark before it are removed.
- Control characters become their pictures (a line break is U+240A), and text that is not Unicode
  becomes U+FFFD. A label is therefore always one line of text.
- A missing value (None, NaN, NaT) is the empty label.
"""

import math
from datetime import datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from dpmc.errors import InputError

BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that are taken off the ends of a label: those of ``str.strip``."""
MARK = "\ufeff"
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
NOT_UTF8 = "bytes that cannot be decoded as UTF-8"
LONGEST = 1 << 24
"""Bytes of the longest label; a line of a text file may have so many, too."""


def label(value: object) -> str:
    """Return the label of a user or an item for any value.

    Raises
    ------
    InputError
        The value is bytes that are not UTF-8, or cannot be written as text at all.
    """
    return cleaned(value if isinstance(value, str) else spelled(value))


def cleaned(text: str) -> str:
    """Return the label that is written as this text."""
    text = str(text).strip(BLANKS).lstrip(MARK).strip(BLANKS)
    return text if text.isprintable() else text.translate(_PICTURES)


def spelled(value: Any) -> str:
    """Return a value as text, by its type."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bytes | bytearray):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"A label holds {NOT_UTF8}.") from None
    if type(value).__name__ == "datetime64":
        value = value.astype("datetime64[us]").item()
    elif hasattr(value, "item") and getattr(value, "shape", None) == ():  # NumPy's numbers
        value = value.item()
    if isinstance(value, Integral):  # truth values too
        return _whole(int(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Real):
        return _float(value)
    if isinstance(value, datetime):
        return datetime.isoformat(value)  # as of Arrow: without pandas' nanoseconds
    try:
        return "" if value is None else str(value)
    except Exception:
        raise InputError(f"A label of type {type(value).__name__} cannot be written.") from None


def _whole(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses so many digits, and a label refuses nothing
        return format(Decimal(value), "f")


def _float(value: Any) -> str:
    if math.isnan(value) or math.isinf(value):
        return "" if math.isnan(value) else str(float(value))
    return str(int(value)) if value == int(value) else repr(float(value))


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        return "" if value.is_nan() else str(float(value))
    if abs(value.adjusted()) > 400:  # beyond any float; it could ask for gigabytes of digits
        return str(value)
    digits = format(abs(value) if value == 0 else value, "f")  # 0 has no sign
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
