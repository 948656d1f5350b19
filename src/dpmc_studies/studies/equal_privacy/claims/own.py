"""What we claim ourselves of models at an equal total budget: P1 to P8, which are data but for P7.

Rows are places (data set, relation, epsilon), each a difference of log RMSE, paired by trial. Of
several models the one of least mean counts, chosen on the trials that are compared. All rows are in
the table ``comparisons``.
"""

from collections.abc import Collection, Mapping

import pandas as pd

from dpmc.errors import InputError, did_you_mean
from dpmc.privacy.relations import RELATIONS
from dpmc_studies.frame.judging.comparing import Comparison, at_places, compared_claims
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import Rows, fact, not_available
from dpmc_studies.frame.showing.frames import (
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE_BASELINES,
    in_list,
    present,
)
from dpmc_studies.statistics.paired import Pair, compare
from dpmc_studies.studies.equal_privacy.claims.evidence import PREDICATES, Evidence, claim
from dpmc_studies.studies.equal_privacy.frames import (
    CELL,
    DATASETS,
    EVENTS,
    HUBER,
    MODEL,
    REFERENCE_LABELS,
    TRIVIAL,
    UNTUNED,
    dataset_label,
    describe_frontier,
)
from dpmc_studies.yaml_files import beside

COLUMNS = ("claim", *CELL, "first", "second", "difference", "low", "high", "p_value", "trials")
METHODS = REFERENCE_LABELS | UNTUNED | PRIVATE_BASELINES | FACTOR_MODELS
COORDINATES = {
    "dataset": DATASETS,
    "relation": {name: EVENTS[name].replace("if", "neighbours where") for name in RELATIONS},
    "epsilon": (),
    "method": METHODS,
}
COORDINATES |= {"mechanism": {name: f"{MECHANISM_LABELS[name]} noise" for name in MECHANISM_LABELS}}
GROUPS = {
    "private factorisations": FACTOR_MODELS,
    "private baselines": PRIVATE_BASELINES,
    "private biases": [name for name in PRIVATE_BASELINES if name != TRIVIAL],
    "models without noise": REFERENCE_LABELS,
}
"""What ``claims.yaml`` calls several models."""


def compared(evidence: Evidence, comparison: Comparison) -> dict[tuple, Pair]:
    """Set the best of some models against the best of others, where both were run."""
    if evidence.calibrated is None:
        return {}
    return at_places(comparison, evidence.places, CELL, MODEL)


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge a comparison at all its places."""
    return comparison.judge(rows_of(compared(evidence, comparison)), evidence.choices)


COMPARED = compared_claims(beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, MODEL)
PREDICATES.update(COMPARED)


def refuse_noise_of_references(name: str, comparison: Comparison) -> None:
    """Refuse a side that has a reference with the noise of a private model."""
    for side in (comparison.first, comparison.second):
        for model in side.each():
            method, noise = model.get("method"), model.get("mechanism", "none")
            if method in REFERENCE_LABELS and noise != "none":
                near = did_you_mean(method, FACTOR_MODELS)
                raise InputError(f"The claim {name}: {method} is a reference without noise{near}.")


for _name, _predicate in COMPARED.items():
    refuse_noise_of_references(_name, _predicate.parts[0])


@claim("P7")
def huber_noise_needs_least_variance_somewhere(evidence: Evidence) -> Finding:
    """FACT: some numbers of releases and budgets at which its least variance is the lowest."""
    if evidence.frontier is None:
        return not_available("the map of least variances")
    text = "It needs its scale chosen for the budget; the papers fix it at 1."
    wins = (evidence.frontier["best"] == HUBER).any()
    return fact(wins, f"{describe_frontier(evidence.frontier)} {text}")


def comparisons(evidence: Evidence) -> pd.DataFrame:
    """Return what is compared for all claims, columns :data:`COLUMNS`: a row a claim and place."""
    tables = [
        compare(here, CELL).assign(claim=name)
        for name, predicate in COMPARED.items()
        if (here := compared(evidence, predicate.parts[0]))
    ]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    table = pd.concat(tables, ignore_index=True)[list(COLUMNS)]
    return table.assign(**{side: table[side].map(" + ".join) for side in ("first", "second")})


def rows_of(found: Mapping[tuple, Pair]) -> Rows:
    """Return the differences by the name of their place."""
    return {
        f"{in_list(dataset_label(dataset))}, {EVENTS.get(relation, relation)}, ε = {epsilon:g}": (
            pair.differences
        )
        for (dataset, relation, epsilon), pair in found.items()
    }


def listed(rows: pd.DataFrame) -> str:
    """Format data sets, each with its budgets: by relation where there are several."""
    several = rows["relation"].nunique() > 1
    parts = []
    for name in present(rows["dataset"], DATASETS):
        here = rows[rows["dataset"] == name]
        for relation, part in here.groupby("relation", sort=False):
            event = f" {EVENTS.get(relation, relation)}" if several else ""
            budgets = _budgets(sorted(part["epsilon"]))
            parts.append(f"{in_list(dataset_label(name))} at {budgets}{event}")
    return "; ".join(parts) or "nowhere"


def _budgets(epsilons: Collection[float]) -> str:
    formatted = [f"{epsilon:g}" for epsilon in epsilons]
    return "ε = " + " and ".join(filter(None, (", ".join(formatted[:-1]), formatted[-1])))
