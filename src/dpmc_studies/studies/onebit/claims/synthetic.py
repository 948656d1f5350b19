"""Claims about synthetic data: O1, O3, O4, O8 to O10, and O25."""

from dataclasses import replace
from itertools import product

import numpy as np

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows, all_of, always_below, mostly_below, named, within
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.onebit.cells import CLEAR, OBSERVED_FRACTION
from dpmc_studies.studies.onebit.claims.evidence import (
    LINKS,
    OTHER_LINK,
    PAPER,
    PERTURBED,
    Outputs,
    place_named,
    synthetic_cell,
)
from dpmc_studies.studies.onebit.claims.verdicts import on_outputs
from dpmc_studies.studies.onebit.frames import link_label

COMPARABLE = np.log(1.10)
APPROACHED = 0.5  # of the distance to Clear that is left
LEVEL_OFF = 0.1  # of a fall that is left
DRASTIC = np.log(1.5)
FRACTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
FEWEST, MOST = FRACTIONS[0], FRACTIONS[-1]
VERY_SMALL = (0.25, 0.5, 1.0)
EPSILONS = (*VERY_SMALL, *(float(epsilon) for epsilon in range(2, 11)))
SMALL = (1.0, 2.0)
MIDDLE, SATURATED, LARGEST = 4.0, 5.0, 10.0


@on_outputs("O1")
def three_less_sensitive_than_outp(outputs: Outputs) -> Finding:
    """ALL: ARE of InP, ObjP, GraP changes less from epsilon 1 to 10, either way, than OutP's."""
    falls = {
        (name, link): _fall(outputs, name, link, OBSERVED_FRACTION, 1.0)
        for name, link in product(PAPER, outputs.links)
    }
    rows = {
        f"{place_named(name, link)}, {way}": sign * falls[name, link] - falls["OutP", link]
        for name, link in product(PERTURBED, outputs.links)
        for way, sign in (("falls", 1), ("rises", -1))
    }
    return always_below(rows)


@on_outputs("O3")
def outp_comparable_at_epsilon_4(outputs: Outputs) -> Finding:
    """|log ARE of OutP over the mean ARE of the others| within 10 % at epsilon 4."""
    rows = {}
    for link in outputs.links:
        others = [np.exp(_at(outputs, name, link, MIDDLE)) for name in PERTURBED]
        excess = _at(outputs, "OutP", link, MIDDLE) - np.log(np.mean(others, axis=0))
        rows[link_label(link)] = excess
    return within(rows, COMPARABLE)


@on_outputs("O4")
def errors_fall_and_approach_clear(outputs: Outputs) -> Finding:
    """MOST fall from epsilon 1 to 10, and lose half of their excess over Clear or more."""
    falls, gaps = {}, {}
    for name, link in product(PAPER, outputs.links):
        first, last = (_at(outputs, name, link, epsilon) for epsilon in (1.0, LARGEST))
        clear = _at(outputs, CLEAR, link, None)
        falls[place_named(name, link)] = last - first
        gaps[place_named(name, link)] = (last - clear) - APPROACHED * (first - clear)
    return all_of(
        [
            named("epsilon 10 against 1", mostly_below(falls)),
            named("excess over Clear, less half of that at epsilon 1", mostly_below(gaps)),
        ]
    )


@on_outputs("O8")
def all_improve_with_the_observed_fraction(outputs: Outputs) -> Finding:
    """ALL: ARE at 80 % below that at 20 %, but for the cells that the paper excepts (O10)."""
    cells = [
        (name, link, epsilon)
        for name, link, epsilon in product(PAPER, outputs.links, EPSILONS)
        if not (name in ("ObjP", "OutP") and epsilon in VERY_SMALL)
    ]
    return always_below(_gains(outputs, cells))


@on_outputs("O9")
def inp_and_outp_level_off(outputs: Outputs) -> Finding:
    """ARE, the mean over 20 to 80 %, falls up to epsilon 5, and hardly a tenth of it later."""
    falls, later = {}, {}
    for name, link in product(("InP", "OutP"), outputs.links):
        first, middle, last = (
            _mean_are(outputs, name, link, epsilon) for epsilon in (1.0, SATURATED, LARGEST)
        )
        falls[place_named(name, link)] = np.log(middle / first)
        later[place_named(name, link)] = (middle - last) / row_tests(first - last).mean[0]
    share = always_below(later, LEVEL_OFF, formatter="{:.3f}".format)
    return all_of(
        [
            named("epsilon 5 against 1", always_below(falls)),
            named("share of the fall from 1 to 10 that comes after 5", share),
        ]
    )


@on_outputs("O10")
def objp_changes_drastically_and_fractions_matter_less(outputs: Outputs) -> Finding:
    """ARE of ObjP falls by a factor of 1.5; at epsilon <= 1 fractions matter less than above."""
    places = product(outputs.links, FRACTIONS)
    falls = [_fall(outputs, "ObjP", *place, VERY_SMALL[0]) for place in places]
    grown = {"mean over fractions and links": -np.mean(falls, axis=0)}
    return all_of(
        [
            named("ObjP, epsilon 10 against 0.25", always_below(grown, -DRASTIC)),
            named("fraction 80 % against 20 %", always_below(_less_prone(outputs))),
        ]
    )


@on_outputs("O25")
def an_unknown_link_hurts(outputs: Outputs) -> Finding:
    """ALL: with the right link less ARE than with the other, three mechanisms, epsilon 1 and 2."""
    rows = {}
    for epsilon, name, link in product(reversed(SMALL), PERTURBED, outputs.links):
        (other,) = (each for each in LINKS if each != link)
        cell = synthetic_cell(name, other, OBSERVED_FRACTION, epsilon)
        wrong = outputs.log_are(replace(cell, dataset=OTHER_LINK))
        rows[place_named(name, link, epsilon)] = _at(outputs, name, link, epsilon) - wrong
    return always_below(rows)


def _less_prone(outputs: Outputs) -> Rows:
    """Return how much more ARE changes with the fraction at epsilon <= 1, either way, than above.

    Of ObjP and OutP; above is the mean over epsilon 2 to 10.
    """
    rows = {}
    for name, link in product(("ObjP", "OutP"), outputs.links):
        above = [(name, link, epsilon) for epsilon in EPSILONS if epsilon not in VERY_SMALL]
        usual = np.mean(list(_gains(outputs, above).values()), axis=0)
        few = _gains(outputs, [(name, link, epsilon) for epsilon in VERY_SMALL])
        for cell, gain in few.items():
            rows |= {f"{cell}, falls": usual - gain, f"{cell}, rises": usual + gain}
    return rows


def _at(outputs: Outputs, name: str, link: str, epsilon: float | None) -> np.ndarray:
    """Return log ARE at 15 % observed."""
    return outputs.log_are(synthetic_cell(name, link, OBSERVED_FRACTION, epsilon))


def _fall(outputs: Outputs, name: str, link: str, fraction: float, epsilon: float) -> np.ndarray:
    """Return log ARE(epsilon)/ARE(10)."""
    return outputs.log_are(synthetic_cell(name, link, fraction, epsilon)) - outputs.log_are(
        synthetic_cell(name, link, fraction, LARGEST)
    )


def _mean_are(outputs: Outputs, name: str, link: str, epsilon: float) -> np.ndarray:
    """Return ARE, the mean over the observed fractions of section 5.3."""
    cells = [synthetic_cell(name, link, fraction, epsilon) for fraction in FRACTIONS]
    return np.mean([np.exp(outputs.log_are(cell)) for cell in cells], axis=0)


def _gains(outputs: Outputs, cells: list[tuple[str, str, float]]) -> Rows:
    """Return log ARE(80 %)/ARE(20 %) by mechanism, link and epsilon."""
    return {
        place_named(name, link, epsilon): outputs.log_are(synthetic_cell(name, link, MOST, epsilon))
        - outputs.log_are(synthetic_cell(name, link, FEWEST, epsilon))
        for name, link, epsilon in cells
    }
