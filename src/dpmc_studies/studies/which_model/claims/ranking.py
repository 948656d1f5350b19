"""Lists of what users like: L14, L15.

Rows are places (data set, epsilon), each a difference of log recall@20, paired by trial, below 0
where local EASE has more.
"""

from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.rules import Rows, always_below, explained, not_available
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES
from dpmc_studies.studies.which_model.claims.evidence import Evidence, claim, place_named, span
from dpmc_studies.studies.which_model.frames import RANKING_MODEL, recalls


def against(evidence: Evidence, other: str) -> Rows:
    """Return log recall of another method less that of local EASE at each place."""
    return {
        place_named(*place): (logs[other] - logs[RANKING_MODEL]).to_numpy()
        for place, logs in recalls(evidence.ranking).items()
        if {other, RANKING_MODEL} <= set(logs.columns)
    }


@claim("L14")
def lists_are_no_worse_than_popularity(evidence: Evidence) -> Finding:
    """ALL places: recall is less than 1 % below that of private popularity."""
    return _judged(against(evidence, "private_popularity"), MARGIN[1])


@claim("L15")
def lists_are_better_than_predicted_ratings(evidence: Evidence) -> Finding:
    """ALL places: recall is above that of predicted ratings."""
    return _judged(against(evidence, LOCAL_BAYES), 0.0)


def _judged(rows: Rows, threshold: float) -> Finding:
    if not rows:
        return not_available("lists of what users like")
    text = f"Recall of local EASE over that of the other: {span(rows)}."
    return explained(always_below(rows, threshold), text)
