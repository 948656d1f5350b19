"""What the sides of claims of the form "A against B" are: of both papers, and our own.

A claim whose second side is a best one is about all places (data set, epsilon) at which both were
run. Every other claim is about the cells that it names, and all of them have to be there.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.frame.judging.comparing import UNITS, Comparison, Side, compared_claims
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE, Finding
from dpmc_studies.frame.judging.rules import Rows, explained, formatted_means, percent
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.cells import STANDARD
from dpmc_studies.studies.dpals.claims.evidence import (
    PREDICATES,
    DpalsEvidence,
    Form,
    Results,
    at,
    compared,
    dataset_named,
    method_named,
    on_both_forms,
)
from dpmc_studies.studies.dpals.claims.movielens import IMPLICIT
from dpmc_studies.studies.dpals.claims.own import OWN_TEXTS, judge_places
from dpmc_studies.studies.dpals.frames import DATASETS, DPALS, METHODS, PRIVATE, is_real
from dpmc_studies.studies.dpals.methods import METHODS as RUN
from dpmc_studies.yaml_files import beside

FORMS = {"DPALS": "dpals", "DPFW": "dpfw"}
"""What ``claims.yaml`` calls a method of which several forms are judged -> field of a form."""
SAMPLINGS, SHARES = ("uniform", "adaptive"), (0.05, 0.2, 1)
COORDINATES = {
    "dataset": (*DATASETS, "ml-10m-top400-part"),
    "method": (*METHODS, *FORMS),
    "variant": (STANDARD, *(f"{name}_{share:g}" for name in SAMPLINGS for share in SHARES)),
    "epsilon": (),
}
GROUPS = {
    "real ratings": [name for name in DATASETS if is_real(name)],
    "other private methods": [name for name in PRIVATE if name != DPALS],
}
SHOWN = {"method": method_named, "dataset": dataset_named, "epsilon": at}


def judged(evidence: DpalsEvidence, comparison: Comparison) -> Finding:
    """Judge a comparison, of methods with several forms by the one that decides."""
    if comparison.second.best:
        return judge_places(evidence, comparison)
    sides = comparison.first, comparison.second, comparison.where
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
        return compared(judge, forms)
    return on_both_forms(judge, forms) if forms else judge(Form("", ""))


def rows_of(results: Results, comparison: Comparison, form: Form) -> Rows:
    """Return log RMSE of the first less that of the second, of implicit feedback log recall."""
    cells = [
        ({**there, **first}, {**there, **second})
        for there in comparison.where.each()
        for first, second in _in_turn(comparison.first, comparison.second)
    ]
    apart = {name: {first.get(name) for first, _ in cells} for name in SHOWN}
    shown = [name for name, values in apart.items() if len(values) > 1] or ["epsilon"]
    return {
        ", ".join(SHOWN[name](_named(first, form)[name]) for name in shown): (
            _log_error(results, **_named(first, form)) - _log_error(results, **_named(second, form))
        )
        for first, second in cells
    }


def _in_turn(first: Side, second: Side) -> Iterator[tuple[dict, dict]]:
    """Yield what is compared: one with one, or the values of two lists each with its own."""
    ours, theirs = list(first.each()), list(second.each())
    theirs = theirs * len(ours) if len(theirs) == 1 else theirs
    if len(ours) != len(theirs):
        raise InputError(f"compare has {len(ours)} values first and {len(theirs)} second.")
    return zip(ours, theirs, strict=True)


def _named(cell: dict, form: Form) -> dict:
    return cell | {"method": getattr(form, FORMS.get(cell["method"], ""), cell["method"])}


def _log_error(
    results: Results, dataset: str, method: str, epsilon: float, variant: str = "standard"
) -> np.ndarray:
    budget = epsilon if RUN[method].private else None
    if dataset == IMPLICIT:
        return log_positive(results.recall(dataset, method, budget, variant))
    return results.log_rmse(dataset, method, budget, variant)


def _other_data(evidence: DpalsEvidence, _: Comparison) -> str:
    errors, budgets = evidence.results, (10.0, 20.0)
    parts = [
        f"{dataset_named(dataset)}: "
        + formatted_means(
            {
                **{at(e): errors.rmse(dataset, "dpals", e) for e in budgets},
                "ALS": errors.rmse(dataset, "als"),
            }
        )
        for dataset in ("synthetic-50k", "ml-100k")
    ]
    return f"RMSE on {'; '.join(parts)}"


def _altmin_as_published(evidence: DpalsEvidence, comparison: Comparison) -> str:
    """Name what AltMin as published gives without noise, and the means by data."""
    errors, budgets = evidence.results, comparison.where.values["epsilon"]
    by_data, published = {}, {}
    for dataset in comparison.where.values["dataset"]:
        theirs = [errors.log_rmse(dataset, "dpfw", epsilon) for epsilon in budgets]
        ours = [errors.log_rmse(dataset, "dp_altmin", epsilon) for epsilon in budgets]
        by_data[dataset_named(dataset)] = np.mean(np.subtract(ours, theirs), axis=0)
        published[dataset_named(dataset)] = (
            errors.log_rmse(dataset, "altmin_published") - theirs[-1]
        )
    return (
        f"By data: {formatted_means(by_data, percent)}. As published, but without noise, against "
        f"DPFW at {at(budgets[-1])}: {formatted_means(published, percent)}"
    )


TEXTS = {"D10": _other_data, "A1": _altmin_as_published, "A2": _altmin_as_published, **OWN_TEXTS}
"""What the reasons of some claims say beside what is judged."""


def _told(
    predicate: Callable[[DpalsEvidence], Finding],
    text: Callable[[DpalsEvidence, Comparison], str],
    evidence: DpalsEvidence,
) -> Finding:
    found = predicate(evidence)
    beside_it = text(evidence, predicate.keywords["comparison"])
    return explained(found, beside_it) if beside_it else found


for _name, _predicate in compared_claims(
    beside(__file__, "claims.yaml"),
    judged,
    COORDINATES,
    GROUPS,
    needed=("dataset", "method", "epsilon"),
    best=("second",),
).items():
    _text = TEXTS.get(_name)
    PREDICATES[_name] = partial(_told, _predicate, _text) if _text else _predicate
