"""Faults planted into one-bit completion.

The faults: the noise that the paper prints, steps that depend on the signs, and flips that break
their claim.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.private import Problem
from dpmc_studies.studies.audit.faults import Fault
from dpmc_studies.studies.audit.onebit import mechanism_rows
from dpmc_studies.studies.audit.randomised import FlipClaim, flip_claims, flip_rows

PAPER_FAULTS = {
    "outp_paper": "noise for one entry of the matrix",
    "grap_paper": "scale C for a change of 2 C",
    "objp_literal": "noise halved in the objective",
}
LINE_SEARCH = "steps that look at the signs"
TWO_RATIOS = "two of the four ratios"


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``, ``samples`` (flips) and ``runs`` (of each mechanism)."""
    faulty = [(fault, name, name, Problem) for name, fault in PAPER_FAULTS.items()]
    for fault, key, mechanism, problem in (
        *faulty,
        (LINE_SEARCH, LINE_SEARCH, "grap", SearchingProblem),
    ):

        def rows(settings, rng, mechanism=mechanism, problem=problem):
            return mechanism_rows(mechanism, settings["runs"], rng, problem)

        yield Fault(fault, {"onebit": key}, rows)

    def flipped(settings, rng):
        return flip_rows(two_ratios(), settings["samples"], rng)

    yield Fault(TWO_RATIOS, {"onebit": TWO_RATIOS}, flipped)


class _Searching(Objective):
    """A fault: the step depends on how well 0 fits, as in a line search."""

    @property
    def newton_step(self):
        _, gradient_at_zero = self(np.zeros(len(self.signs)))
        return 1.0 + abs(float(gradient_at_zero.sum()))


class SearchingProblem(Problem):
    """A problem whose steps look at the signs."""

    @cached_property
    def objective(self) -> Objective:
        return _Searching(self.signs, self.link)


def two_ratios() -> FlipClaim:
    """Return flips for which two ratios keep to epsilon, while an output -1 reveals the sign.

    (1 - p1)/p2 <= e^eps and p1/(1 - p2) <= e^eps hold.
    """
    honest = flip_claims()[0]
    never = RandomisedResponse(0.0, np.exp(-honest.epsilon))
    return replace(honest, response=never, flip=never.flip)
