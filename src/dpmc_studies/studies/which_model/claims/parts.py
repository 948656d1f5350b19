"""Which items features help, L4, and what parts of Local Bayes contribute, L5 to L11.

Rows are differences of log RMSE, paired by trial.
"""

from collections.abc import Mapping

import pandas as pd

from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    mostly_below,
    not_available,
)
from dpmc_studies.statistics import paired
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.which_model.claims.evidence import Evidence, claim, place_named, span
from dpmc_studies.studies.which_model.frames import PLACE, of_forms, places

WHOLE = "whole"
MIDDLE, MOST_RATED = (2, 3), 5  # fifths of the items
FORMS = {
    "L5": "no_prior",
    "L6": "fixed_prior",
    "L7": "no_covariance",
    "L8": "plain_residuals",
    "L9": "equal_steps",
    "L10": "fixed_ridge",
    "L11": "random_start",
}


def changes(errors: Mapping[tuple, pd.DataFrame], one: str, other: str) -> Rows:
    """Return the differences of two variants at each place where both were run."""
    return {
        place_named(*place): (here[one] - here[other]).to_numpy()
        for place, here in errors.items()
        if {one, other} <= set(here.columns)
    }


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


def part_matters(form: str):
    """Return the predicate of a form: MOST places have less error with the whole method."""

    def predicate(evidence: Evidence) -> Finding:
        errors = places(of_forms(evidence.trials), "variant")
        rows = changes(errors, WHOLE, form)
        if not rows:
            return not_available("this form of Local Bayes")
        text = f"RMSE of this form over that of the whole method: {span(rows)}."
        return explained(mostly_below(rows), text)

    return predicate


for _name, _form in FORMS.items():
    claim(_name)(part_matters(_form))
