"""Formulas of the paper and the thesis as they are printed: those that were checked are right.

Each is set against something else: quadrature, our own closed forms, scipy's functions. What was
found wrong is among the errata.
"""

import numpy as np
import pytest
from scipy import integrate, special

from dpmc.mechanisms import Huber
from dpmc.mechanisms.huber import huber_loss
from dpmc_studies.mechanism_facts import largest_log_ratio

GRID = np.linspace(-12, 12, 4801)
# among them variances 4 and 2
every_a = pytest.mark.parametrize("a", [0.3, 0.7202404343384305, 1.0759779011734087, 3.0])
every_shift = pytest.mark.parametrize("shift", [0.5, 1.0, 5.0])


def edge(a):
    return np.exp(-a * a / 2)


def bulk(a):
    return np.sqrt(2 * np.pi) * special.erf(a / np.sqrt(2))


def normaliser(a):
    return 2 / a * edge(a) + bulk(a)


@every_a
def test_the_distribution_function_of_equations_4_3_and_b_13(a):
    below = np.exp(a * (np.minimum(GRID, -a) + a / 2)) / (a * normaliser(a))
    middle = edge(a) / a + np.sqrt(np.pi / 2) * (
        special.erf(GRID / np.sqrt(2)) - special.erf(-a / np.sqrt(2))
    )
    tail = np.exp(-a * (np.maximum(GRID, a) - a / 2))
    above = (2 * edge(a) + a * bulk(a) - tail) / (a * normaliser(a))
    printed = np.where(-a >= GRID, below, np.where(a >= GRID, middle / normaliser(a), above))
    np.testing.assert_allclose(printed, Huber(a).cdf(GRID), rtol=0, atol=1e-8)


@every_a
def test_the_variance_of_equation_4_5_is_that_of_the_density(a):
    def moment(x):
        return x * x * float(np.exp(Huber(a).logpdf(x)))

    parts = (integrate.quad(moment, *ends, epsabs=1e-12)[0] for ends in ((0, a), (a, np.inf)))
    printed = (4 * (1 + 1 / a**2) * edge(a) + a * bulk(a)) / (2 * edge(a) + a * bulk(a))
    assert printed == pytest.approx(2 * sum(parts), abs=1e-8)


@every_a
def test_the_middle_branch_of_the_inverse_of_equation_b_19(a):
    """E1 is about the third branch."""
    low = float(Huber(a).cdf(-a))
    y = np.linspace(low, 1 - low, 1001)
    inner = (y * normaliser(a) - edge(a) / a) * np.sqrt(2 / np.pi)
    printed = np.sqrt(2) * special.erfinv(inner + special.erf(-a / np.sqrt(2)))
    np.testing.assert_allclose(Huber(a).cdf(printed), y, rtol=0, atol=1e-8)


def test_the_series_of_the_inverse_error_function_of_equations_b_26_and_b_27():
    c = [1.0]
    for k in range(1, 200):
        m, before = np.arange(k), np.array(c)
        c.append(float(np.sum(before * before[::-1] / ((m + 1) * (2 * m + 1)))))
    x, k = np.linspace(-0.9, 0.9, 181), np.arange(200)
    powers = (np.sqrt(np.pi) / 2 * x[:, None]) ** (2 * k + 1)
    np.testing.assert_allclose(
        powers @ (np.array(c) / (2 * k + 1)), special.erfinv(x), rtol=0, atol=1e-8
    )


@every_a
@every_shift
def test_the_exponents_of_appendix_a_are_differences_of_losses(a, shift):
    """A.23 for shifts up to 2a, beyond it the branches of A.32 to A.42 with A.35 and A.41."""
    middle = GRID * shift + shift**2 / 2 if shift <= 2 * a else a * (2 * GRID + shift)
    low, high = min(-a, a - shift), max(-a, a - shift)
    printed = np.select(
        [-shift - a > GRID, low >= GRID, high >= GRID, a >= GRID],
        [-a * shift, (GRID + a + shift) ** 2 / 2 - a * shift, middle,
         a * shift - (GRID - a) ** 2 / 2],
        a * shift,
    )  # fmt: skip
    losses = huber_loss(np.abs(GRID + shift), a) - huber_loss(np.abs(GRID), a)
    np.testing.assert_allclose(printed, losses, rtol=0, atol=1e-8)


@every_a
@every_shift
def test_the_guarantee_of_theorem_2_1_and_equation_a_46_is_the_largest_log_ratio(a, shift):
    """Claim H28 audits it."""
    assert largest_log_ratio(Huber(a), shift) == pytest.approx(a * shift, rel=1e-8)
