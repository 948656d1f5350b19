"""How the one-bit paper's claims are judged: on one kind of output, maybe at the best choice."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    SUPPORTED,
    Finding,
)
from dpmc_studies.studies.onebit.claims.evidence import PREDICATES, OneBitEvidence, Outputs

Judge = Callable[[Outputs], Finding]
BEST_FIRST = (SUPPORTED, NO_EFFECT, INCONCLUSIVE, CONTRADICTED)
DELTAS = ("Delta 5.03 of the remark", "Delta 1.81 of theorem 2")


def on_outputs(identifier: str, at_the_best_choice: bool = False) -> Callable[[Judge], Judge]:
    """Return a decorator that registers what judges a claim from outputs.

    At the best choice the claim is judged where it fares best among what the paper leaves open, the
    rank and Delta: one choice for all mechanisms and both links.
    """

    def register(judge: Judge) -> Judge:
        def predicate(evidence: OneBitEvidence) -> Finding:
            if at_the_best_choice:
                return _at_the_best_choice(evidence, judge)
            return of_outputs(evidence.judged, judge)

        PREDICATES[identifier] = predicate
        return judge

    return register


def of_outputs(outputs: Outputs, judge: Judge) -> Finding:
    """Judge, and name the kind of output in the reason."""
    found = judge(outputs)
    reason = f"{outputs.kind} outputs: {found.reason}. {NOT_REPORTED.capitalize()}"
    return replace(found, reason=reason)


def _at_the_best_choice(evidence: OneBitEvidence, judge: Judge) -> Finding:
    found = {choice: of_outputs(each, judge) for choice, each in _choices(evidence)}
    best = min(found, key=lambda choice: _rank_of(found[choice]))
    return replace(found[best], reason=f"Judged with {best}, {found[best].reason}")


def _rank_of(finding: Finding) -> tuple[int, float]:
    effect = finding.effect if np.isfinite(finding.effect) else np.inf
    return BEST_FIRST.index(finding.verdict), effect


def _choices(evidence: OneBitEvidence) -> Iterator[tuple[str, Outputs]]:
    for delta, each in zip(DELTAS, (evidence, evidence.tight), strict=True):
        if each is not None:
            cuts = {f"rank {rank}": outputs for rank, outputs in each.by_rank.items()}
            for cut, outputs in (cuts or {f"{each.judged.kind} outputs": each.judged}).items():
                yield f"{cut} and {delta}", outputs
