"""The common interface of all noise distributions, and the checks of its arguments."""

import math
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpmc.errors import InputError


def positive_finite(what: str, value: object) -> float:
    """Return ``value`` as a float, or raise InputError unless it is a positive finite number."""
    number = _number(value)
    if not (number > 0 and math.isfinite(number)):
        raise InputError(f"{what} must be a positive finite number, got {value!r}.")
    return number


def probability(what: str, value: object) -> float:
    """Return ``value`` as a float, or raise InputError unless it lies in [0, 1)."""
    number = _number(value)
    if not 0 <= number < 1:
        raise InputError(f"{what} must lie in [0, 1), got {value!r}.")
    return number


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_whole(what: str, value: object) -> None:
    """Raise InputError unless a value is a whole number of at least 1."""
    if not (isinstance(value, Integral) and int(value) >= 1):
        raise InputError(f"{what} must be a whole number of at least 1, got {value!r}.")


class Mechanism(ABC):
    """Additive noise with a density symmetric about 0 and decreasing away from it.

    Names follow ``scipy.stats``. Functions of x or of a probability take scalars or arrays and
    return the same shape; a probability outside [0, 1] gives nan. Tails are computed directly,
    never as 1 minus a probability, so ``sf`` and ``isf`` are accurate down to 1e-300.

    A subclass is a frozen dataclass with a field ``scale`` and defines the three functions of the
    standardised half line below. (A plug-in for a training run need not be a subclass; it needs
    only ``from_variance``, ``rvs`` and ``var``, see :func:`dpmc.mechanisms.make_mechanism`.)
    """

    scale: float
    __dataclass_fields__: ClassVar[dict[str, Any]]  # of a subclass

    # -- what a subclass supplies, at scale 1 -----------------------------------------------

    @abstractmethod
    def _log_density(self, z: np.ndarray) -> np.ndarray:
        """Log density at z >= 0."""

    @abstractmethod
    def _upper_tail(self, z: np.ndarray) -> np.ndarray:
        """P(Z > z) at z >= 0."""

    @abstractmethod
    def _upper_quantile(self, q: np.ndarray) -> np.ndarray:
        """The z >= 0 with P(Z > z) = q, at 0 <= q <= 1/2."""

    @classmethod
    @abstractmethod
    def from_variance(cls, variance: float) -> Self:
        """Return the noise of this kind whose variance is ``variance``."""

    @abstractmethod
    def rvs(
        self, size: int | tuple[int, ...] | None = None, rng: np.random.Generator | None = None
    ) -> Any:
        """Draw noise: a float if ``size`` is None, else a float64 array of shape ``size``.

        For simulation only. A seed can be guessed, and the low-order bits of floating-point noise
        reveal the number that it was added to (Mironov, "On significance of the least significant
        bits for differential privacy", CCS 2012). Published results need
        :mod:`dpmc.privacy.release`.
        """

    @abstractmethod
    def var(self) -> float:
        """Variance, in squared units of the scale."""

    @abstractmethod
    def epsilon(self, sensitivity: float, delta: float = 0.0) -> float:
        """Privacy parameter of one release of one value (not of a training run)."""

    # -- what follows from it ---------------------------------------------------------------

    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.var())

    def logpdf(self, x: ArrayLike) -> Any:
        """Log density at ``x``."""
        with np.errstate(over="ignore"):
            return (self._log_density(self._standardise(x)) - math.log(self.scale))[()]

    def pdf(self, x: ArrayLike) -> Any:
        """Density at ``x``."""
        with np.errstate(under="ignore"):
            return np.exp(self.logpdf(x))

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x)."""
        x = np.asarray(x, dtype=float)
        with np.errstate(over="ignore", under="ignore"):
            tail = self._upper_tail(self._standardise(x))
        return np.where(x < 0, 1 - tail, tail)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self.sf(np.negative(x))

    def isf(self, q: ArrayLike) -> Any:
        """The x with ``sf(x) == q``: inf at 0, -inf at 1."""
        q = np.asarray(q, dtype=float)
        q = np.where((q >= 0) & (q <= 1), q, np.nan)
        with np.errstate(divide="ignore", over="ignore"):
            z = self._upper_quantile(np.minimum(q, 1 - q))
        return (self.scale * np.where(q > 0.5, -z, z))[()]

    def ppf(self, q: ArrayLike) -> Any:
        """The x with ``cdf(x) == q``: -inf at 0, inf at 1."""
        return np.negative(self.isf(q))

    def _standardise(self, x: ArrayLike) -> np.ndarray:
        return np.abs(np.asarray(x, dtype=float)) / self.scale
