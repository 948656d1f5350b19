"""Claims about bounds and rates on drawn matrices: D26 to D30, and D33."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.judging.finding import OURS, PAPERS, Finding
from dpmc.frame.judging.rules import (
    Rows,
    always_below,
    formatted_means,
    inside,
    not_available,
    verdict_of,
)
from dpmc.studies.dpals import theory
from dpmc.studies.dpals.claims.evidence import EPSILONS, DpalsEvidence, claim
from dpmc.studies.dpals.claims.synthetic import SIZES
from dpmc.studies.dpals.theory import (
    IN_EPSILON,
    IN_ITEMS,
    IN_USERS,
    RATE_IN_ITEMS,
    slope_of,
    stated_slope,
)

USERS = (5000, 10_000, 20_000, 50_000)
ITEMS = {"items-250": 250, "items-500": 500, "synthetic-20k": 1000, "items-2000": 2000}
OF_ITEMS = (1.0, 5.0, 20.0)  # epsilons at which the number of items was varied
BELOW_LOG = EPSILONS[:4]  # theorem 2 is stated for epsilon < ln(1/delta), 11.5
ALMOST = 0.1


def slope(value: float) -> str:
    """Format a slope."""
    return f"{value:+.2f}"


@claim("D26")
def premise_of_theorem_two(evidence: DpalsEvidence) -> Finding:
    """p m of every drawn matrix is at least r^6 log^3 n."""
    table = _bounds(evidence)
    if not len(table):
        return not_available("drawn matrices")
    shares = table["ratings_per_user"] / table["needed"]
    return Finding(
        verdict_of(bool((shares >= 1).all())),
        effect=float(shares.min()),
        reason=f"{table['ratings_per_user'].min():.0f} to {table['ratings_per_user'].max():.0f} "
        f"ratings a user, {table['needed'].min():.2g} to {table['needed'].max():.2g} needed, of "
        f"{table['items'].max()} items; the bound with constants 1 is {table['bound'].min():.3g} "
        f"to {table['bound'].max():.3g} times the norm of the matrix",
        margin=1.0,
        margin_of=PAPERS,
    )


@claim("D27")
def falls_as_users_times_epsilon(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS are at most .1 above those of theorem 2's bound."""
    rows, stated = slopes_of(evidence, "dpals"), stated_slope("dpals", IN_USERS, USERS)
    apart = {
        name: row - (stated if name.startswith(IN_USERS) else stated_slope("dpals", IN_EPSILON, ()))
        for name, row in rows.items()
    }
    return _at_most_stated(apart, rows)


@claim("D28")
def falls_faster_than_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """ALL: slopes of log RMSE of DPALS below those of DPFW, in users and in epsilon."""
    ours, theirs = (slopes_of(evidence, method) for method in ("dpals", "dpfw"))
    found = always_below({name: ours[name] - theirs[name] for name in ours}, formatter=slope)
    return _with_slopes(found, {"dpals": ours, "dpfw": theirs})


@claim("D29")
def bound_below_that_of_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """Theorem 2's bound with constants 1 is below that of DPFW in every cell of figure 4."""
    table = _bounds(evidence)
    if not len(table):
        return not_available("drawn matrices")
    ratios = np.log(table["bound"] / table["frank_wolfe_bound"])
    return Finding(
        verdict_of(bool((ratios < 0).all())),
        effect=float(ratios.max()),
        reason=f"with constants 1 the bound of DPALS is {np.exp(ratios.min()):.3g} to "
        f"{np.exp(ratios.max()):.3g} times that of DPFW, which is "
        f"{table['frank_wolfe_bound'].min():.3g} to {table['frank_wolfe_bound'].max():.3g} times "
        f"the norm; it is above 1, and says nothing, in {(table['bound'] >= 1).sum()} of "
        f"{len(table)} cells, that of DPFW in {(table['frank_wolfe_bound'] >= 1).sum()}",
        margin_of=OURS,
    )


@claim("D30")
def fewer_ratings_than_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """r^6 log^3 n is below sqrt(m) for the numbers of users and items of figure 4."""
    table = _bounds(evidence)
    if not len(table):
        return not_available("drawn matrices")
    needed, theirs = table["needed"], np.sqrt(table["items"])
    of_rank_one = theory.needed_per_user(table["users"], rank=1)
    return Finding(
        verdict_of(bool((needed < theirs).all())),
        effect=float(np.log(needed / theirs).max()),
        reason=f"with constants 1 DPALS needs {needed.min():.2g} to {needed.max():.2g} ratings a "
        f"user, {of_rank_one.min():.0f} to {of_rank_one.max():.0f} at rank 1, DPFW "
        f"{theirs.max():.0f}",
        margin_of=OURS,
    )


@claim("D33")
def grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS in items are at most .1 above that of remark 6."""
    errors = evidence.results
    rows = {
        f"{IN_ITEMS} at eps {epsilon:g}": slope_of(
            np.array([errors.log_rmse(size, "dpals", epsilon) for size in ITEMS]),
            np.log(list(ITEMS.values())),
        )
        for epsilon in OF_ITEMS
    }
    apart = {name: row - RATE_IN_ITEMS for name, row in rows.items()}
    return _at_most_stated(apart, rows)


def slopes_of(evidence: DpalsEvidence, method: str) -> Rows:
    """Return slopes of log RMSE by trial: in users at all epsilon, in epsilon at all sizes."""
    errors = evidence.results
    in_users = {
        f"{IN_USERS} at eps {epsilon:g}": slope_of(
            np.array([errors.log_rmse(size, method, epsilon) for size in SIZES]), np.log(USERS)
        )
        for epsilon in EPSILONS
    }
    in_epsilon = {
        f"{IN_EPSILON} at {size}": slope_of(
            np.array([errors.log_rmse(size, method, epsilon) for epsilon in BELOW_LOG]),
            np.log(BELOW_LOG),
        )
        for size in SIZES
    }
    return in_users | in_epsilon


def _bounds(evidence: DpalsEvidence) -> pd.DataFrame:
    return theory.bounds(evidence.tables.get("trials"))


def _at_most_stated(apart: Rows, slopes: Rows) -> Finding:
    """Judge slopes of DPALS less those stated, and name them."""
    return _with_slopes(inside(apart, high=ALMOST, formatter=slope), {"dpals": slopes})


def _with_slopes(found: Finding, slopes: dict[str, Rows]) -> Finding:
    named = "; ".join(f"{name}: {formatted_means(rows, slope)}" for name, rows in slopes.items())
    return replace(found, reason=f"{found.reason}. Slopes of {named}")
