"""Claims about MovieLens 100K and the restaurant ratings (RC): O5 to O7, O18 to O22."""

from itertools import product

import numpy as np

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows, all_of, always_below, mostly_below, named, points
from dpmc_studies.studies.onebit.cells import BOTH, CLEAR, NUCLEAR, OneBitCell
from dpmc_studies.studies.onebit.claims.evidence import (
    MOVIELENS,
    PAPER,
    PERTURBED,
    Outputs,
    place_named,
)
from dpmc_studies.studies.onebit.claims.synthetic import APPROACHED, LARGEST, MIDDLE, SMALL
from dpmc_studies.studies.onebit.claims.verdicts import on_outputs

TRAINING_SHARE = 0.8
RESTAURANT = "restaurant"
EXCEEDED = 0.68
UNSATISFACTORY = 0.02  # above the majority sign's share
MARGINAL = 0.02  # of accuracy that is lost


@on_outputs("O5", at_the_best_choice=True)
def all_exceed_68_percent_on_movielens(outputs: Outputs) -> Finding:
    """ALL: .68 - accuracy below 0 at epsilon 4, four mechanisms and both links."""
    rows = {
        place_named(name, link): EXCEEDED - accuracy_of(outputs, MOVIELENS, link, name, MIDDLE)
        for name, link in product(PAPER, outputs.links)
    }
    return always_below(rows, formatter=points)


@on_outputs("O7")
def three_unsatisfactory_on_restaurants(outputs: Outputs) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points above that of the majority sign."""
    rows = {
        place_named(name, link): accuracy_of(outputs, RESTAURANT, link, name, 1.0)
        - accuracy_of(outputs, RESTAURANT, link, "majority", None)
        for name, link in product(PERTURBED, outputs.links)
    }
    return always_below(rows, UNSATISFACTORY, formatter=points)


@on_outputs("O18")
def all_improve_and_approach_clear_on_movielens(outputs: Outputs) -> Finding:
    """ALL: accuracy rises from epsilon 1 to 10, and half of the distance to Clear is lost."""
    rises = {
        place_named(name, link): accuracy_of(outputs, MOVIELENS, link, name, SMALL[0])
        - accuracy_of(outputs, MOVIELENS, link, name, LARGEST)
        for name, link in product(PAPER, outputs.links)
    }
    gaps = always_below(_gaps(outputs, MOVIELENS), formatter=points)
    return all_of(
        [
            named("epsilon 1 against 10", always_below(rises, formatter=points)),
            named("distance to Clear, less half of that at epsilon 1", gaps),
        ]
    )


@on_outputs("O21")
def restaurants_approach_clear(outputs: Outputs) -> Finding:
    """MOST: of the distance to Clear at epsilon 1, half is lost at epsilon 10."""
    return mostly_below(_gaps(outputs, RESTAURANT), formatter=points)


@on_outputs("O22", at_the_best_choice=True)
def marginal_loss_on_movielens(outputs: Outputs) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points below that without privacy."""
    losses = {
        place_named(name, link): accuracy_of(outputs, MOVIELENS, link, CLEAR, None)
        - accuracy_of(outputs, MOVIELENS, link, name, SMALL[0])
        for name, link in product(PAPER, outputs.links)
    }
    return always_below(losses, MARGINAL, formatter=points)


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
    outputs: Outputs, dataset: str, link: str, name: str, epsilon: float | None
) -> np.ndarray:
    """Return the accuracy of a mechanism by its published name, shape (trials,)."""
    constraint = NUCLEAR if dataset == MOVIELENS else BOTH
    mechanism = PAPER.get(name, name)
    return outputs.accuracy(
        OneBitCell(dataset, link, constraint, TRAINING_SHARE, mechanism, epsilon)
    )
