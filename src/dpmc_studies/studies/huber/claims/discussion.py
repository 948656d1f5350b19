"""Claims of introductions, asides and conclusions: H54 to H60."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_REPORTED,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import (
    all_of,
    explained,
    not_available,
)
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.budgets import RELEASES, TOTAL_DELTA, calibrated
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.claims.noise_comparisons import gaussian_not_below_margin
from dpmc_studies.studies.huber.claims.own import reported_epsilon_is_that_of_the_model
from dpmc_studies.studies.huber.claims.side_experiments import judge_settled
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
STRICT, LOOSE = 0.1, 10.0  # total epsilon


@claim("H54")
def a_irls_costs_no_privacy(evidence: Evidence) -> Finding:
    if evidence.totals is None:
        return not_available("totals over a training")
    rows = select(evidence.totals, mechanism="huber", variance=2.0)
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
    changed, all_of_them, largest = _changed()
    return Finding(
        verdict_of(changed == 0),
        effect=largest,
        reason=f"with the item vectors held fixed, one changed rating changes {changed} of "
        f"{all_of_them} predictions for its user with certainty, by up to {largest:.2f}: no "
        f"epsilon covers the completed matrix that is returned; {NOT_REPORTED}",
    )


@lru_cache(maxsize=1)
def _changed() -> tuple[int, int, float]:
    shifts = changed_predictions()[-1]
    return int((shifts > 0).sum()), shifts.size, float(shifts.max())


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


@claim("H57")
def others_are_competitive_with_a_pure_guarantee(evidence: Evidence) -> Finding:
    near = gaussian_not_below_margin(evidence)
    guarantee = reported_epsilon_is_that_of_the_model(evidence)
    guarantee = replace(guarantee, reason=f"R6, that they have such an ε: {guarantee.verdict}")
    return all_of([*near, guarantee])


@claim("H58")
def gaussian_suffers_at_strict_budgets(evidence: Evidence) -> Finding:
    ratios = {
        count: [_gaussian_over_laplace(releases, epsilon) for epsilon in (STRICT, LOOSE)]
        for count, releases in (("one release", 1), (f"{RELEASES} releases", RELEASES))
    }
    strict, loose = ratios[f"{RELEASES} releases"]
    grows = [strict > loose for strict, loose in ratios.values()]
    mixed = INCONCLUSIVE if any(grows) else CONTRADICTED
    told = ", ".join(
        f"{strict:.2f} at epsilon {STRICT:g} and {loose:.2f} at {LOOSE:g} with {count}"
        for count, (strict, loose) in ratios.items()
    )
    return Finding(
        SUPPORTED if all(grows) else mixed,
        effect=strict / loose,
        reason=f"variance Gaussian/Laplace at equal total epsilon and delta {TOTAL_DELTA:g}: {told}"
        f"; {NOT_REPORTED}",
    )


@claim("H59")
def laplace_needs_a_generous_budget_for_many_queries(evidence: Evidence) -> Finding:
    one, many = (1 / _gaussian_over_laplace(releases, 1.0) for releases in (1, RELEASES))
    return Finding(
        verdict_of(many > max(one, 1.0)),
        effect=many,
        reason=f"variance Laplace/Gaussian at total epsilon 1 and delta {TOTAL_DELTA:g}: {one:.2f} "
        f"for one release, {many:.2f} for {RELEASES}; {NOT_REPORTED}",
    )


def _gaussian_over_laplace(releases: int, epsilon: float) -> float:
    gaussian, laplace = (
        calibrated(name, releases=releases, epsilon=epsilon, delta=TOTAL_DELTA).var()
        for name in ("gaussian", "laplace")
    )
    return gaussian / laplace


@claim("H60")
def laplace_leads_to_other_minima(evidence: Evidence) -> Finding:
    found = judge_settled(evidence, "gaussian", "laplace")
    return explained(found, "Gaussian against Laplace noise")
