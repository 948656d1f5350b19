"""Faults planted into noise, methods and publications, to show which mistakes the audit finds.

Each fault is a mistake that is easily made, or that a paper makes. It is a subclass, a noise or a
claim that replaces the correct one; nothing in the library is patched.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpmc.methods.private import PrivateMethod
from dpmc.privacy.ledger import FloatNoise, Noise
from dpmc_studies.studies.audit.rows import AUDIT, caught_row, stream

Row = dict[str, object]
RUNS = 250
"""Of a faulty method, on each of two neighbouring data sets: enough to see these faults."""


@dataclass(frozen=True)
class Fault:
    """A planted fault, and what column ``planted_fault`` calls it.

    ``key`` selects the stream of random numbers; it is empty if the noise comes from the operating
    system. ``rows`` returns the audit's rows with the fault, given the part's settings and a
    generator.
    """

    name: str
    key: Mapping[str, object]
    rows: Callable[[Mapping, np.random.Generator | None], Iterator[Row]]

    def row(self, settings: Mapping) -> Row:
        """Return the row of the fault; passed means that a test caught it."""
        rng = stream(settings["seed"], AUDIT, self.key) if self.key else None
        return caught_row(self.name, self.rows(settings, rng))


def right_noise(method: PrivateMethod, rng: np.random.Generator) -> Noise:
    """Return the noise that a method is calibrated for."""
    return FloatNoise(method.calibration.noise, rng)


class FaultyMethod(NamedTuple):
    """A method by its name or that of its family, its class with the fault, and its noise."""

    name: str
    cls: type[PrivateMethod] | None = None
    noise: Callable[[PrivateMethod, np.random.Generator], Noise] = right_noise
