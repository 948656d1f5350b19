"""How the one-bit paper's claims are judged: on both outputs, and at other ranks beside them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dpmc.frame.judging.finding import NOT_REPORTED, VERDICTS, Finding
from dpmc.studies.onebit.claims.evidence import LINKS, OneBitEvidence, Outputs


def on_both_outputs(evidence: OneBitEvidence, judge: Callable[[Outputs], Finding]) -> Finding:
    """Judge the truncated outputs, and name in the reason what the raw ones would give."""
    found, beside = judge(evidence.judged), judge(evidence.beside)
    return replace(
        found,
        reason=f"{evidence.judged.kind} outputs: {found.reason}. "
        f"{evidence.beside.kind.capitalize()} outputs ({beside.verdict}): {beside.reason}. "
        f"{NOT_REPORTED.capitalize()}",
    )


def at_every_rank(evidence: OneBitEvidence, judge: Callable[..., Finding]) -> Finding:
    """Judge on both outputs, and say first in the reason what other ranks and one link would give.

    Such as "By rank, both links: contradicted at 1, 2; gaussian link alone: contradicted at 1, 2;
    logistic link alone: supported at 2, contradicted at 1".

    ``judge`` takes outputs and the links that count, by default both, and returns a finding.
    """
    found = on_both_outputs(evidence, judge)
    if not evidence.by_rank:
        return found
    chosen = {"both links": LINKS, **{f"{link} link alone": (link,) for link in LINKS}}
    parts = [f"{name}: {_ranks(evidence, judge, links)}" for name, links in chosen.items()]
    return replace(found, reason=f"By rank, {'; '.join(parts)}. {found.reason}")


def _ranks(evidence: OneBitEvidence, judge: Callable[..., Finding], links: Sequence[str]) -> str:
    ranks: dict[str, list[str]] = {}
    for rank, outputs in evidence.by_rank.items():
        ranks.setdefault(judge(outputs, links).verdict, []).append(str(rank))
    return ", ".join(
        f"{verdict} at {', '.join(ranks[verdict])}" for verdict in VERDICTS if verdict in ranks
    )
