"""Claims about MovieLens 100K and the restaurant ratings (RC): O5 to O7, O18 to O22."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows, all_of, always_below, mostly_below, named, points
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.studies.onebit.cells import BOTH, CLEAR, NUCLEAR, OneBitCell
from dpmc_studies.studies.onebit.claims.evidence import (
    MOVIELENS,
    PAPER,
    PERTURBED,
    OneBitEvidence,
    Outputs,
    claim,
    place_named,
)
from dpmc_studies.studies.onebit.claims.synthetic import APPROACHED, LARGEST, MIDDLE, SMALL
from dpmc_studies.studies.onebit.claims.verdicts import (
    at_every_rank,
    at_the_best_choice,
    on_both_outputs,
)

TRAINING_SHARE = 0.8
RESTAURANT = "restaurant"
EXCEEDED = 0.68
UNSATISFACTORY = 0.02  # above the majority sign's share
MARGINAL = 0.02  # of accuracy that is lost
EPSILONS = tuple(float(epsilon) for epsilon in range(1, 11))
OPEN = (CLEAR, "majority", "item_bias")


@claim("O5")
def all_exceed_68_percent_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: .68 - accuracy below 0 at epsilon 4, four mechanisms and both links."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            place_named(name, link): EXCEEDED - accuracy_of(outputs, MOVIELENS, link, name, MIDDLE)
            for name, link in product(PAPER, outputs.links)
        }
        return _with(
            always_below(rows, formatter=points),
            _formatted(outputs, MOVIELENS, [*PAPER, "private_item_bias"], MIDDLE),
            "both constraints: " + _formatted(outputs, MOVIELENS, PAPER, MIDDLE, constraint=BOTH),
            "without privacy " + _formatted(outputs, MOVIELENS, OPEN),
        )

    return at_the_best_choice(evidence, judge)


@claim("O7")
def three_unsatisfactory_on_restaurants(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points above that of the majority sign."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            place_named(name, link): accuracy_of(outputs, RESTAURANT, link, name, 1.0)
            - accuracy_of(outputs, RESTAURANT, link, "majority", None)
            for name, link in product(PERTURBED, outputs.links)
        }
        return _with(
            always_below(rows, UNSATISFACTORY, formatter=points),
            _formatted(outputs, RESTAURANT, [*PAPER, "private_item_bias"], 1.0),
            "without privacy " + _formatted(outputs, RESTAURANT, OPEN),
        )

    return on_both_outputs(evidence, judge)


@claim("O18")
def all_improve_and_approach_clear_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy rises from epsilon 1 to 10, and half of the distance to Clear is lost."""

    def judge(outputs: Outputs) -> Finding:
        return all_of(
            [
                named(
                    "epsilon 1 against 10",
                    always_below(_rises(outputs, MOVIELENS), formatter=points),
                ),
                named(
                    "distance to Clear, less half of that at epsilon 1",
                    always_below(_gaps(outputs, MOVIELENS), formatter=points),
                ),
            ]
        )

    return at_every_rank(evidence, judge)


@claim("O21")
def restaurants_approach_clear(evidence: OneBitEvidence) -> Finding:
    """MOST: of the distance to Clear at epsilon 1, half is lost at epsilon 10."""
    return on_both_outputs(
        evidence,
        lambda outputs: mostly_below(_gaps(outputs, RESTAURANT), formatter=points),
    )


@claim("O22")
def marginal_loss_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points below that without privacy."""

    def judge(outputs: Outputs) -> Finding:
        losses = {
            place_named(name, link): accuracy_of(outputs, MOVIELENS, link, CLEAR, None)
            - accuracy_of(outputs, MOVIELENS, link, name, SMALL[0])
            for name, link in product(PAPER, outputs.links)
        }
        return _with(
            always_below(losses, MARGINAL, formatter=points),
            _formatted(outputs, MOVIELENS, PAPER, SMALL[0]),
            f"at epsilon {MIDDLE:g} " + _formatted(outputs, MOVIELENS, PAPER, MIDDLE),
            "without privacy " + _formatted(outputs, MOVIELENS, OPEN),
        )

    return at_the_best_choice(evidence, judge)


def _rises(outputs: Outputs, dataset: str) -> Rows:
    """Return accuracies at epsilon 1 minus those at epsilon 10, of all four mechanisms."""
    return {
        place_named(name, link): accuracy_of(outputs, dataset, link, name, SMALL[0])
        - accuracy_of(outputs, dataset, link, name, LARGEST)
        for name, link in product(PAPER, outputs.links)
    }


def _gaps(outputs: Outputs, dataset: str) -> Rows:
    """Return distances to Clear at epsilon 10 less half of those at 1, of all four mechanisms."""
    gaps = {}
    for name, link in product(PAPER, outputs.links):
        clear = accuracy_of(outputs, dataset, link, CLEAR, None)
        first, last = (
            clear - accuracy_of(outputs, dataset, link, name, epsilon)
            for epsilon in (SMALL[0], LARGEST)
        )
        gaps[place_named(name, link)] = last - APPROACHED * first
    return gaps


def accuracy_of(
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

    def means(name: str) -> str:
        rows = [
            accuracy_of(outputs, dataset, link, name, epsilon, constraint) for link in outputs.links
        ]
        return "/".join(
            f"{100 * np.nanmean(row):.1f}" if np.isfinite(row).any() else "-" for row in rows
        )

    return ", ".join(f"{in_list(mechanism_label(name))} {means(name)} %" for name in names)
