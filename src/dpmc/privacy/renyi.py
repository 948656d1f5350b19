"""Renyi differential privacy of one release, in closed form.

The divergence of order alpha between noise and the same noise shifted by D is log M / (alpha - 1),
M = integral of p(x)^alpha p(x + D)^(1 - alpha). For log-concave p and alpha > 1, every factor p(x +
D)^(1 - alpha) is log-convex in D. So log M is convex in D, 0 at D = 0, and hence superadditive:
independent noise on the coordinates of a vector diverges at most as much as one coordinate that
moves by the whole l1 distance.

For Laplace and Gaussian noise see Mironov, "Renyi differential privacy" (CSF 2017), propositions 6
and 7. For Huber noise, the integral is computed over the pieces of its density.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from dpmc.privacy.losses import Loss, kind

ORDERS = 1 + np.geomspace(0.0101, 1e4, 400)
"""Orders among which the best is taken: dp_accounting converts above 1.01 only."""


def divergence(loss: Loss, orders: np.ndarray = ORDERS) -> np.ndarray:
    """Return the Renyi divergence of one release, for each order, which is above 1."""
    orders = np.asarray(orders, dtype=float)
    shift = loss.shift
    if kind(loss.mechanism) == "gaussian":
        return orders * shift**2 / 2
    if kind(loss.mechanism) == "laplace":
        up = np.log(orders) + (orders - 1) * shift
        down = np.log(orders - 1) - orders * shift
        return (np.logaddexp(up, down) - np.log(2 * orders - 1)) / (orders - 1)
    return np.array([_huber(loss.mechanism, shift, alpha) for alpha in orders])


def _huber(noise: Any, shift: float, alpha: float) -> float:
    """Add up the pieces between the places where x or x + D passes -a or a (scale 1).

    On every piece the exponent -alpha rho(x) + (alpha - 1) rho(x + D) is a quadratic in x.
    """
    a = noise.a
    corners = sorted([-a - shift, a - shift, -a, a])
    pieces = [
        _log_integral(_exponent(a, shift, alpha, (low + high) / 2), low, high)
        for low, high in pairwise(corners)
        if high > low
    ]
    # Outside the corners the loss is -E or E, on a tail of equal mass under p.
    largest = a * shift
    tails = [
        noise._log_tail_mass - np.log(2) + (alpha - 1) * largest,
        noise._log_tail_mass - np.log(2) - alpha * largest,
    ]
    inside = np.logaddexp.reduce(pieces) - np.log(noise._normaliser)
    return float(np.logaddexp.reduce([inside, *tails]) / (alpha - 1))


def _exponent(a: float, shift: float, alpha: float, inside: float) -> np.ndarray:
    """Return c0, c1, c2 of the exponent c0 + c1 x + c2 x^2 on the piece around ``inside``."""
    return -alpha * _rho(a, 0.0, inside) + (alpha - 1) * _rho(a, shift, inside)


def _rho(a: float, shift: float, inside: float) -> np.ndarray:
    """Return the coefficients of rho_a(x + shift) in x, near x = ``inside``."""
    z = inside + shift
    if abs(z) <= a:
        return np.array([shift**2 / 2, shift, 0.5])
    sign = np.sign(z)
    return np.array([a * (sign * shift - a / 2), sign * a, 0.0])


def _log_integral(coefficients: np.ndarray, low: float, high: float) -> float:
    """Return the log of the integral of exp(c0 + c1 x + c2 x^2) over [low, high]."""
    c0, c1, c2 = coefficients
    ends = np.array([low, high])
    values = c0 + ends * (c1 + ends * c2)
    top = values.max()
    if c2 == 0:
        slope = abs(c1) * (high - low)
        width = (high - low) * (-np.expm1(-slope) / slope if slope > 0 else 1.0)
        return top + np.log(width)
    root = np.sqrt(abs(c2))
    u = root * (ends + c1 / (2 * c2))
    if c2 > 0:
        from scipy.special import dawsn

        # exp(u^2) integrates to exp(u^2) dawsn(u).
        signed = np.exp(values - top) * dawsn(u)
        return top + np.log(signed[1] - signed[0]) - np.log(root)
    return _log_gaussian(u, values) - np.log(root)


def _log_gaussian(u: np.ndarray, values: np.ndarray) -> float:
    """Return the log of the integral of exp(-t^2) from u[0] to u[1], times exp(value + u^2).

    With the scaled tail erfcx where both ends are on one side, so that nothing underflows.
    """
    from scipy.special import erfcx

    if u[1] <= 0:
        u, values = -u[::-1], values[::-1]
    half = np.log(np.sqrt(np.pi) / 2)
    if u[0] >= 0:
        return half + values[0] + np.log(erfcx(u[0]) - np.exp(values[1] - values[0]) * erfcx(u[1]))
    peak = values[0] + u[0] ** 2
    outside = np.exp(values - peak) * erfcx(np.abs(u))
    return half + peak + np.log(2 - outside.sum())
