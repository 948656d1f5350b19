"""Random streams, keyed by the coordinates that they may depend on.

Two streams are the same if and only if seed, purpose and coordinates are the same. Mechanisms are
compared on the same data, mask and start, because these streams do not name the mechanism. No two
cells share noise, because the noise stream names every coordinate. Numbers do not depend on the
number of cores, the order of jobs or the number of trials.
"""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

DATA = "data"
START = "start"
NOISE = "noise"


def stream(
    seed: int,
    purpose: str,
    coordinates: Mapping[str, object],
    frozen: Mapping[str, str] = MappingProxyType({}),
) -> np.random.Generator:
    """Return the PCG64 generator of one stream.

    Parameters
    ----------
    seed : int
        Non-negative seed of the whole run.
    purpose : str
        What is drawn: ``DATA``, ``START``, ``NOISE`` or a name of an experiment's own.
    coordinates : mapping
        Names and values (str, int, float or None); 2 and 2.0 are the same coordinate.
    frozen : mapping, optional
        Name of a coordinate -> the name that it had when the numbers of the reference were drawn,
        and keeps in the stream, whatever it is called since.
    """
    coordinates = {frozen.get(name, name): value for name, value in coordinates.items()}
    words = hashlib.sha256(_canonical(purpose, coordinates).encode()).digest()
    key = np.frombuffer(words[:16], dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(key.tolist())))


def _canonical(purpose: str, coordinates: Mapping[str, object]) -> str:
    parts = [f"{name!r}={_format(coordinates[name])}" for name in sorted(coordinates)]
    return "|".join([purpose, *parts])


def _format(value: object) -> str:
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return repr(float(value))
    return repr(value)
