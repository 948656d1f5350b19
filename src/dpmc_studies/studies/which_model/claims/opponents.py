"""Local Bayes against the best of other methods, L1, L12, L13, L17, L18, and gains of features, L4.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial.
"""

from collections.abc import Mapping

import numpy as np

from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.rules import always_below, explained, mostly_below, not_available
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.paired import Pair, compare, more
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.which_model.claims.evidence import Evidence, claim, place_named, rows_of
from dpmc_studies.studies.which_model.frames import (
    CAVEAT,
    PLACE,
    method_label,
    of_either,
    of_opponents,
    of_posterior,
    of_tuned,
)

MIDDLE, MOST_RATED = (2, 3), 5  # fifths of the items


def named(found: Mapping[tuple, Pair]) -> str:
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
    return explained(always_below(rows_of(found), MARGIN[1]), f"{named(found)}.{caveat}")


@claim("L1")
def local_bayes_is_never_worse(evidence: Evidence) -> Finding:
    """ALL places of the comparison: its error is less than 1 % above that of the best other."""
    return near_the_best(of_tuned(evidence.trials), "Local Bayes and others", f" {CAVEAT}")


@claim("L4")
def features_help_in_the_middle(evidence: Evidence) -> Finding:
    """ALL budgets: the middle of the items gains more than the most rated fifth."""
    table, rows = evidence.popularity, {}
    if table is None or table.empty:
        return not_available("features of items")
    logs = log_positive(table["rmse"])
    for fifths, here in paired.places(table, logs, PLACE, ["variant", "fifth"]).items():
        gain = here["features"] - here["no_features"]
        middle = gain[[*MIDDLE]].mean(axis="columns")
        rows[place_named(*fifths)] = (middle - gain[MOST_RATED]).to_numpy()
    return always_below(rows)


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
    text = named(found)
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
    return explained(mostly_below(rows_of(found)), f"{named(found)}.")
