"""Faults planted into one-bit completion.

The noise that the paper prints, steps that look at the signs, and flips that are not what they are
said to be.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.private import Problem
from dpmc_studies.studies.audit.faults import Fault, Row
from dpmc_studies.studies.audit.onebit import mechanism_rows
from dpmc_studies.studies.audit.randomised import FlipClaim, flip_claims, flip_rows

FACTOR = 0.8
PAPER_FAULTS = {
    "outp_paper": "noise for one entry of the matrix",
    "grap_paper": "scale C for a change of 2 C",
    "objp_literal": "noise halved in the objective",
}
LINE_SEARCH = "steps that look at the signs"
FEW_FLIPS = "flips x 0.8"
TWO_RATIOS = "two of the four ratios"


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``, ``samples`` (flips) and ``runs`` (of each mechanism)."""
    for mechanism, fault in PAPER_FAULTS.items():
        yield Fault(fault, {"onebit": mechanism}, partial(_mechanism_rows, mechanism, Problem))
    yield Fault(
        LINE_SEARCH, {"onebit": LINE_SEARCH}, partial(_mechanism_rows, "grap", SearchingProblem)
    )
    for fault, claim in faulty_flips():
        yield Fault(fault, {"onebit": fault}, partial(_flip_rows, claim))


def _mechanism_rows(mechanism, problem, settings, rng) -> Iterator[Row]:
    return mechanism_rows(mechanism, settings["runs"], rng, problem)


def _flip_rows(claim, settings, rng) -> Iterator[Row]:
    return flip_rows(claim, settings["samples"], rng)


class _Searching(Objective):
    """Its step depends on how well 0 fits, as a line search does."""

    @property
    def newton_step(self):
        _, gradient_at_zero = self(np.zeros(len(self.signs)))
        return 1.0 + abs(float(gradient_at_zero.sum()))


class SearchingProblem(Problem):
    """A problem whose steps look at the signs."""

    @cached_property
    def objective(self) -> Objective:
        return _Searching(self.signs, self.link)


def faulty_flips() -> Iterator[tuple[str, FlipClaim]]:
    """Yield (fault, claim) where flips are not what they are said to be."""
    honest = flip_claims()[0]
    p = FACTOR * honest.response.p_plus
    yield FEW_FLIPS, replace(honest, flip=RandomisedResponse(p, p).flip)
    # (1 - p1)/p2 <= e^eps and p1/(1 - p2) <= e^eps hold, and an output -1 gives the sign away
    never = RandomisedResponse(0.0, np.exp(-honest.epsilon))
    yield TWO_RATIOS, replace(honest, response=never, flip=never.flip)
