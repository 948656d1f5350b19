"""Audit of private one-bit matrix completion.

A run is replayed on neighbouring data (see :mod:`dpmc_studies.studies.audit.traces`). The audit
tests that no query changes by more than its stated sensitivity, that the privacy loss of the run
stays within the budget, and that the completed matrix is the same, because signs are used through
the ledger alone. One guarantee is not tested: that of objective perturbation with the Gaussian
link, which rests on a theorem about densities.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.privacy.relations import ENTRY_CHANGE
from dpmc.privacy.sensitivity import NORMS
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.noise import OBJECTIVE, OUTPUT, plan_of
from dpmc_studies.methods.onebit.private import Completion, Problem, complete
from dpmc_studies.methods.onebit.solve import Ball, solve
from dpmc_studies.studies.audit.method_runs import trace_rows
from dpmc_studies.studies.audit.rows import AUDIT, difference_row, sensitivity_row, stream
from dpmc_studies.studies.audit.traces import Trace, compare

EPSILON, DELTA = 2.0, 0.05
"""The budget of the audited runs; delta is for Gaussian noise alone."""
SETTINGS = {"delta": DELTA, "iterations": 2}
"""The second step of gradient perturbation depends on the first release."""
SIZE = 6
"""Users and items of the audited data."""
AUDITED = ("objp", "grap", "grap_gaussian", "outp", "private_item_bias")


class Followed:
    """Randomness whose one ledger keeps its transcript.

    ``make`` turns the noise at sensitivity 1 into the noise that the ledger adds.
    """

    def __init__(self, make):
        self.make = make
        self.kept: Ledger | None = None
        self.noise = None

    def flip(self, signs, response):
        raise NotImplementedError("flips are audited by themselves")

    def ledger(self, noise, releases):
        self.noise, self.kept = noise, Ledger(self.make(noise), releases, keep=True)
        return self.kept


@dataclass(frozen=True, eq=False)
class Pair:
    """A problem on neighbouring data, with the non-private solutions where they are needed."""

    here: Problem
    there: Problem
    clear: tuple[np.ndarray | None, np.ndarray | None]


def onebit_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all mechanisms.

    ``settings`` has ``seed`` and ``runs`` (of each mechanism, on either data set).
    """
    for mechanism in AUDITED:
        rng = stream(settings["seed"], AUDIT, {"onebit": mechanism})
        yield from mechanism_rows(mechanism, settings["runs"], rng)


def mechanism_rows(
    mechanism: str, runs: int, rng: np.random.Generator, problem: type[Problem] = Problem
) -> Iterator[dict[str, object]]:
    """Yield the rows of one mechanism, run ``runs`` times on each of two neighbouring data sets.

    ``rng`` draws data and noise. ``problem`` is the class of problems, for a planted fault.
    """
    delta = DELTA if mechanism == "grap_gaussian" else 0.0
    claim = {"target": "onebit", "mechanism": mechanism, "relation": ENTRY_CHANGE}
    claim |= {"claimed_epsilon": EPSILON, "delta": delta}
    pairs = neighbours(mechanism, rng, problem)
    found = [follow(mechanism, pair, rng) for pair in pairs]
    yield sensitivity_row(max(max(trace.changes.values()) for trace, _ in found), claim)
    yield difference_row("post_processing", sum(differing for _, differing in found), claim)
    pair = pairs[0]
    back = replace(pair, here=pair.there, there=pair.here, clear=pair.clear[::-1])
    traces = [[follow(mechanism, each, rng)[0] for _ in range(runs)] for each in (pair, back)]
    noise = plan_of(mechanism, pair.here.facts, EPSILON, **SETTINGS).noise
    yield from trace_rows(*traces, noise.cdf, dict(claim, samples=runs))


def neighbours(
    mechanism: str, rng: np.random.Generator, problem: type[Problem] = Problem
) -> list[Pair]:
    """Return problems on data that differ in the first sign, the worst ones first.

    There are two kinds of data: two blocks of signs +1 with one entry between the blocks, on which
    the clear solution changes most, and random signs. Each comes with both links (objective
    perturbation: only the logistic one) and both kinds of ball. Where the step is free, the
    gradients of both links at 0 reach the clip.
    """
    links = ("logistic",) if mechanism in OBJECTIVE else ("gaussian", "logistic")
    signs = [blocks(SIZE), _random(rng)]
    balls = [Ball(float(SIZE)), Ball(float(SIZE), 1.0)]
    pairs = []
    for data in signs:
        flipped = replace(data, values=data.values * np.where(np.arange(len(data)), 1, -1))
        for link in links:
            for ball in balls:
                problems = problem(data, link, ball), problem(flipped, link, ball)
                pairs.append(Pair(*problems, tuple(_clear(mechanism, each) for each in problems)))
    return pairs


def blocks(size: int) -> Ratings:
    """Return the block instance: two diagonal blocks of half the size are +1, plus one entry.

    The first sign is the entry off the diagonal. Only this entry relates the two blocks; when it
    flips, the completed signs of both other blocks reverse. ``size`` is the number of users and of
    items, an even number.
    """
    half = np.arange(size) < size // 2
    inside = half[:, None] == half[None, :]
    users, items = np.nonzero(inside)
    users, items = np.append(0, users), np.append(size - 1, items)
    return Ratings(users, items, np.ones(users.size), size, size, name="blocks")


def follow(mechanism: str, pair: Pair, rng: np.random.Generator) -> tuple[Trace, int]:
    """Run on one data set, replay on the other; return the trace and how many entries differ."""
    run = Followed(lambda noise: FloatNoise(noise, rng))
    first = _complete(mechanism, pair.here, run, pair.clear[0])
    replay = Followed(lambda noise: Replay([each.output for each in run.kept.transcript]))
    second = _complete(mechanism, pair.there, replay, pair.clear[1])
    norm = NORMS[type(run.noise).__name__.lower()]
    trace = compare(run.kept, replay.kept, run.noise, norm)
    return trace, int(np.count_nonzero(first.matrix != second.matrix))


def _complete(mechanism, problem, randomness, clear) -> Completion:
    return complete(
        mechanism,
        problem,
        EPSILON,
        randomness=randomness,
        clear=clear,
        **SETTINGS,
    )


def _clear(mechanism, problem):
    return solve(problem.objective, problem.ball).matrix if mechanism in OUTPUT else None


def _random(rng) -> Ratings:
    users, items = np.nonzero(rng.random((SIZE, SIZE)) < 0.6)
    return Ratings(users, items, rng.choice([-1.0, 1.0], users.size), SIZE, SIZE, name="random")
