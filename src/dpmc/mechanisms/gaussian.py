"""Gaussian noise, with its published, classical and exact privacy parameters."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms.base import Mechanism, positive_finite, probability

FORMULAS = ("exact", "classical", "published")


@dataclass(frozen=True)
class Gaussian(Mechanism):
    """Noise with density exp(-x^2 / (2 sigma^2)) / (sigma sqrt(2 pi)).

    Parameters
    ----------
    scale : float
        The standard deviation sigma > 0.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_finite("scale", self.scale))

    @classmethod
    def from_variance(cls, variance: float) -> Self:
        return cls(math.sqrt(positive_finite("variance", variance)))

    def _log_density(self, z: np.ndarray) -> np.ndarray:
        return -z * z / 2 - math.log(2 * math.pi) / 2

    def _upper_tail(self, z: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr  # not paid for by a training job, which only draws

        return ndtr(-z)

    def _upper_quantile(self, q: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return np.abs(ndtri(q))

    def rvs(
        self, size: int | tuple[int, ...] | None = None, rng: np.random.Generator | None = None
    ) -> Any:
        rng = rng or np.random.default_rng()
        return rng.normal(0.0, self.scale, size)

    def var(self) -> float:
        return self.scale**2

    def epsilon(self, sensitivity: float, delta: float = 0.0, *, formula: str = "exact") -> float:
        """Epsilon of one release at ``delta``: nominal, not the guarantee of a training run.

        Parameters
        ----------
        sensitivity : float
            Largest l2 distance D between the values released on neighbouring data.
        delta : float
            0 < delta < 1; Gaussian noise has no finite epsilon at delta = 0.
        formula : {"exact", "classical", "published"}
            "exact": the smallest epsilon there is (Balle and Wang, "Improving the Gaussian
            Mechanism for Differential Privacy", ICML 2018, theorem 8), by bisection.
            "classical": sqrt(2 ln(1.25/delta)) D/sigma (Dwork and Roth 2014, theorem A.1), proven
            only where the result is below 1: above, it is a number and not a guarantee.
            "published": the same with log10 for ln, the form behind Table 1 of Gowtham et al.
            2022 (see :mod:`dpmc.mechanisms.huber`). It understates epsilon; kept to reproduce that
            table.

        Raises
        ------
        InputError
            delta = 0 or outside [0, 1), an invalid sensitivity, an unknown formula.
        """
        ratio = positive_finite("sensitivity", sensitivity) / self.scale
        if probability("delta", delta) == 0:
            raise InputError(
                "Gaussian noise has no pure epsilon, because its log density ratio is unbounded: "
                "give a delta above 0."
            )
        if formula == "published":
            return math.sqrt(2 * math.log10(1.25 / delta)) * ratio
        if formula == "classical":
            return math.sqrt(2 * math.log(1.25 / delta)) * ratio
        if formula == "exact":
            return _exact_epsilon(ratio, float(delta))
        raise InputError(
            f"formula must be one of {', '.join(FORMULAS)}, got {formula!r}"
            f"{did_you_mean(formula, FORMULAS)}."
        )

    def delta(self, epsilon: float, sensitivity: float) -> float:
        """Smallest delta at which one release is (epsilon, delta)-private.

        Nominal, not the guarantee of a training run. Parameters as in :meth:`epsilon`, with
        0 <= epsilon. Balle and Wang (2018), theorem 8.
        """
        ratio = positive_finite("sensitivity", sensitivity) / self.scale
        if not epsilon >= 0:
            raise InputError(f"epsilon must be a number of at least 0, got {epsilon!r}.")
        return _exact_delta(float(epsilon), ratio)


def _exact_delta(epsilon: float, ratio: float) -> float:
    """Phi(-u) - exp(epsilon) Phi(-v), with u, v = epsilon/ratio -+ ratio/2.

    Since v^2 - u^2 = 2 epsilon, the second term is phi(u) Phi(-v)/phi(v): written so, with the
    scaled tail erfcx, nothing overflows and a tiny delta keeps its relative precision.
    """
    from scipy.special import erfc, erfcx

    half = math.sqrt(0.5)
    u, v = epsilon / ratio - ratio / 2, epsilon / ratio + ratio / 2
    damped = math.exp(-u * u / 2)
    if u < 0:
        return float(erfc(u * half) - damped * erfcx(v * half)) / 2
    return float(damped * (erfcx(u * half) - erfcx(v * half))) / 2


def _exact_epsilon(ratio: float, delta: float) -> float:
    if _exact_delta(0.0, ratio) <= delta:
        return 0.0
    # delta(epsilon) <= Phi(-u), so the u with Phi(-u) = delta bounds epsilon from above.
    low, high = 0.0, ratio * (ratio / 2 + float(Gaussian().isf(delta)))
    while low < (middle := (low + high) / 2) < high:
        if _exact_delta(middle, ratio) > delta:
            low = middle
        else:
            high = middle
    return high
