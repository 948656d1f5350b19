"""Claims about errors: log ARE, or minus the share of right signs on real data; less is better.

O2, O6, O19 and O20, of the form "A against B", are data: every comparison counts once a link.
"""

from itertools import product

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import Comparison, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    all_of,
    always_below,
    mostly_below,
    named,
    points,
    within,
)
from dpmc_studies.frame.showing.frames import DATASET_LABELS
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.onebit.cells import CLEAR, SYNTHETIC
from dpmc_studies.studies.onebit.claims.evidence import (
    LINKS,
    MOVIELENS,
    OTHER_LINK,
    PAPER,
    PERTURBED,
    PREDICATES,
    RESTAURANT,
    OneBitEvidence,
    of_outputs,
    on_outputs,
    place_named,
)
from dpmc_studies.studies.onebit.frames import link_label
from dpmc_studies.yaml_files import beside

COMPARABLE = np.log(1.10)
APPROACHED = 0.5  # of the distance to Clear that is left
LEVEL_OFF = 0.1  # of a fall that is left
DRASTIC = np.log(1.5)
EXCEEDED = 0.68
UNSATISFACTORY = 0.02  # above the majority sign's share
MARGINAL = 0.02  # of accuracy that is lost
FRACTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
FEWEST, MOST = FRACTIONS[0], FRACTIONS[-1]
VERY_SMALL = (0.25, 0.5, 1.0)
EPSILONS = (*VERY_SMALL, *(float(epsilon) for epsilon in range(2, 11)))
SMALL = (1.0, 2.0)
MIDDLE, SATURATED, LARGEST = 4.0, 5.0, 10.0
COORDINATES = {
    "dataset": {name: DATASET_LABELS[name] for name in (SYNTHETIC, MOVIELENS, RESTAURANT)},
    "mechanism": tuple(PAPER),
    "epsilon": (),
}
GROUPS = {"all four mechanisms": tuple(PAPER), "InP, ObjP and GraP": PERTURBED}


@on_outputs("O1")
def three_less_sensitive_than_outp(evidence: OneBitEvidence) -> Finding:
    """ALL: ARE of InP, ObjP, GraP changes less from epsilon 1 to 10, either way, than OutP's."""
    falls = {
        (name, link): _fall(evidence, name, link, 1.0)
        for name, link in product(PAPER, evidence.links)
    }
    rows = {
        f"{place_named(name, link)}, {way}": sign * falls[name, link] - falls["OutP", link]
        for name, link in product(PERTURBED, evidence.links)
        for way, sign in (("falls", 1), ("rises", -1))
    }
    return always_below(rows)


@on_outputs("O3")
def outp_comparable_at_epsilon_4(evidence: OneBitEvidence) -> Finding:
    """|log ARE of OutP over the mean ARE of the others| within 10 % at epsilon 4."""
    rows = {}
    for link in evidence.links:
        at_4 = {name: evidence.error(SYNTHETIC, name, link, MIDDLE) for name in PAPER}
        others = np.mean([np.exp(at_4[name]) for name in PERTURBED], axis=0)
        rows[link_label(link)] = at_4["OutP"] - np.log(others)
    return within(rows, COMPARABLE)


@on_outputs("O4")
def errors_fall_and_approach_clear(evidence: OneBitEvidence) -> Finding:
    """MOST fall from epsilon 1 to 10, and lose half of their excess over Clear or more."""
    falls, gaps = _falls_and_gaps(evidence, SYNTHETIC)
    return all_of(
        [
            named("epsilon 10 against 1", mostly_below(falls)),
            named("excess over Clear, less half of that at epsilon 1", mostly_below(gaps)),
        ]
    )


@on_outputs("O5", at_the_best_choice=True)
def all_exceed_68_percent_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: .68 - accuracy below 0 at epsilon 4, four mechanisms and both links."""
    rows = {
        place_named(name, link): EXCEEDED + evidence.error(MOVIELENS, name, link, MIDDLE)
        for name, link in product(PAPER, evidence.links)
    }
    return always_below(rows, formatter=points)


@on_outputs("O7")
def three_unsatisfactory_on_restaurants(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points above that of the majority sign."""
    rows = {
        place_named(name, link): evidence.error(RESTAURANT, "majority", link)
        - evidence.error(RESTAURANT, name, link, SMALL[0])
        for name, link in product(PERTURBED, evidence.links)
    }
    return always_below(rows, UNSATISFACTORY, formatter=points)


@on_outputs("O8")
def all_improve_with_the_observed_fraction(evidence: OneBitEvidence) -> Finding:
    """ALL: ARE at 80 % below that at 20 %, but for the cells that the paper excepts (O10)."""
    cells = [
        (name, link, epsilon)
        for name, link, epsilon in product(PAPER, evidence.links, EPSILONS)
        if not (name in ("ObjP", "OutP") and epsilon in VERY_SMALL)
    ]
    return always_below(_gains(evidence, cells))


@on_outputs("O9")
def inp_and_outp_level_off(evidence: OneBitEvidence) -> Finding:
    """ARE, the mean over 20 to 80 %, falls up to epsilon 5, and hardly a tenth of it later."""
    falls, later = {}, {}
    for name, link in product(("InP", "OutP"), evidence.links):
        first, middle, last = (
            np.mean(
                [np.exp(evidence.error(SYNTHETIC, name, link, e, f)) for f in FRACTIONS], axis=0
            )
            for e in (1.0, SATURATED, LARGEST)
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
def objp_changes_drastically_and_fractions_matter_less(evidence: OneBitEvidence) -> Finding:
    """ARE of ObjP falls by a factor of 1.5; at epsilon <= 1 fractions matter less than above."""
    places = product(evidence.links, FRACTIONS)
    falls = [_fall(evidence, "ObjP", link, VERY_SMALL[0], share) for link, share in places]
    grown = {"mean over fractions and links": -np.mean(falls, axis=0)}
    return all_of(
        [
            named("ObjP, epsilon 10 against 0.25", always_below(grown, -DRASTIC)),
            named("fraction 80 % against 20 %", always_below(_less_prone(evidence))),
        ]
    )


@on_outputs("O18")
def all_improve_and_approach_clear_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy rises from epsilon 1 to 10, and half of the distance to Clear is lost."""
    rises, gaps = _falls_and_gaps(evidence, MOVIELENS)
    return all_of(
        [
            named("epsilon 1 against 10", always_below(rises, formatter=points)),
            named(
                "distance to Clear, less half of that at epsilon 1",
                always_below(gaps, formatter=points),
            ),
        ]
    )


@on_outputs("O21")
def restaurants_approach_clear(evidence: OneBitEvidence) -> Finding:
    """MOST: of the distance to Clear at epsilon 1, half is lost at epsilon 10."""
    return mostly_below(_falls_and_gaps(evidence, RESTAURANT)[1], formatter=points)


@on_outputs("O22", at_the_best_choice=True)
def marginal_loss_on_movielens(evidence: OneBitEvidence) -> Finding:
    """ALL: accuracy at epsilon 1 less than 2 points below that without privacy."""
    losses = {
        place_named(name, link): evidence.error(MOVIELENS, name, link, SMALL[0])
        - evidence.error(MOVIELENS, CLEAR, link)
        for name, link in product(PAPER, evidence.links)
    }
    return always_below(losses, MARGINAL, formatter=points)


@on_outputs("O25")
def an_unknown_link_hurts(evidence: OneBitEvidence) -> Finding:
    """ALL: with the right link less ARE than with the other, three mechanisms, epsilon 1 and 2."""
    rows = {}
    for epsilon, name, link in product(reversed(SMALL), PERTURBED, evidence.links):
        (other,) = (each for each in LINKS if each != link)
        right = evidence.error(SYNTHETIC, name, link, epsilon)
        wrong = evidence.error(OTHER_LINK, name, other, epsilon)
        rows[place_named(name, link, epsilon)] = right - wrong
    return always_below(rows)


def _falls_and_gaps(evidence: OneBitEvidence, dataset: str) -> tuple[Rows, Rows]:
    """Return errors at epsilon 10 less those at 1; of excesses over Clear, less half of these."""
    falls, gaps = {}, {}
    for name, link in product(PAPER, evidence.links):
        first, last = (evidence.error(dataset, name, link, epsilon) for epsilon in (1.0, LARGEST))
        clear = evidence.error(dataset, CLEAR, link)
        falls[place_named(name, link)] = last - first
        gaps[place_named(name, link)] = (last - clear) - APPROACHED * (first - clear)
    return falls, gaps


def _less_prone(evidence: OneBitEvidence) -> Rows:
    """Return how much more ARE changes with the fraction at epsilon <= 1, either way, than above.

    Of ObjP and OutP; above is the mean over epsilon 2 to 10.
    """
    rows = {}
    for name, link in product(("ObjP", "OutP"), evidence.links):
        above = [(name, link, epsilon) for epsilon in EPSILONS if epsilon not in VERY_SMALL]
        usual = np.mean(list(_gains(evidence, above).values()), axis=0)
        few = _gains(evidence, [(name, link, epsilon) for epsilon in VERY_SMALL])
        for cell, gain in few.items():
            rows |= {f"{cell}, falls": usual - gain, f"{cell}, rises": usual + gain}
    return rows


def _fall(
    evidence: OneBitEvidence, name: str, link: str, epsilon: float, fraction: float | None = None
) -> np.ndarray:
    """Return log ARE(epsilon)/ARE(10)."""
    first, last = (evidence.error(SYNTHETIC, name, link, e, fraction) for e in (epsilon, LARGEST))
    return first - last


def _gains(evidence: OneBitEvidence, cells: list[tuple[str, str, float]]) -> Rows:
    """Return log ARE(80 %)/ARE(20 %) by mechanism, link and epsilon."""
    return {
        place_named(*cell): evidence.error(SYNTHETIC, *cell, MOST)
        - evidence.error(SYNTHETIC, *cell, FEWEST)
        for cell in cells
    }


def judged(evidence: OneBitEvidence, comparison: Comparison) -> Finding:
    """Judge one kind of output."""
    return of_outputs(evidence, comparison.judge(rows_of(evidence, comparison)))


def rows_of(evidence: OneBitEvidence, comparison: Comparison) -> Rows:
    """Return first minus second, named by the mechanism of the side that has several."""
    first, second, where = sides = comparison.first, comparison.second, comparison.where
    several = [len(each.values.get("mechanism", ())) > 1 for each in sides]
    if sum(several) != 1:
        raise InputError("compare needs several mechanisms: on one side, or in where.")
    rows = {}
    for a, b, there in product(first.each(), second.each(), where.each()):
        name = (a, b, there)[several.index(True)]["mechanism"]
        for number, link in enumerate(evidence.links):
            epsilon = there.get("epsilon") if len(where.values.get("epsilon", ())) > 1 else None
            order = list(PAPER).index(name), number, epsilon or 0
            one, other = (evidence.error(link=link, **side, **there) for side in (a, b))
            rows[order, place_named(name, link, epsilon)] = one - other
    return {name: rows[order, name] for order, name in sorted(rows)}


PREDICATES.update(
    compared_claims(
        beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, needed=COORDINATES, best=()
    )
)
