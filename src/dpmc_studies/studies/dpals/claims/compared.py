"""Claims of the form "A against B", of both papers and our own: which cells each side stands for.

If the second side of a claim is the best of several, the claim is about all places (data set,
epsilon) where both sides were run; a method without epsilon belongs to every place of its data set.
Every other claim is about the cells that it names, and needs all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import (
    UNITS,
    Comparison,
    Side,
    at_places,
    compared_claims,
)
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE, Finding
from dpmc_studies.frame.judging.rules import Rows, explained, formatted_means
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.cells import STANDARD
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    PLACE,
    PREDICATES,
    PUBLISHED,
    SIZES,
    DpalsEvidence,
    Results,
    at,
    dataset_named,
    method_named,
    place_named,
)
from dpmc_studies.studies.dpals.claims.facts import IMPLICIT
from dpmc_studies.studies.dpals.frames import DATASETS, DPALS, METHODS, PART, PRIVATE, is_real
from dpmc_studies.studies.dpals.methods import METHODS as RUN
from dpmc_studies.studies.dpals.variant_names import variant_label
from dpmc_studies.yaml_files import beside

VARIANTS = [
    STANDARD,
    *(f"{name}_{share:g}" for name in ("uniform", "adaptive") for share in (0.05, 0.2, 1)),
    *(f"{name}_{strength:g}" for name in ("projected", "none") for strength in (0.1, 1, 3)),
    "adaptive_0.2_no_projection",
]
COORDINATES = {
    "dataset": {name: label.removeprefix("Synthetic, ") for name, label in DATASETS.items()},
    "method": METHODS,
    "variant": {name: variant_label(name) for name in VARIANTS},
    "epsilon": (),
}
GROUPS: Mapping[str, Sequence] = {
    "DPALS": [DPALS],
    "DPFW": ["dpfw_jain"],
    "5,000 to 50,000 users": [*SIZES],
    "ε 1 to 20": [*EPSILONS],
    "real ratings": [name for name in DATASETS if is_real(name) and name != PART],
    "other private methods": [name for name in PRIVATE if name != DPALS],
}
SHOWN = {
    "method": method_named,
    "dataset": dataset_named,
    "variant": variant_label,
    "epsilon": at,
}


def judged(evidence: DpalsEvidence, comparison: Comparison) -> Finding:
    """Judge a comparison."""
    if comparison.second.best:
        return comparison.judge(_at_all_places(evidence, comparison))
    rows = rows_of(evidence.results, comparison)
    found = comparison.judge(rows)
    if comparison.rule == "within" and len(rows) > 1 and NOT_AVAILABLE not in found.reason:
        _, formatter = UNITS[comparison.unit]
        found = explained(found, f"Each: {formatted_means(rows, formatter)}")
    return _beside_reported(evidence, comparison, found)


def _at_all_places(evidence: DpalsEvidence, comparison: Comparison) -> Rows:
    """Return, at all places, log RMSE of each first minus that of the best second."""
    several, rows = [*comparison.first.each()], {}
    for one in several:
        first = Side({name: (value,) for name, value in one.items()})
        found = at_places(replace(comparison, first=first), evidence.places, PLACE, ("method",))
        name = f"{method_named(one['method'])}, " if len(several) > 1 else ""
        rows |= {f"{name}{place_named(*place)}": pair.differences for place, pair in found.items()}
    return rows


def rows_of(results: Results, comparison: Comparison) -> Rows:
    """Return log RMSE of the first minus log RMSE of the second; implicit feedback: log recall.

    Both are relative to the cell with the coordinates of ``comparison.over``.
    """
    cells = [*cells_of(comparison)]
    apart = {name: {first.get(name) for first, _ in cells} for name in SHOWN}
    shown = [name for name, values in apart.items() if len(values) > 1] or ["epsilon"]
    others = [*comparison.over.each()] if comparison.over.values else []

    def error(cell: dict) -> np.ndarray:
        own = _log_error(results, cell)
        return own - sum(_log_error(results, cell | other) for other in others)

    return {
        ", ".join(SHOWN[name](first.get(name)) for name in shown): error(first) - error(second)
        for first, second in cells
    }


def cells_of(comparison: Comparison) -> Iterator[tuple[dict, dict]]:
    """Yield the pairs of cells to compare; two lists are paired value by value."""
    ours, theirs = list(comparison.first.each()), list(comparison.second.each())
    theirs = theirs * len(ours) if len(theirs) == 1 else theirs
    if len(ours) != len(theirs):
        raise InputError(f"compare has {len(ours)} values first and {len(theirs)} second.")
    for there in comparison.where.each():
        for first, second in zip(ours, theirs, strict=True):
            yield {**there, **first}, {**there, **second}


def _budgeted(cell: dict) -> dict:
    """Return the cell of a method by its own name; one that is not private has no epsilon."""
    return cell if RUN[cell["method"]].private else cell | {"epsilon": None}


def _log_error(results: Results, cell: dict) -> np.ndarray:
    if cell["dataset"] == IMPLICIT:
        return log_positive(results.recall(**_budgeted(cell)))
    return results.log_rmse(**_budgeted(cell))


def _beside_reported(evidence: DpalsEvidence, comparison: Comparison, found: Finding) -> Finding:
    """Name the RMSEs that the paper prints for the two sides of a comparison, and its verdict."""
    cells, table = [*cells_of(comparison)], evidence.tables.get(PUBLISHED)
    if comparison.rule != "all" or len(cells) > 1 or table is None:
        return found
    prints, parts = [], []
    for cell in map(_budgeted, cells[0]):
        there = {"source": "paper", "metric": "rmse", "epsilon": None, **cell}
        value = select(table, **there)["value"]
        if len(value) != 1:
            return found
        ours = formatted_means({"RMSE": evidence.results.rmse(**cell)})
        name = f"{method_named(cell['method'])} ({variant_label(cell['variant'])})"
        prints.append(float(value.iloc[0]))
        parts.append(f"{name} {ours}, reported {prints[-1]:.3f}")
    found = replace(found, reported_verdict=verdict_of(prints[0] < prints[1]))
    return explained(found, f"{'; '.join(parts)}.")


PREDICATES |= compared_claims(
    beside(__file__, "claims.yaml"),
    judged,
    COORDINATES,
    GROUPS,
    needed=("dataset", "method", "epsilon"),
    best=("second",),
    optional=("over",),
)
