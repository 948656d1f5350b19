"""Errata of the Huber study are whole, and the page holds them by grade."""

import mpmath
import pytest

from dpmc_studies import studies
from dpmc_studies.frame.showing.erratum import read_errata
from dpmc_studies.report.errata import GROUPS


@pytest.fixture(scope="module")
def entries():
    return read_errata(studies.load()["huber"].errata)


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
