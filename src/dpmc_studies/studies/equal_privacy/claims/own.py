"""What we claim ourselves of models at an equal total budget: P1 to P8, as data where it can be.

Rows are places (data set, relation, epsilon), each a difference of log RMSE, paired by trial. Of
several models the one of least mean counts, chosen on the trials that are compared. All rows are in
the table ``comparisons``.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NamedTuple

import pandas as pd

from dpmc.privacy.relations import ENTRY_CHANGE, USER_ADD_REMOVE
from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.rules import Rows, always_below, fact, mostly_below, not_available
from dpmc_studies.frame.showing.frames import (
    FACTOR_MODELS,
    PRIVATE_BASELINES,
    in_list,
    present,
)
from dpmc_studies.statistics.paired import Pair, compare, leader, pairs
from dpmc_studies.studies.equal_privacy.claims.evidence import Evidence, claim
from dpmc_studies.studies.equal_privacy.comparisons import (
    baseline_models,
    factor_models,
    models_of,
    without_noise,
)
from dpmc_studies.studies.equal_privacy.frames import (
    CELL,
    DATASETS,
    EVENTS,
    HUBER,
    TRIVIAL,
    UNTUNED,
    dataset_label,
    describe_frontier,
)

Models = Callable[[pd.DataFrame], Collection]
"""From the table of fits to the (method, mechanism) pairs that are meant."""
INFORMED = [*FACTOR_MODELS, *(name for name in PRIVATE_BASELINES if name != TRIVIAL)]
COLUMNS = ("claim", *CELL, "first", "second", "difference", "low", "high", "p_value", "trials")


class Contrast(NamedTuple):
    """A claim of the form "the best of A against the best of B", judged by a rule."""

    first: Models
    second: Models
    rule: Callable[[Rows], Finding]
    relations: Collection[str] = ()
    """What neighbours differ in at the places that count; all if empty."""


def of(*methods: str) -> Models:
    """Return what picks these methods, with whatever noise."""
    return partial(models_of, methods=methods)


CONTRASTS = {
    "P2": Contrast(factor_models, baseline_models, always_below, [ENTRY_CHANGE]),
    "P3": Contrast(factor_models, baseline_models, always_below, [USER_ADD_REMOVE]),
    "P4": Contrast(
        of(*UNTUNED),
        of(*FACTOR_MODELS, *PRIVATE_BASELINES),
        partial(always_below, threshold=MARGIN[1]),
        [USER_ADD_REMOVE],
    ),
    "P5": Contrast(of(*INFORMED), of(TRIVIAL), always_below),
    "P6": Contrast(
        partial(factor_models, mechanisms=[HUBER]),
        partial(factor_models, mechanisms=["gaussian", "laplace"]),
        mostly_below,
    ),
    "P8": Contrast(factor_models, baseline_models, mostly_below, [ENTRY_CHANGE, USER_ADD_REMOVE]),
}


def places_of(evidence: Evidence, contrast: Contrast) -> dict[tuple, Pair]:
    """Set the best of some models against the best of others, where both were run."""
    if evidence.calibrated is None:
        return {}
    sides = (side(evidence.calibrated) for side in (contrast.first, contrast.second))
    return against(evidence, *sides, *contrast.relations)


def against(evidence: Evidence, first: Collection, second: Collection, *relations: str):
    """Set the best of some models against the best of others, where both were run."""
    here = evidence.places
    if relations:
        here = {place: errors for place, errors in here.items() if place[1] in relations}
    return pairs(here, first, second)


def plain_against_private(evidence: Evidence) -> dict[tuple, Pair]:
    """Set the best model without noise against the best private one, for P1."""
    if evidence.calibrated is None:
        return {}
    plain, found = without_noise(evidence.calibrated), {}
    for place, errors in evidence.places.items():
        free, best = leader(plain.get(place[0], pd.DataFrame())), leader(errors)
        if free is not None and best is not None:
            apart = plain[place[0]][free.best] - errors[best.best]
            found[place] = Pair(free.best, best.best, apart.to_numpy())
    return found


FOUND: dict[str, Callable[[Evidence], dict[tuple, Pair]]] = {"P1": plain_against_private} | {
    name: partial(places_of, contrast=contrast) for name, contrast in CONTRASTS.items()
}
"""Claim -> what is compared, by place."""
RULES = {"P1": always_below} | {name: contrast.rule for name, contrast in CONTRASTS.items()}


def judged(evidence: Evidence, name: str) -> Finding:
    """Judge a claim by its rule, on its comparisons."""
    found = FOUND[name](evidence)
    return (
        RULES[name](rows_of(found), choices=evidence.choices)
        if found
        else not_available("fits at a stated budget")
    )


for _name in FOUND:
    claim(_name)(partial(judged, name=_name))


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
        for name, found in FOUND.items()
        if (here := found(evidence))
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
