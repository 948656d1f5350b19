"""Laplace noise."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dpmc.mechanisms.base import Mechanism, positive_finite, probability


@dataclass(frozen=True)
class Laplace(Mechanism):
    """Noise with density exp(-|x|/b) / (2 b).

    Parameters
    ----------
    scale : float
        The scale b > 0; the variance is 2 b^2.

    References
    ----------
    Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014), section 3.3.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_finite("scale", self.scale))

    @classmethod
    def from_variance(cls, variance: float) -> Self:
        return cls(math.sqrt(positive_finite("variance", variance) / 2))

    def _log_density(self, z: np.ndarray) -> np.ndarray:
        return -z - math.log(2)

    def _upper_tail(self, z: np.ndarray) -> np.ndarray:
        return np.exp(-z) / 2

    def _upper_quantile(self, q: np.ndarray) -> np.ndarray:
        return -np.log(2 * q)

    def rvs(
        self, size: int | tuple[int, ...] | None = None, rng: np.random.Generator | None = None
    ) -> Any:
        return (rng or np.random.default_rng()).laplace(0.0, self.scale, size)

    def var(self) -> float:
        return 2 * self.scale**2

    def epsilon(self, sensitivity: float, delta: float = 0.0) -> float:
        """Pure epsilon of one release, D/b: nominal, not the guarantee of a training run.

        Parameters
        ----------
        sensitivity : float
            Largest l1 distance D between the values released on neighbouring data.
        delta : float
            Accepted for a common interface: a pure guarantee is the same at every delta.
        """
        probability("delta", delta)
        return positive_finite("sensitivity", sensitivity) / self.scale
