"""Claims about MovieLens 100K and the restaurant ratings (RC): O5 to O7."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from dpmc.studies.onebit.cells import BOTH, CLEAR, NUCLEAR, OneBitCell
from dpmc.studies.onebit.claims.evidence import (
    LINKS,
    PAPER,
    PERTURBED,
    OneBitEvidence,
    Outputs,
    claim,
)
from dpmc.studies.onebit.claims.verdicts import on_both_outputs
from dpmc.study.rules import Finding, always_below, points

TRAINING_SHARE = 0.8
MOVIELENS, RESTAURANT = "ml-100k", "restaurant"
EXCEEDED = 0.68
UNSATISFACTORY = 0.02  # above the majority sign's share
EPSILONS = tuple(float(epsilon) for epsilon in range(1, 11))
MIDDLE = 4.0
OPEN = (CLEAR, "majority", "item_bias")


@claim("O5")
def all_exceed_68_percent_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: .68 - accuracy below 0 at epsilon 4, four mechanisms and both links."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            f"{name} {link}": EXCEEDED - _accuracy(outputs, MOVIELENS, link, name, MIDDLE)
            for name, link in product(PAPER, LINKS)
        }
        return _with(
            always_below(rows, formatter=points),
            _formatted(outputs, MOVIELENS, [*PAPER, "private_item_bias"], MIDDLE),
            "both constraints: " + _formatted(outputs, MOVIELENS, PAPER, MIDDLE, constraint=BOTH),
            "without privacy " + _formatted(outputs, MOVIELENS, OPEN),
        )

    return on_both_outputs(evidence, judge)


@claim("O6")
def outp_best_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy of each other mechanism below that of OutP, epsilon 1 to 10."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            f"{name} {link} eps {epsilon:g}": _accuracy(outputs, MOVIELENS, link, name, epsilon)
            - _accuracy(outputs, MOVIELENS, link, "OutP", epsilon)
            for name, link, epsilon in product(PERTURBED, LINKS, EPSILONS)
        }
        return always_below(rows, formatter=points)

    return on_both_outputs(evidence, judge)


@claim("O7")
def three_unsatisfactory_on_restaurants(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points above that of the majority sign."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            f"{name} {link}": _accuracy(outputs, RESTAURANT, link, name, 1.0)
            - _accuracy(outputs, RESTAURANT, link, "majority", None)
            for name, link in product(PERTURBED, LINKS)
        }
        return _with(
            always_below(rows, UNSATISFACTORY, formatter=points),
            _formatted(outputs, RESTAURANT, [*PAPER, "private_item_bias"], 1.0),
            "without privacy " + _formatted(outputs, RESTAURANT, OPEN),
        )

    return on_both_outputs(evidence, judge)


def _accuracy(
    outputs: Outputs,
    dataset: str,
    link: str,
    name: str,
    epsilon: float | None,
    constraint: str | None = None,
) -> np.ndarray:
    constraint = constraint or (NUCLEAR if dataset == MOVIELENS else BOTH)
    mechanism = PAPER.get(name, name)
    return outputs.accuracy(
        OneBitCell(dataset, link, constraint, TRAINING_SHARE, mechanism, epsilon)
    )


def _with(finding: Finding, *context: str) -> Finding:
    """Add accuracies to the reason of a finding, if it is one."""
    if not np.isfinite(finding.effect):
        return finding
    return replace(finding, reason="; ".join([finding.reason, *context]))


def _formatted(
    outputs: Outputs,
    dataset: str,
    names: Iterable[str],
    epsilon: float | None = None,
    *,
    constraint: str | None = None,
) -> str:
    """Format mean accuracies, Gaussian/logistic link, such as "InP 70.1/70.3 %"."""

    def mean(name: str, link: str) -> str:
        values = _accuracy(outputs, dataset, link, name, epsilon, constraint)
        return f"{100 * np.nanmean(values):.1f}" if np.isfinite(values).any() else "-"

    return ", ".join(f"{name} {'/'.join(mean(name, link) for link in LINKS)} %" for name in names)
