"""The page on rankings has every constant of the code, with its value."""

import re
from fractions import Fraction

import numpy as np
import pytest
from document_texts import HOME

from dpmc.methods.user_level.local_ease import constants

PAGE = (HOME / "docs" / "ranking.md").read_text(encoding="utf-8")
ROWS = dict(
    pair
    for names, values in re.findall(r"^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| (.+?) \|", PAGE, re.M)
    for pair in zip(re.findall(r"`(\w+)`", names), values.split(", "), strict=True)
)


def test_the_page_has_them_all():
    assert set(ROWS) == {name for name in vars(constants) if name.isupper()}


@pytest.mark.parametrize("name", ROWS)
def test_a_constant_has_the_value_that_the_page_says(name):
    said = [float(Fraction(value)) for value in ROWS[name].split(" and ")]
    assert np.ravel(getattr(constants, name)) == pytest.approx(said)
