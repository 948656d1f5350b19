"""What the sides of claims of the form "A against B" are: O2, O6, O19 and O20.

Compared are log ARE, or minus the share of right signs on real data: less is better. Every
comparison counts once for each link.
"""

from itertools import product

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import Comparison, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows
from dpmc_studies.frame.showing.frames import DATASET_LABELS
from dpmc_studies.studies.onebit.cells import OBSERVED_FRACTION, SYNTHETIC
from dpmc_studies.studies.onebit.claims.evidence import (
    MOVIELENS,
    PAPER,
    PERTURBED,
    PREDICATES,
    OneBitEvidence,
    Outputs,
    place_named,
    synthetic_cell,
)
from dpmc_studies.studies.onebit.claims.real_data import RESTAURANT, accuracy_of
from dpmc_studies.studies.onebit.claims.verdicts import of_outputs
from dpmc_studies.yaml_files import beside

COORDINATES = {
    "dataset": {name: DATASET_LABELS[name] for name in (SYNTHETIC, MOVIELENS, RESTAURANT)},
    "mechanism": tuple(PAPER),
    "epsilon": (),
}
GROUPS = {"all four mechanisms": tuple(PAPER), "InP, ObjP and GraP": PERTURBED}


def judged(evidence: OneBitEvidence, comparison: Comparison) -> Finding:
    """Judge one kind of output."""
    return of_outputs(evidence.judged, lambda each: comparison.judge(rows_of(each, comparison)))


def rows_of(outputs: Outputs, comparison: Comparison) -> Rows:
    """Return first minus second, named by the mechanism of the side that has several."""
    first, second, where = comparison.first, comparison.second, comparison.where
    several = [each for each in (first, second, where) if len(each.values.get("mechanism", ())) > 1]
    if len(several) != 1:
        raise InputError("compare needs several mechanisms: on one side, or in where.")
    rows = {}
    for a, b, there in product(first.each(), second.each(), where.each()):
        (of,) = (each for side, each in zip((first, second, where), (a, b, there), strict=True)
                 if side in several)  # fmt: skip
        for number, link in enumerate(outputs.links):
            place = of["mechanism"], link, there.get("epsilon")
            order = list(PAPER).index(of["mechanism"]), number, there.get("epsilon", 0)
            rows[order, place_named(*place)] = _error(outputs, link, **a, **there) - _error(
                outputs, link, **b, **there
            )
    return {name: rows[order, name] for order, name in sorted(rows)}


def _error(outputs: Outputs, link: str, dataset: str, mechanism: str, epsilon: float) -> np.ndarray:
    if dataset != SYNTHETIC:
        return -accuracy_of(outputs, dataset, link, mechanism, epsilon)
    return outputs.log_are(synthetic_cell(mechanism, link, OBSERVED_FRACTION, epsilon))


PREDICATES.update(
    compared_claims(
        beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, needed=COORDINATES, best=()
    )
)
