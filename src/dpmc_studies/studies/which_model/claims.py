"""Judging the claims: Local Bayes and its parts, features, lists, and methods of other papers.

Rows are places (data set, epsilon). Each row is a difference of log RMSE, or of log recall@20 with
the variant "recall", paired by trial. If a side has several models (a method with a variant of its
settings), the one with the lowest mean counts. Most claims are declared as data, in the form "A
against B".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all, registering
from dpmc_studies.frame.judging.comparing import Comparison, at_places, compared_claims
from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    mostly_below,
    not_available,
)
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.statistics.paired import Pair, compare, more
from dpmc_studies.studies.which_model.cells import COORDINATES, LOCAL_BAYES
from dpmc_studies.studies.which_model.frames import (
    CAVEAT,
    DATASETS,
    LATER,
    METHODS,
    NAMES,
    NEW_DATA,
    PLACE,
    RANKED,
    dataset_label,
    method_label,
    models,
    of_either,
    of_opponents,
    of_posterior,
    of_tuned,
)
from dpmc_studies.studies.which_model.variants import FEATURES, FORMS, SEARCHED
from dpmc_studies.yaml_files import beside

CELLS = {
    "trials": (*COORDINATES, "trial"),
    "new": (*COORDINATES, "trial"),
    "ranking": ("dataset", "method", "epsilon", "trial"),
}
RECALL = "recall"
COLLECTIVE, ENCODED = ("dp_cmf", "dp_cmf_h_free"), ("dp_encoder", "dp_encoder_h_free")
GROUPS = {
    "new data": NEW_DATA,
    "the later methods and effects": LATER,
    "the other methods up to 2021 and ours": [
        name for name in METHODS if name not in (*LATER, LOCAL_BAYES)
    ],
    "all forms of DPALS": [name for name in METHODS if name.startswith("dpals")],
    "both forms of DP-CMF": COLLECTIVE,
    "both forms of DPALS with an encoder": ENCODED,
    "DP-CMF and DPALS with an encoder": (*COLLECTIVE, *ENCODED),
}
"""What ``claims.yaml`` calls several values."""
MODEL = ("method", "variant")
OF_CLAIMS = {"dataset": DATASETS, "epsilon": (), "method": {**RANKED, **METHODS}}
OF_CLAIMS |= {"variant": {SEARCHED: "", RECALL: "", **FEATURES, **FORMS}}
"""The coordinates that they name, and the values that these have with their labels."""


@dataclass(frozen=True)
class Evidence:
    """The tables that the predicates judge, None where they have not been made.

    ``trials`` are those on development data, ``new`` those on new data.
    """

    trials: pd.DataFrame | None = None
    new: pd.DataFrame | None = None
    ranking: pd.DataFrame | None = None


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the tables of a run, which lie in ``folder``; no setting is used."""
    return {"claims": judge(read_results(folder, NAMES))}


def judge(tables: Mapping[str, pd.DataFrame | None]) -> pd.DataFrame:
    """Judge all claims, columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`."""
    there = {name: table for name, table in tables.items() if table is not None}
    if "trials" in there:
        is_new = there["trials"]["dataset"].isin(NEW_DATA)
        there |= {"trials": there["trials"][~is_new], "new": there["trials"][is_new]}
    cells = {name: CELLS[name] for name in there}
    readings = {name: Evidence(**changed) for name, changed in on_trials(there, cells)}
    return judge_all(__file__, PREDICATES, Evidence(**there), readings)


def place_named(dataset: str, epsilon: float) -> str:
    """Name a place as the page does."""
    return f"{in_list(dataset_label(dataset))}, ε = {epsilon:g}"


def rows_of(found: Mapping[tuple, Pair]) -> Rows:
    """Return the differences by the name of their place."""
    return {place_named(*place): pair.differences for place, pair in found.items()}


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge a comparison at all its places: of new data if it names them, of lists if recalls."""
    is_new = set(comparison.where.values.get("dataset", ())) == set(NEW_DATA)
    table = evidence.new if is_new else evidence.trials
    if comparison.first.values.get("variant") == (RECALL,):
        lists = evidence.ranking
        table = None if lists is None else lists.assign(variant=RECALL, rmse=lists["recall"])
    return comparison.judge(rows_of(at_places(comparison, models(table), PLACE, MODEL)))


PREDICATES.update(
    compared_claims(beside(__file__, "claims.yaml"), judged, OF_CLAIMS, GROUPS, MODEL)
)


def said_of(found: Mapping[tuple, Pair]) -> str:
    """Say how Local Bayes does at each place, and against what."""
    table = compare(found, PLACE)
    ends = table.loc[[table["difference"].idxmin(), table["difference"].idxmax()]]
    texts = [
        f"{np.exp(row['difference']):.3g} ({place_named(row['dataset'], row['epsilon'])}, against "
        f"{in_list(method_label(row['second'][0]))})"
        for _, row in ends.iterrows()
    ]
    return (
        f"RMSE over that of the best: from {texts[0]} to {texts[1]}, and significantly more at "
        f"{more(table).sum()} of {len(table)} points"
    )


def near_the_best(found: Mapping[tuple, Pair], missing: str, caveat: str = "") -> Finding:
    """Judge ALL places: its error is less than 1 % above; ``missing`` if there are none."""
    if not found:
        return not_available(missing)
    return explained(always_below(rows_of(found), MARGIN[1]), f"{said_of(found)}.{caveat}")


@claim("L1")
def local_bayes_is_never_worse(evidence: Evidence) -> Finding:
    """ALL places of the comparison: its error is less than 1 % above that of the best other."""
    return near_the_best(of_tuned(evidence.trials), "Local Bayes and others", f" {CAVEAT}")


@claim("L12")
def local_bayes_is_near_the_best_after_a_fair_search(evidence: Evidence) -> Finding:
    """ALL places of the search: its error is less than 1 % above that of the best other."""
    return near_the_best(of_opponents(evidence.trials), "methods at settings of one search")


@claim("L13")
def local_bayes_leads_with_the_same_predictor(evidence: Evidence) -> Finding:
    """MOST places: its error is below that of the best other with its own predictor."""
    found = of_posterior(evidence.trials)
    if not found:
        return not_available("other methods with the posterior of users")
    text = said_of(found)
    before, after = of_either(evidence.trials)
    both = before.keys() & after.keys()
    if both:
        leads = [
            [np.nanmean(each[place].differences) for place in both] for each in (before, after)
        ]
        lead, left = (-100 * float(np.mean(each)) for each in leads)
        text += (
            f"; of its lead over the others as they are, {lead:.2f} % on these splits, {left:.2f} "
            "% is left over each of them with its predictor or without, whichever is better"
        )
    return explained(mostly_below(rows_of(found)), f"{text}.")


@claim("L17")
def local_bayes_is_near_the_best_on_new_data(evidence: Evidence) -> Finding:
    """ALL places: its error is less than 1 % above that of the best other."""
    return near_the_best(of_opponents(evidence.new), "methods on new data")


@claim("L18")
def local_bayes_leads_on_new_data(evidence: Evidence) -> Finding:
    """MOST places: its error is below that of the best other."""
    found = of_opponents(evidence.new)
    if not found:
        return not_available("methods on new data")
    return explained(mostly_below(rows_of(found)), f"{said_of(found)}.")
