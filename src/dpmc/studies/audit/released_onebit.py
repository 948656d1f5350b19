"""Audit of the folder of one-bit completion: its bytes must be made of the outputs alone."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dpmc.methods.onebit.guarantee import INP
from dpmc.methods.onebit.private import Completion, Problem, complete
from dpmc.methods.released import onebit_folder
from dpmc.privacy.ledger import FloatNoise, Replay
from dpmc.privacy.relations import ENTRY_CHANGE
from dpmc.studies.audit.method_runs import EPSILON
from dpmc.studies.audit.neighbours import with_labels
from dpmc.studies.audit.onebit import (
    AUDITED,
    DELTA,
    SETTINGS,
    Followed,
    Pair,
    neighbours,
)
from dpmc.studies.audit.released import TARGET, differing_bytes, folder_bytes
from dpmc.studies.audit.rows import AUDIT, difference_row
from dpmc.studies.audit.streams import stream

RELEASED = (INP, *AUDITED)
"""All mechanisms that ``dpmc onebit`` publishes."""


class FollowedFlips(Followed):
    """Randomness that keeps its flipped signs, too, or releases those of an earlier run.

    ``make`` is as for :class:`dpmc.studies.audit.onebit.Followed`; ``rng`` draws flips; ``flipped``
    are those of the earlier run.
    """

    def __init__(self, make, rng, flipped=None):
        super().__init__(make)
        self._rng = rng
        self.flipped = flipped

    def flip(self, signs, response):
        if self.flipped is None:
            self.flipped = response.flip(signs, self._rng)
        return self.flipped


def onebit_folder_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield a row for every mechanism.

    ``settings`` has ``seed``.
    """
    for mechanism in RELEASED:
        rng = stream(settings["seed"], AUDIT, {"onebit_folder": mechanism})
        yield onebit_folder_row(mechanism, rng)


def onebit_folder_row(
    mechanism: str, rng: np.random.Generator, problem: type[Problem] = Problem
) -> dict[str, object]:
    """Return the row of what is published by one mechanism, over all of its neighbours.

    ``mechanism`` is one of :data:`RELEASED`. ``problem`` is the class of the problems where it has
    a planted fault.
    """
    claim = {"target": TARGET, "mechanism": mechanism, "relation": ENTRY_CHANGE}
    claim |= {"claimed_epsilon": EPSILON, "delta": DELTA if mechanism == "grap_gaussian" else 0.0}
    pairs = [_labelled(pair) for pair in neighbours(mechanism, rng, problem)]
    return difference_row(
        "published", sum(differing_folders(mechanism, pair, rng) for pair in pairs), claim
    )


def differing_folders(mechanism: str, pair: Pair, rng: np.random.Generator) -> int:
    """Publish on the one, replay on the other; return how many bytes of the folders differ."""
    run = FollowedFlips(lambda noise: FloatNoise(noise, rng), rng)
    first = _complete(mechanism, pair.here, run, pair.clear[0])
    outputs = [each.output for each in run.kept.transcript] if run.kept else []
    replay = FollowedFlips(lambda _: Replay(outputs), rng, run.flipped)
    second = _complete(mechanism, pair.there, replay, pair.clear[1])
    folders = [
        onebit_bytes(mechanism, *each) for each in ((first, pair.here), (second, pair.there))
    ]
    return differing_bytes(*folders)


def onebit_bytes(mechanism: str, completion: Completion, problem: Problem) -> dict[str, bytes]:
    """Return the files of a published completion of a problem with labels."""
    settings = onebit_settings(mechanism, problem)
    return folder_bytes(lambda path: onebit_folder.write(path, completion, problem, settings))


def onebit_settings(
    mechanism: str, problem: Problem, epsilon: float = EPSILON
) -> dict[str, object]:
    """Return what ``dpmc onebit`` states of a run, as its own settings do."""
    return {
        "mechanism": mechanism,
        "link": problem.link.name,
        "constraint": "both" if problem.ball.alpha is not None else "nuclear",
        "epsilon": epsilon,
        "alpha": problem.alpha,
        "rank": 1,
        "delta": DELTA if mechanism == "grap_gaussian" else 0.0,
        "threshold": 0.0,
    }


def _labelled(pair: Pair) -> Pair:
    here, there = (
        replace(problem, signs=with_labels(problem.signs)) for problem in (pair.here, pair.there)
    )
    return replace(pair, here=here, there=there)


def _complete(mechanism, problem, randomness, clear) -> Completion:
    # flips have no further settings
    settings = {} if mechanism == INP else SETTINGS
    return complete(mechanism, problem, EPSILON, randomness=randomness, clear=clear, **settings)
