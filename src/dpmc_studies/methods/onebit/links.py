"""Links: the probability h(x) that the sign of an entry x is +1, and stable likelihoods."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from scipy.special import erfcx, expit, log_ndtr, logit, ndtr, ndtri

from dpmc.errors import InputError, did_you_mean

ROOT_HALF = math.sqrt(0.5)
ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)
LEFT_TAIL = -8.0
"""Below it the Gaussian likelihood uses functions scaled for the tail."""


class Link:
    """A symmetric link: h is increasing, h(-x) = 1 - h(x), and -log h is convex.

    All functions work elementwise on float64 arrays of any shape and are stable for any finite
    argument. After flips with probability p < 1/2, the probability of a sign is c(t) = p + (1 - 2
    p) h(t). A subclass also has

    - ``cdf``, ``pdf``, ``ppf``: h, h' and the x with h(x) = p, -inf at 0 and inf at 1
    - ``_log_cdf``: log h and its derivative, also where h underflows; ``_log_slope``: that alone
    - ``_bend``: h''/h'
    - ``sensitivity(alpha)``: sup over abs(x) <= alpha of abs((psi(x) - psi(-x))'), psi = -log h:
      how far flipping one sign can move one entry of the gradient
    - ``published_sensitivity(alpha)``: the bound on it that the paper uses (Li et al.)
    - ``log_curvature_ratio(alpha)``: sup over abs(x) <= alpha of log(psi''(-x)/psi''(x))
    """

    name: str

    def loss(self, t, flip: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return -log c(t) and its derivative, for signs flipped with probability ``flip``."""
        if flip == 0:
            log, slope = self._log_cdf(t)
            return -log, -slope
        gain = 1.0 - flip - flip
        chance = flip + gain * self.cdf(t)  # nothing underflows
        return -np.log(chance), -gain * self.pdf(t) / chance

    def slope(self, t, flip: float = 0.0) -> np.ndarray:
        """Return (log c)'(t) >= 0, the negative of the derivative of the loss."""
        return self._log_slope(t) if flip == 0 else -self.loss(t, flip)[1]

    def curvature(self, t, slope: np.ndarray) -> np.ndarray:
        """Return the second derivative of the loss, given :meth:`slope` at the same t.

        It is slope^2 - slope h''/h'; with flips it can be negative.
        """
        return slope * (slope - self._bend(t))


class Logistic(Link):
    """h(x) = 1/(1 + e^-x)."""

    name = "logistic"

    def cdf(self, x):
        return expit(x)

    def pdf(self, x):
        tail = np.exp(-np.abs(x))
        return tail / np.square(1 + tail)

    def ppf(self, p):
        return logit(p)

    def _log_cdf(self, x):
        tail = np.exp(-np.abs(x))
        slope = np.where(np.greater(x, 0), tail, 1.0) / (1 + tail)
        return np.minimum(x, 0) - np.log1p(tail), slope

    def _log_slope(self, x):
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(x))

    def _bend(self, x):
        # -tanh(x/2), which takes three times as long
        return 2 * self._log_slope(x) - 1

    def sensitivity(self, alpha):
        return 1.0

    def published_sensitivity(self, alpha):
        return 1.0

    def log_curvature_ratio(self, alpha):
        return 0.0


class Gaussian(Link):
    """h(x) = Phi(x), the distribution function of N(0, 1)."""

    name = "gaussian"

    def cdf(self, x):
        return ndtr(x)

    def pdf(self, x):
        return np.exp(np.square(x) * -0.5) * (ROOT_TWO_OVER_PI / 2)

    def ppf(self, p):
        return ndtri(p)

    def _log_cdf(self, x):
        if np.min(x) < LEFT_TAIL:
            return log_ndtr(x), self._log_slope(x)
        tail, left = ndtr(-np.abs(x)), np.less(x, 0)
        log = np.where(left, np.log(np.where(left, tail, 1.0)), np.log1p(-tail))
        return log, self.pdf(x) / np.where(left, tail, 1 - tail)

    def _log_slope(self, x):
        if np.min(x) < LEFT_TAIL:
            # erfcx(y) = e^(y^2) erfc(y): no tail underflows, and inf on the right gives 0
            return ROOT_TWO_OVER_PI / erfcx(np.multiply(x, -ROOT_HALF))
        return self.pdf(x) / ndtr(x)

    def _bend(self, x):
        return np.negative(x)

    def sensitivity(self, alpha):
        # (log h)'(x) + (log h)'(-x) = phi(x)/(Phi(x) Phi(-x)) grows with abs(x)
        return float(self._log_slope(alpha) + self._log_slope(-alpha))

    def published_sensitivity(self, alpha):
        return float(2 * self.pdf(0.0) / self.cdf(-alpha))

    def log_curvature_ratio(self, alpha):
        # psi'' decreases, so the ratio is largest at alpha
        left, right = (self.curvature(t, self._log_slope(t)) for t in (-alpha, alpha))
        with np.errstate(divide="ignore"):  # beyond 38 the curvature underflows
            return float(np.log(left / right))


LINKS: Mapping[str, Link] = MappingProxyType({link.name: link for link in (Logistic(), Gaussian())})


def link_of(name: str) -> Link:
    """Return the link of that name."""
    if name not in LINKS:
        raise InputError(
            f"There is no link '{name}'{did_you_mean(name, LINKS)}; the links are "
            f"{' and '.join(LINKS)}."
        )
    return LINKS[name]
