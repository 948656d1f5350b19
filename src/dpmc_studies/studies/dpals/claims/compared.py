"""What the sides of claims of the form "A against B" are: of both papers, and our own.

A claim whose second side is a best one is about all places (data set, epsilon) at which both were
run. Every other claim is about the cells that it names, and all of them have to be there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import UNITS, Comparison, Side, compared_claims
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    formatted_means,
    percent,
)
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.cells import STANDARD
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    EXACT,
    PREDICATES,
    SIZES,
    DpalsEvidence,
    Form,
    Results,
    at,
    compared,
    dataset_named,
    method_named,
    on_both_forms,
)
from dpmc_studies.studies.dpals.claims.movielens import IMPLICIT, best
from dpmc_studies.studies.dpals.claims.own import OWN_TEXTS, judge_places
from dpmc_studies.studies.dpals.frames import DATASETS, DPALS, METHODS, PRIVATE, PUBLISHED, is_real
from dpmc_studies.studies.dpals.methods import METHODS as RUN
from dpmc_studies.studies.dpals.variant_names import variant_label
from dpmc_studies.yaml_files import beside

SWEPT, STRENGTHS = "synthetic-20k", (0.1, 1, 3, 10, 100)  # lambda of the items, of D23
FORMS = {"DPALS": "dpals", "DPFW": "dpfw"}
"""What ``claims.yaml`` calls a method of which several forms are judged -> field of a form."""
VARIANTS = [
    STANDARD,
    *(f"{name}_{share:g}" for name in ("uniform", "adaptive") for share in (0.05, 0.2, 1)),
    *(f"{name}_{strength:g}" for name in ("projected", "none") for strength in STRENGTHS),
    "adaptive_0.2_no_projection",
]
COORDINATES = {
    "dataset": {
        **{name: label.removeprefix("Synthetic, ") for name, label in DATASETS.items()},
        "ml-10m-top400-part": "23 % of the users of MovieLens 10M, top 400",
    },
    "method": {**METHODS, **dict(zip(FORMS, FORMS, strict=True))},
    "variant": {name: variant_label(name) for name in VARIANTS},
    "epsilon": (),
}
GROUPS: Mapping[str, Sequence] = {
    "5,000 to 50,000 users": [*SIZES],
    "ε 1 to 20": [*EPSILONS],
    "real ratings": [name for name in DATASETS if is_real(name)],
    "other private methods": [name for name in PRIVATE if name != DPALS],
}
SHOWN = {
    "method": method_named,
    "dataset": dataset_named,
    "variant": variant_label,
    "epsilon": at,
}


def judged(evidence: DpalsEvidence, comparison: Comparison) -> Finding:
    """Judge a comparison, of methods with several forms by the one that decides."""
    if comparison.second.best:
        return judge_places(evidence, comparison)
    sides = comparison.first, comparison.second, comparison.where, comparison.over
    named = {name for side in sides for name in side.values.get("method", ())}
    forms = " and ".join(f"{{0.{field}}}" for name, field in FORMS.items() if name in named)

    def judge(form: Form) -> Finding:
        rows = rows_of(evidence.results, comparison, form)
        found = comparison.judge(rows)
        if comparison.rule == "within" and len(rows) > 1 and NOT_AVAILABLE not in found.reason:
            _, formatter = UNITS[comparison.unit]
            found = explained(found, f"Each: {formatted_means(rows, formatter)}")
        return found

    if "DPFW" in named:
        found = compared(judge, forms)
    else:
        found = on_both_forms(judge, forms) if forms else judge(Form("", ""))
    return _beside_reported(evidence.results, comparison, found)


def rows_of(results: Results, comparison: Comparison, form: Form) -> Rows:
    """Return log RMSE of the first less that of the second, of implicit feedback log recall.

    Both are taken over that of the cell with the coordinates of ``comparison.over``.
    """
    cells = [*cells_of(comparison)]
    apart = {name: {first.get(name) for first, _ in cells} for name in SHOWN}
    shown = [name for name, values in apart.items() if len(values) > 1] or ["epsilon"]
    others = [*comparison.over.each()] if comparison.over.values else []

    def error(cell: dict) -> np.ndarray:
        own = _log_error(results, _named(cell, form))
        return own - sum(_log_error(results, _named(cell | other, form)) for other in others)

    return {
        ", ".join(SHOWN[name](_named(first, form).get(name)) for name in shown):
        error(first) - error(second)
        for first, second in cells
    }  # fmt: skip


def cells_of(comparison: Comparison) -> Iterator[tuple[dict, dict]]:
    """Yield the cells that are compared, in pairs."""
    for there in comparison.where.each():
        for first, second in _in_turn(comparison.first, comparison.second):
            yield {**there, **first}, {**there, **second}


def _in_turn(first: Side, second: Side) -> Iterator[tuple[dict, dict]]:
    """Yield what is compared: one with one, or the values of two lists each with its own."""
    ours, theirs = list(first.each()), list(second.each())
    theirs = theirs * len(ours) if len(theirs) == 1 else theirs
    if len(ours) != len(theirs):
        raise InputError(f"compare has {len(ours)} values first and {len(theirs)} second.")
    return zip(ours, theirs, strict=True)


def _named(cell: dict, form: Form) -> dict:
    return cell | {"method": getattr(form, FORMS.get(cell["method"], ""), cell["method"])}


def _budgeted(cell: dict) -> dict:
    """Return the cell of a method by its own name; one that is not private has no epsilon."""
    return cell if RUN[cell["method"]].private else cell | {"epsilon": None}


def _log_error(results: Results, cell: dict) -> np.ndarray:
    if cell["dataset"] == IMPLICIT:
        return log_positive(results.recall(**_budgeted(cell)))
    return results.log_rmse(**_budgeted(cell))


def _beside_reported(results: Results, comparison: Comparison, found: Finding) -> Finding:
    """Name the RMSEs that the paper prints for the two sides of a comparison, and its verdict."""
    cells = [*cells_of(comparison)]
    sides = [_budgeted(_named(cell, EXACT)) for cell in cells[0]] if len(cells) == 1 else []
    prints = [reported(**side) for side in sides]
    if comparison.rule != "all" or not prints or any(map(np.isnan, prints)):
        return found
    ours = [results.rmse(**side) for side in sides]
    text = "; ".join(
        f"{method_named(side['method'])} ({variant_label(side['variant'])}) "
        f"{formatted_means({'RMSE': rmse})}, reported {value:.3f}"
        for side, rmse, value in zip(sides, ours, prints, strict=True)
    )
    return explained(replace(found, reported_verdict=verdict_of(prints[0] < prints[1])), f"{text}.")


def reported(**cell: object) -> float:
    """Return the RMSE that the paper prints for a cell, NaN where it prints none."""
    table = _published()
    found = select(table, source="paper", metric="rmse", **{"epsilon": None, **cell})["value"]
    return float(found.iloc[0]) if len(found) == 1 else np.nan


@cache
def _published() -> pd.DataFrame:
    return pd.read_csv(PUBLISHED)


def _without_projection(evidence: DpalsEvidence, comparison: Comparison) -> str:
    """Name the ratio at each lambda, and what each gives at its best one."""
    sweep, least = {}, {}
    for kind in ("projected", "none"):
        sweep[kind] = {
            f"{value:g}": evidence.results.log_rmse(SWEPT, DPALS, 1.0, f"{kind}_{value:g}")
            for value in STRENGTHS
        }
        least[kind] = best(sweep[kind])
    rows = {name: row - sweep["none"][name] for name, row in sweep["projected"].items()}
    (with_it, lowest), (without, other) = least["projected"], least["none"]
    judged = always_below({"with it against without": lowest - other})
    return (
        f"By lambda {formatted_means(rows, percent)}. Each at its best lambda ({with_it} with the "
        f"projection, {without} without): {judged.verdict}, {judged.reason}"
    )


TEXTS = {"D23": _without_projection, **OWN_TEXTS}
"""What the reasons of some claims say beside what is judged."""


def _told(
    text: Callable[[DpalsEvidence, Comparison], str],
    evidence: DpalsEvidence,
    comparison: Comparison,
) -> Finding:
    found, beside_it = judged(evidence, comparison), text(evidence, comparison)
    return explained(found, beside_it) if beside_it else found


for _name, _predicate in compared_claims(
    beside(__file__, "claims.yaml"),
    judged,
    COORDINATES,
    GROUPS,
    needed=("dataset", "method", "epsilon"),
    best=("second",),
    optional=("over",),
).items():
    _text = TEXTS.get(_name)
    PREDICATES[_name] = replace(_predicate, judge=partial(_told, _text)) if _text else _predicate
