"""The page on methods of other papers: what it says of them, and what it computes."""

import re

import numpy as np
import pytest
from document_texts import HOME

from dpmc_studies.methods import METHODS, VARIANTS
from dpmc_studies.studies.which_model.errata import delta, errata

PAGE = (HOME / "docs" / "field.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())


def test_every_method_of_the_page_has_its_name():
    cells = re.findall(r"^\| (`[^|]+`) \|", PAGE, re.M)
    names = re.findall(r"\w+", " ".join(cells))
    assert len(names) == 9
    assert {*names} <= {*METHODS, *VARIANTS}


def delta_of_adaptive_noise(r, other, *, epsilon=1.0, alpha=0.3, mean=3.0, half=2.0):
    """Return the delta at ``epsilon`` of Laplace noise whose scale depends on the rating."""
    y = np.linspace(-300, 300, 1_000_001)

    def density(x):
        scale = 2 * half / (epsilon * (1 + alpha * abs(x - mean) / half))
        return np.exp(-np.abs(y - x) / scale) / (2 * scale)

    p, q = density(r), density(other)
    excess = [np.maximum(a - np.exp(epsilon) * b, 0) for a, b in ((p, q), (q, p))]
    return max(np.trapezoid(each, y) for each in excess)


@pytest.mark.parametrize(("said", "pair"), [("0.14", (1, 5)), ("0.015", (3, 5))])
def test_noise_that_depends_on_the_rating(said, pair):
    assert f"δ = {said} where a {pair[0]} becomes a {pair[1]}" in WORDS
    assert delta_of_adaptive_noise(*pair) == pytest.approx(float(said), rel=0.02)
    assert delta_of_adaptive_noise(*pair, alpha=0.0) == pytest.approx(0, abs=1e-9)


def test_what_the_abstract_says_of_the_others():
    low, high = (0.9823 / (1 - part) for part in (0.0557, 0.0923))
    assert f"from {low:.3f} to {high:.3f}" in WORDS
    assert high < 1.0983


def test_the_errata_of_dpsr_say_the_same():
    found = {each.id: each.numbers for each in errata(HOME, {})}
    assert found["E92"]["opposite"] == pytest.approx(delta_of_adaptive_noise(1, 5), rel=1e-4)
    assert found["E92"]["middle"] == pytest.approx(delta_of_adaptive_noise(3, 5), rel=1e-4)
    assert delta(1, 5, 1.0) == pytest.approx(1 - np.exp(-0.15), rel=1e-6)  # one scale, shift 4
    assert f"from {found['E93']['low']:.3f} to {found['E93']['high']:.3f}" in WORDS
