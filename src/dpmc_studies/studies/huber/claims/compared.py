"""Claims of the form "A against B": which cells of the papers' grid each side stands for.

A coordinate that neither side nor ``where`` names takes every value of the grid. Real data are
different: the method is the one of the papers' column, and K is 20.
"""

from collections.abc import Iterator
from itertools import product

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.comparing import Comparison, Side, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Sample
from dpmc_studies.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import (
    FRACTIONS,
    RANKS,
    VARIANCES,
    Contrast,
    synthetic_cell,
)
from dpmc_studies.studies.huber.claims.evidence import PREDICATES, Evidence
from dpmc_studies.studies.huber.claims.real_data import MOVIELENS, SWEETRS, real_cell
from dpmc_studies.studies.huber.experiments.common import NOISES, PAPERS_DATA
from dpmc_studies.yaml_files import beside

GRID = {"rank": RANKS, "variance": VARIANCES, "fraction": FRACTIONS}
GRID["method"] = {"als": "ALS", "irls": "A-IRLS"}
GRID |= {"mechanism": {name: f"{MECHANISM_LABELS[name]} noise" for name in NOISES}}
PLACE, PLACES = ("dataset", "fraction"), (*MOVIELENS, *SWEETRS)
COORDINATES = GRID | {
    "dataset": {name: DATASET_LABELS[name] for name in PAPERS_DATA},
    "fraction": (),
    "irls_iterations": (),
}


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge all pairs of cells, on our trials and on the papers' tables."""
    return comparison.judge(sample_of(evidence, comparison))


def sample_of(evidence: Evidence, comparison: Comparison) -> Sample:
    """Return first minus second; of several on a side that is ``best`` see :class:`Evidence`."""
    first, second = comparison.first, comparison.second
    if first.best:
        turned = sample_of(evidence, Comparison(second, first, comparison.where, "", {}))
        return turned._replace(ours=-turned.ours, reported=-turned.reported)
    pairs = [
        ({**there, **one}, [{**there, **other} for other in second.each()])
        for there, one in product(_places(comparison), first.each())
    ]
    if second.best:
        rows = [[_cell(evidence, **each) for each in (one, *others)] for one, others in pairs]
        return evidence.sample_against_best(*zip(*rows, strict=True))

    over = [*comparison.over.each()] if comparison.over.values else []

    def error(cell: dict) -> Contrast:
        own = {_cell(evidence, **cell): 1.0}
        return Contrast(own | {_cell(evidence, **cell | other): -1.0 for other in over})

    return evidence.sample(error(one) - error(other) for one, others in pairs for other in others)


def _places(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Yield where both sides are compared, in the papers' order."""
    where = comparison.where
    if "dataset" not in where.values:
        named = {*comparison.first.values, *comparison.second.values}
        free = {name: values for name, values in GRID.items() if name not in named}
        return Side(free | where.values).each()
    rest = {name: values for name, values in where.values.items() if name not in PLACE}
    at = [dict(zip(PLACE, place, strict=True)) for place in PLACES]
    here = Side({name: where.values[name] for name in PLACE if name in where.values})
    return (place | each for place in at if here.has(**place) for each in Side(rest).each())


def _cell(evidence: Evidence, dataset: str = SYNTHETIC, **named) -> Cell:
    if dataset == SYNTHETIC:
        return synthetic_cell(**named)
    return real_cell(evidence, dataset, **named)


PREDICATES.update(
    compared_claims(beside(__file__, "claims.yaml"), judged, COORDINATES, optional=("over",))
)
