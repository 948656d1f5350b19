"""Claims about assumptions, bounds and rates on drawn matrices: D26 to D30, and D33 to D36."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, MARGIN, OURS, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    formatted_means,
    inside,
    not_available,
)
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.dpals import theory
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    SIZES,
    DpalsEvidence,
    Form,
    at,
    claim,
    compared,
    dataset_named,
    method_named,
)
from dpmc_studies.studies.dpals.theory import (
    FRANK_WOLFE_RATES,
    IN_ITEMS,
    IN_NOISE,
    IN_USERS,
    RATE_IN_ITEMS,
    slope_of,
    stated_slope,
)

USERS = np.array([*SIZES.values()])
ITEMS = {"items-250": 250, "items-500": 500, "synthetic-20k": 1000, "items-2000": 2000}
OF_ITEMS = (1.0, 5.0, 20.0)  # epsilons at which the number of items was varied
BELOW_LOG = EPSILONS[:4]  # theorem 2 is stated for epsilon < ln(1/delta), 11.5
ALMOST = 0.1
DELTA = 1e-5  # of the drawn matrices
ROOT = 0.5  # the exponent of m in the ratings of a user that DPFW needs
LARGEST_KAPPA, FARTHEST = 2.0, 4.0  # condition number; standard deviations from n m p
FEWEST_LINES = 2  # a single one decides nothing


class Line(NamedTuple):
    """Log RMSE, shape (points, trials), and the logarithm of what it is set against, (points,)."""

    log_rmse: np.ndarray
    at: np.ndarray


def slope(value: float) -> str:
    """Format a slope."""
    return f"{value:+.2f}"


@claim("D26")
def drawn_matrices_meet_the_assumptions(evidence: DpalsEvidence) -> Finding:
    """Assumptions 1 and 2: mu^2 at most ln n, kappa at most 2, numbers of ratings binomial."""
    table = theory.assumptions(evidence.tables.get("trials"))
    if not len(table) or table["apart"].isna().any():
        return not_available("drawn matrices")
    over_log = np.log(table["mu"] ** 2 / np.log(table["users"]))
    holds = (over_log <= 0) & (table["kappa"] <= LARGEST_KAPPA) & (table["apart"] <= FARTHEST)
    met = int((table["ratings_per_user"] >= table["needed"]).sum())
    return Finding(
        verdict_of(bool(holds.all())),
        effect=float(over_log.max()),
        reason=f"mu {_ends(table['mu'], '.2f')}, kappa at most {table['kappa'].max():.3f}, numbers "
        f"of ratings within {table['apart'].max():.1f} standard deviations of n m p. Beside it: "
        "theorem 2's premise on p, p m >= r^6 log^3 n with mu and kappa 1, holds at "
        f"{met} of {len(table)} numbers of users ({_ends(table['ratings_per_user'], '.0f')} "
        f"ratings a user, {_ends(table['needed'], '.2g')} needed, of {table['items'].max()} items)",
        margin_of=OURS,
    )


@claim("D27")
def falls_as_users_and_noise(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS are at most .1 above those of theorem 2's bound."""
    rows, stated = slopes_of(evidence, "dpals"), stated_slope("dpals", IN_USERS, USERS)
    apart = {
        name: row - (stated if name.startswith(IN_USERS) else stated_slope("dpals", IN_NOISE, ()))
        for name, row in rows.items()
    }
    found = _at_most_stated(apart, {"dpals": rows})
    if found.verdict != CONTRADICTED:
        return found
    # an upper bound says nothing where its premise fails, so a slower fall does not contradict it
    needed = theory.needed_per_user(USERS)
    outside = (
        f"outside of theorem 2's premise: {needed.min():.1e} to {needed.max():.1e} ratings a user "
        f"needed (D26). Slopes alone: {found.verdict}, {found.reason}"
    )
    return _open(found, outside)


@claim("D28")
def falls_faster_than_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """ALL: slopes of log RMSE of DPALS below those of DPFW, in users and in 1/sigma."""

    def judge(form: Form) -> Finding:
        ours, theirs = (slopes_of(evidence, method) for method in (form.dpals, form.dpfw))
        found = always_below({name: ours[name] - theirs[name] for name in ours}, formatter=slope)
        return _with_slopes(found, {form.dpals: ours, form.dpfw: theirs})

    return compared(judge)


@claim("D29")
def rate_below_that_of_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """Remark 6's rate m/(n epsilon) is below that of DPFW in every cell in which it is below 1."""
    table = theory.bounds(evidence.tables.get("trials"))
    table = table[table["remark_bound"] < 1] if len(table) else table
    if not len(table):
        return not_available("drawn matrices")
    ratios = np.log(table["remark_bound"] / table["frank_wolfe_bound"])
    return Finding(
        verdict_of(bool((ratios < 0).all())),
        effect=float(ratios.max()),
        reason=f"m/(n epsilon) is {_ends(np.exp(ratios), '.3g')} times "
        f"(m^(5/4)/(n epsilon))^(1/5) in {len(table)} cells",
    )


@claim("D30")
def ratings_grow_slower_than_for_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """With n in proportion to m, r^6 log^3 n grows with a smaller exponent than sqrt(m)."""
    table = theory.bounds(evidence.tables.get("trials"))
    if not len(table):
        return not_available("drawn matrices")
    growth = theory.growth_of_needed(table["users"]) - ROOT
    return Finding(
        verdict_of(bool((growth < 0).all())),
        effect=float(growth.max()),
        reason=f"log^3 n grows with an exponent of {_ends(growth + ROOT, '.2f')}, sqrt(m) of "
        f"{ROOT}",
    )


@claim("D33")
def grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS in items are at most .1 above that of remark 6."""
    rows = _slopes(_lines_in_items(evidence, "dpals"))
    apart = {name: row - RATE_IN_ITEMS for name, row in rows.items()}
    return _at_most_stated(apart, {"dpals": rows})


@claim("D34")
def private_svd_is_not_consistent(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of the private SVD in users are at least -.1."""
    rows = _slopes(_lines_in_users(evidence, "dp_svd", OF_ITEMS))
    return _with_slopes(inside(rows, low=-ALMOST, formatter=slope), {"dp_svd": rows})


@claim("D35")
def frank_wolfe_falls_as_its_bound(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPFW in users and in 1/sigma, where seen, are at most .1 above -1/5."""

    def judge(form: Form) -> Finding:
        return _by_lines_that_tell(form.dpfw, lines_of(evidence, form.dpfw), IN_USERS)

    return compared(judge, "{0.dpfw}")


@claim("D36")
def frank_wolfe_grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPFW in items, where they can be seen, are at most .1 above 1/4."""

    def judge(form: Form) -> Finding:
        return _by_lines_that_tell(form.dpfw, _lines_in_items(evidence, form.dpfw), IN_ITEMS)

    return compared(judge, "{0.dpfw}")


def slopes_of(evidence: DpalsEvidence, method: str) -> Rows:
    """Return slopes of log RMSE by trial: in users at all epsilon, in 1/sigma at all sizes."""
    return _slopes(lines_of(evidence, method))


def lines_of(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    """Return log RMSE in users at all epsilon, and in 1/sigma at all sizes."""
    noise = theory.inverse_noise(BELOW_LOG, DELTA)
    return _lines_in_users(evidence, method, EPSILONS) | {
        f"1/σ at {dataset_named(size)}": _line(
            evidence, method, [(size, epsilon) for epsilon in BELOW_LOG], noise
        )
        for size in SIZES
    }


def _lines_in_users(evidence: DpalsEvidence, method: str, epsilons) -> dict[str, Line]:
    return {
        f"{IN_USERS} at {at(one)}": _line(evidence, method, [(size, one) for size in SIZES], USERS)
        for one in epsilons
    }


def _lines_in_items(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    sizes = [*ITEMS.values()]
    return {
        f"{IN_ITEMS} at {at(one)}": _line(evidence, method, [(size, one) for size in ITEMS], sizes)
        for one in OF_ITEMS
    }


def _line(evidence: DpalsEvidence, method: str, cells, at) -> Line:
    errors = [evidence.results.log_rmse(dataset, method, epsilon) for dataset, epsilon in cells]
    return Line(np.array(errors), np.log(at))


def _slopes(lines: Mapping[str, Line]) -> Rows:
    return {name: slope_of(*line) for name, line in lines.items()}


def _tells(line: Line) -> bool:
    """Say whether all points lie 1 % below 1, the RMSE of the trivial model on drawn matrices."""
    return not (row_tests(line.log_rmse).mean > MARGIN[0]).any()


def _by_lines_that_tell(method: str, lines: Mapping[str, Line], along: str) -> Finding:
    """Judge slopes of DPFW by the lines on which one can be seen, if all cells were run."""
    missing = sum(np.isnan(line.log_rmse).all(axis=1).sum() for line in lines.values())
    if missing:
        return not_available(f"RMSE of {missing} points of {len(lines)} lines")
    told = {name: line for name, line in lines.items() if _tells(line)}
    text = f"{len(told)} of {len(lines)} lines count"
    if len(told) < len(lines):
        text += (
            ": the others have a point whose error is not 1 % below that of the trivial model, and "
            "no slope can be seen there"
        )
    if not told:
        return Finding(INCONCLUSIVE, reason=text)
    slopes, stated = _slopes(told), FRANK_WOLFE_RATES[along]
    found = _at_most_stated({name: row - stated for name, row in slopes.items()}, {method: slopes})
    found = explained(found, text)
    return found if len(told) >= FEWEST_LINES else _open(found, found.reason)


def _open(found: Finding, reason: str) -> Finding:
    """Return a finding whose verdict is left open, which more trials would not decide."""
    return replace(found, verdict=INCONCLUSIVE, needed=np.nan, p_value=np.nan, reason=reason)


def _ends(values: pd.Series, spec: str) -> str:
    return f"{values.min():{spec}} to {values.max():{spec}}"


def _at_most_stated(apart: Rows, slopes: Mapping[str, Rows]) -> Finding:
    """Judge slopes less those stated, and name them by method."""
    return _with_slopes(inside(apart, high=ALMOST, formatter=slope), slopes)


def _with_slopes(found: Finding, slopes: Mapping[str, Rows]) -> Finding:
    named = "; ".join(
        f"{method_named(name)} in {formatted_means(rows, slope)}" for name, rows in slopes.items()
    )
    return replace(found, reason=f"{found.reason}. Slopes of {named}")
