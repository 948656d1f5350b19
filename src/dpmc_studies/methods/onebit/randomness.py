"""Where the flips and the noise of a run come from: a seeded generator, or what an audit gives."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.privacy.ledger import FloatNoise, Ledger


class Randomness(Protocol):
    """Where flips and noise come from."""

    def flip(self, signs: np.ndarray, response: RandomisedResponse) -> np.ndarray:
        """Return flipped signs."""

    def ledger(self, noise, releases: int) -> Ledger:
        """Return a ledger that adds ``noise``, which is that of a release of sensitivity 1."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """Floating-point noise from a seeded generator: for experiments."""

    rng: np.random.Generator

    def flip(self, signs, response):
        return response.flip(signs, self.rng)

    def ledger(self, noise, releases):
        return Ledger(FloatNoise(noise, self.rng), releases)
