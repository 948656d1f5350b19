"""The page on methods of other papers: what it says of them, and what it computes."""

import re

from document_texts import HOME
from errata_numbers.which_model import delta, less_than_without

from dpmc_studies.methods import METHODS, VARIANTS

PAGE = (HOME / "docs" / "field.md").read_text(encoding="utf-8")


def test_every_method_of_the_page_has_its_name():
    cells = re.findall(r"^\| (`[^|]+`) \|", PAGE, re.M)
    names = re.findall(r"\w+", " ".join(cells))
    assert len(names) == 9
    assert {*names} <= {*METHODS, *VARIANTS}


def test_noise_that_depends_on_the_rating_and_what_the_abstract_says_of_the_others():
    words = " ".join(PAGE.split())
    assert f"δ = {delta(1, 5, 1.0):.2f} where a 1 becomes a 5" in words
    assert f"δ = {delta(3, 5, 1.0):.3f} where a 3 becomes a 5" in words
    found = less_than_without(None).numbers
    assert f"from {found['low']:.3f} to {found['high']:.3f}" in words
