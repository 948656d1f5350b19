"""How the one-bit paper's claims are judged: on both outputs, and at other ranks beside them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    SUPPORTED,
    VERDICTS,
    Finding,
)
from dpmc_studies.studies.onebit.claims.evidence import LINKS, OneBitEvidence, Outputs
from dpmc_studies.studies.onebit.frames import link_label

Judge = Callable[[Outputs], Finding]
BEST_FIRST = (SUPPORTED, NO_EFFECT, INCONCLUSIVE, CONTRADICTED)
DELTAS = ("Delta 5.03 of the remark", "Delta 1.81 of theorem 2")


def on_both_outputs(evidence: OneBitEvidence, judge: Judge) -> Finding:
    """Judge the truncated outputs, and name in the reason what the raw ones would give."""
    return _with_the_other(evidence, judge(evidence.judged), judge)


def _with_the_other(evidence: OneBitEvidence, found: Finding, judge: Judge) -> Finding:
    beside = judge(evidence.beside)
    return replace(
        found,
        reason=f"{evidence.judged.kind} outputs: {found.reason}. "
        f"{evidence.beside.kind.capitalize()} outputs ({beside.verdict}): {beside.reason}. "
        f"{NOT_REPORTED.capitalize()}",
    )


def at_every_rank(evidence: OneBitEvidence, judge: Judge) -> Finding:
    """Judge on both outputs, and say first in the reason what other ranks and one link would give.

    Such as "By rank, both links: contradicted at 1, 2; Gaussian link alone: contradicted at 1, 2;
    logistic link alone: supported at 2, contradicted at 1".
    """
    found = on_both_outputs(evidence, judge)
    if not evidence.by_rank:
        return found
    chosen = {
        "both links": evidence.judged.links,
        **{f"{link_label(x)} alone": (x,) for x in LINKS},
    }
    parts = [f"{name}: {_ranks(evidence.of(links), judge)}" for name, links in chosen.items()]
    return replace(found, reason=f"By rank, {'; '.join(parts)}. {found.reason}")


def at_the_best_choice(evidence: OneBitEvidence, judge: Judge) -> Finding:
    """Judge where the claim fares best among what the paper leaves open: the rank, and Delta.

    One choice for all mechanisms and both links. The reason says first what every choice gives.
    """
    found = {choice: judge(outputs) for choice, outputs in _choices(evidence)}
    best = min(found, key=lambda choice: _rank_of(found[choice]))
    groups: dict[str, dict[str, list[str]]] = {}
    for (cut, delta), each in found.items():
        groups.setdefault(each.verdict, {}).setdefault(delta, []).append(cut)
    every = "; ".join(f"{x} with {_listed(groups[x])}" for x in VERDICTS if x in groups)
    chosen = evidence.tight if best[1] == DELTAS[1] else evidence
    finding = _with_the_other(chosen, found[best], judge)
    reason = f"Of the choices {every}. Judged with {' and '.join(best)}, {finding.reason}"
    return replace(finding, reason=reason)


def _listed(cuts: dict[str, list[str]]) -> str:
    """Format the cuts by Delta."""
    return " and ".join(f"{delta} ({', '.join(names)})" for delta, names in cuts.items())


def _rank_of(finding: Finding) -> tuple[int, float]:
    effect = finding.effect if np.isfinite(finding.effect) else np.inf
    return BEST_FIRST.index(finding.verdict), effect


def _choices(evidence: OneBitEvidence) -> Iterator[tuple[tuple[str, str], Outputs]]:
    for delta, each in zip(DELTAS, (evidence, evidence.tight), strict=True):
        if each is not None:
            cuts = {f"rank {rank}": outputs for rank, outputs in each.by_rank.items()}
            for cut, outputs in (cuts or {f"{each.judged.kind} outputs": each.judged}).items():
                yield (cut, delta), outputs


def _ranks(evidence: OneBitEvidence, judge: Judge) -> str:
    ranks: dict[str, list[str]] = {}
    for rank, outputs in evidence.by_rank.items():
        ranks.setdefault(judge(outputs).verdict, []).append(str(rank))
    return ", ".join(
        f"{verdict} at {', '.join(ranks[verdict])}" for verdict in VERDICTS if verdict in ranks
    )
