"""Formulas of the paper and the thesis that were checked and are right, each with its deviation.

What was found wrong is in :mod:`dpmc_studies.studies.huber.errata`. Formulas are written down as
they are printed and set against something else: quadrature, our own closed forms, scipy's
functions.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import integrate, special

from dpmc.mechanisms import Huber
from dpmc.mechanisms.huber import huber_loss
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.mechanism_facts import largest_log_ratio

PARAMETERS = (0.3, 0.7202404343384305, 1.0759779011734087, 3.0)  # among them variances 4 and 2
SHIFTS = (0.5, 1.0, 5.0)
TERMS = 200  # of the series of the inverse error function


class Checked(NamedTuple):
    """A formula, what it was set against, and by how much the two differ at most."""

    place: str
    what: str
    against: str
    deviation: Callable[[], float]


def printed_cdf(x: np.ndarray, a: float) -> np.ndarray:
    """Return the distribution function as equations 4.3 and B.13 have it."""
    total = _normaliser(a)
    edge = np.exp(-a * a / 2)
    below = np.exp(a * (np.minimum(x, -a) + a / 2)) / (a * total)
    middle = edge / (a * total) + np.sqrt(np.pi / 2) / total * (
        special.erf(x / np.sqrt(2)) - special.erf(-a / np.sqrt(2))
    )
    bulk = a * np.sqrt(2 * np.pi) * special.erf(a / np.sqrt(2))
    above = (2 * edge + bulk - np.exp(-a * (np.maximum(x, a) - a / 2))) / (a * total)
    return np.where(x <= -a, below, np.where(x <= a, middle, above))


def printed_variance(a: float) -> float:
    """Return the variance as equation 4.5 has it."""
    edge = np.exp(-a * a / 2)
    bulk = a * np.sqrt(2 * np.pi) * special.erf(a / np.sqrt(2))
    return float((4 * (1 + 1 / a**2) * edge + bulk) / (2 * edge + bulk))


def printed_middle_quantile(y: np.ndarray, a: float) -> np.ndarray:
    """Return the inverse distribution function between -a and a, as equation B.19 has it."""
    inner = (y * _normaliser(a) - np.exp(-a * a / 2) / a) * np.sqrt(2 / np.pi)
    return np.sqrt(2) * special.erfinv(inner + special.erf(-a / np.sqrt(2)))


def printed_inverse_error(x: np.ndarray, terms: int = TERMS) -> np.ndarray:
    """Return the inverse error function by the series of equations B.26 and B.27."""
    c = [1.0]
    for k in range(1, terms):
        m = np.arange(k)
        before = np.array(c)
        c.append(float(np.sum(before * before[::-1] / ((m + 1) * (2 * m + 1)))))
    k = np.arange(terms)
    powers = (np.sqrt(np.pi) / 2 * np.asarray(x)[..., None]) ** (2 * k + 1)
    return powers @ (np.array(c) / (2 * k + 1))


def printed_exponent(x: np.ndarray, a: float, shift: float) -> np.ndarray:
    """Return g of appendix A: A.23 for shifts up to 2a, beyond it the branches of A.32 to A.42."""
    middle = x * shift + shift**2 / 2 if shift <= 2 * a else a * (2 * x + shift)
    low, high = min(-a, a - shift), max(-a, a - shift)
    return np.select(
        [x < -shift - a, x <= low, x <= high, x <= a],
        [-a * shift, (x + a + shift) ** 2 / 2 - a * shift, middle, a * shift - (x - a) ** 2 / 2],
        a * shift,
    )


def exponent(x: np.ndarray, a: float, shift: float) -> np.ndarray:
    """Return the difference of Huber losses whose exponential appendix A bounds."""
    return huber_loss(np.abs(x + shift), a) - huber_loss(np.abs(x), a)


def _normaliser(a: float) -> float:
    bulk = np.sqrt(2 * np.pi) * special.erf(a / np.sqrt(2))
    return float(2 / a * np.exp(-a * a / 2) + bulk)


def _variance_by_quadrature(a: float) -> float:
    def moment(x: float) -> float:
        return x * x * float(np.exp(Huber(a).logpdf(x)))

    tail = integrate.quad(moment, a, np.inf, epsabs=1e-12)[0]
    return 2 * (integrate.quad(moment, 0, a, epsabs=1e-12)[0] + tail)


def _inside(a: float) -> np.ndarray:
    low = float(Huber(a).cdf(-a))
    return np.linspace(low, 1 - low, 1001)


def _largest(deviation: Callable[..., np.ndarray | float], *values: tuple) -> float:
    return max(float(np.max(np.abs(deviation(*each)))) for each in values)


_A = tuple((a,) for a in PARAMETERS)
_CASES = tuple((a, shift) for a in PARAMETERS for shift in SHIFTS)
_GRID = np.linspace(-12, 12, 4801)
CHECKED = (
    Checked(
        "Thesis, equations 4.3 and B.13",
        "the distribution function of Huber noise",
        "our closed form, on a grid",
        lambda: _largest(lambda a: printed_cdf(_GRID, a) - Huber(a).cdf(_GRID), *_A),
    ),
    Checked(
        "Thesis, equation 4.5",
        "its variance",
        "quadrature of the density",
        lambda: _largest(lambda a: printed_variance(a) - _variance_by_quadrature(a), *_A),
    ),
    Checked(
        "Thesis, equation B.19",
        "the middle branch of the inverse distribution function (E1 is about the third)",
        "the distribution function of what it gives",
        lambda: _largest(
            lambda a: Huber(a).cdf(printed_middle_quantile(_inside(a), a)) - _inside(a), *_A
        ),
    ),
    Checked(
        "Thesis, equations B.26 and B.27",
        "the series of the inverse error function",
        f"scipy’s, up to .9, with {TERMS} terms",
        lambda: _largest(
            lambda x: printed_inverse_error(x) - special.erfinv(x), (np.linspace(-0.9, 0.9, 181),)
        ),
    ),
    Checked(
        "Thesis, equation A.23; A.35 and A.41",
        "the exponents in the proof of the guarantee, branch by branch in both cases",
        "the difference of losses, on a grid",
        lambda: _largest(
            lambda a, shift: printed_exponent(_GRID, a, shift) - exponent(_GRID, a, shift), *_CASES
        ),
    ),
    Checked(
        "Paper, theorem 2.1; thesis, equation A.46",
        "the guarantee ε = αΔ of one release",
        "the largest log ratio of densities, by search; H28 audits it",
        lambda: _largest(
            lambda a, shift: largest_log_ratio(Huber(a), shift) / (a * shift) - 1, *_CASES
        ),
    ),
)


def checked_table() -> Table:
    """Return what was checked and is right."""
    rows = [
        Row(each[:3], each[:3], "right", (Cell(each.deviation(), digits=-1),)) for each in CHECKED
    ]
    headings = (("place", "Place"), ("what", "What"), ("against", "Set against"))
    notes = (
        "What was found wrong is listed under errata. Parameters α: "
        f"{', '.join(f'{a:.3g}' for a in PARAMETERS)}; changes Δ: "
        f"{', '.join(f'{shift:g}' for shift in SHIFTS)}, in both cases of appendix A.",
    )
    columns = (Column("deviation", "Largest deviation"),)
    return Table("table_checked", "Checked and found right", headings, columns, tuple(rows), notes)
