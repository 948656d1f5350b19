"""Claims of asides: H54, that A-IRLS costs no privacy, and H55, that noise on users gains none."""

from functools import lru_cache

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import NOT_REPORTED, Finding
from dpmc_studies.frame.judging.rules import not_available
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.budgets import RELEASES
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim, claim_of
from dpmc_studies.studies.huber.trial import fit, synthetic_instance

# the defaults of the configuration, with a seed of its own: a run does not depend on it
SMALL_RUN = {
    "seed": 1,
    "users": 100,
    "items": 500,
    "scale": 1.0,
    "regularization": 0.5,
    "iterations": 50,
    "start": "normal",
}
INNER = 20  # K


@claim_of("H54", "totals", "totals over a training")
def a_irls_costs_no_privacy(evidence: Evidence, totals: pd.DataFrame) -> Finding:
    rows = select(totals, mechanism="huber", variance=2.0)
    tight = rows.groupby("releases")["epsilon"].min()
    if not {RELEASES, RELEASES * INNER} <= set(tight.index):
        return not_available("totals over a training")
    als, irls = tight[RELEASES], tight[RELEASES * INNER]
    return Finding(
        verdict_of(irls <= als),
        effect=irls / als,
        reason=f"with Huber noise of variance 2 the {RELEASES} releases of ALS add up to epsilon "
        f"{als:,.0f}, the {RELEASES * INNER:,} of A-IRLS to {irls:,.0f}; {NOT_REPORTED}",
    )


@claim("H55")
def noise_on_users_gains_no_privacy(evidence: Evidence) -> Finding:
    *_, shifts = changed_predictions()
    changed, largest = int((shifts > 0).sum()), float(shifts.max())
    return Finding(
        verdict_of(changed == 0),
        effect=largest,
        reason=f"with the item vectors held fixed, one changed rating changes {changed} of "
        f"{shifts.size} predictions for its user with certainty, by up to {largest:.2f}: no "
        f"epsilon covers the completed matrix that is returned; {NOT_REPORTED}",
    )


@lru_cache(maxsize=1)
def changed_predictions() -> tuple[float, float, np.ndarray]:
    """Move a rating of a user to the far end of the range, with the item vectors held fixed.

    Returned are the rating, the one in its place, and how much each prediction for the user moves.
    """
    cell = Cell(SYNTHETIC, 5, 2.0, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), SMALL_RUN, 0).observed
    model, _ = fit(cell, SMALL_RUN, 0, observed)
    first = observed.users == observed.users[0]
    rated, ratings = model.item_factors_[observed.items[first]], observed.values[first]
    moved = ratings.copy()
    low, high = observed.values.min(), observed.values.max()
    moved[0] = low if ratings[0] > (low + high) / 2 else high
    gram = rated.T @ rated + SMALL_RUN["regularization"] * np.eye(cell.rank)
    change = np.linalg.solve(gram, rated.T @ (moved - ratings))
    return ratings[0], moved[0], np.abs(model.item_factors_ @ change)
