"""What the sides of claims of the form "A against B" are: O2, O6, O19 and O20.

Compared are log ARE, or minus the share of right signs on real data: less is better. Every
comparison counts once for each link.
"""

from itertools import product

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import Comparison, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows
from dpmc_studies.frame.showing.frames import DATASET_LABELS
from dpmc_studies.studies.onebit.cells import SYNTHETIC
from dpmc_studies.studies.onebit.claims.evidence import (
    MOVIELENS,
    PAPER,
    PERTURBED,
    PREDICATES,
    RESTAURANT,
    OneBitEvidence,
    of_outputs,
    place_named,
)
from dpmc_studies.yaml_files import beside

COORDINATES = {
    "dataset": {name: DATASET_LABELS[name] for name in (SYNTHETIC, MOVIELENS, RESTAURANT)},
    "mechanism": tuple(PAPER),
    "epsilon": (),
}
GROUPS = {"all four mechanisms": tuple(PAPER), "InP, ObjP and GraP": PERTURBED}


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
