"""Errata of the Huber study are whole, and the page holds them by grade."""

import mpmath
import pytest

from dpmc_studies.frame.showing.erratum import CHANGES_CONCLUSION, listed
from dpmc_studies.report.errata import GROUPS, errata_markdown
from dpmc_studies.studies.huber.errata import errata


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    return errata(tmp_path_factory.mktemp("empty"), {})


def test_every_entry_is_whole_and_numbered_in_order(entries):
    found = (*range(1, 7), *range(8, 17), *range(39, 46), *range(60, 67), 94)
    assert [entry.id for entry in entries] == [f"E{number}" for number in found]
    for entry in entries:
        assert all((entry.title, entry.place, entry.published, entry.correct, entry.evidence))
        assert entry.grade in GROUPS


@pytest.mark.parametrize(("count", "epsilon"), [(50, 418), (1000, 6726)])
def test_e15_totals_of_gaussian_noise_in_exact_arithmetic(entries, count, epsilon):
    (entry,) = (entry for entry in entries if entry.id == "E15")
    assert f"{epsilon:,}" in entry.evidence
    # n releases at 5 / sigma compose to mu = 5 sqrt(n / 2) of Gaussian differential privacy
    mu = mpmath.mpf(5) * mpmath.sqrt(mpmath.mpf(count) / 2)
    for rounded, sign in ((epsilon - mpmath.mpf("0.5"), 1), (epsilon + mpmath.mpf("0.5"), -1)):
        delta = mpmath.ncdf(mu / 2 - rounded / mu)
        delta -= mpmath.exp(rounded + mpmath.log(mpmath.ncdf(-mu / 2 - rounded / mu)))
        assert sign * (float(delta) - 1e-5) > 0


def test_the_page_holds_every_entry(entries):
    page = errata_markdown(entries)
    assert page.startswith("# Errata\n")
    for entry in entries:
        assert f"### {entry.id}. {entry.title}\n\n- **Grade:** {entry.grade}\n" in page
        assert f"- **Evidence:** {entry.evidence}" in page
    # one heading and one sentence for each grade, errors that change a conclusion first
    assert [text for text in page.splitlines() if text.startswith("## ")] == [
        f"## {heading}"
        for grade, (heading, *_) in GROUPS.items()
        if grade in {entry.grade for entry in entries}
    ]
    places = [page.index(f"### {entry.id}. ") for grade in GROUPS for entry in entries
              if entry.grade == grade]  # fmt: skip
    assert places == sorted(places)
    assert next(iter(GROUPS)) == CHANGES_CONCLUSION


def test_listed():
    assert listed([1.0], 1) == "1.0"
    assert listed([1.0, 2.25, 3.0], 2) == "1.00, 2.25 and 3.00"
