"""Claims about assumptions, bounds and rates on drawn matrices: D26 to D30, and D33 to D37."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
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
    times,
)
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.statistics.tests import log_positive, row_tests
from dpmc_studies.studies.dpals import theory
from dpmc_studies.studies.dpals.cells import ITERATION_COLUMNS
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    DpalsEvidence,
    Form,
    at,
    claim,
    compared,
    dataset_named,
    method_named,
    place_named,
)
from dpmc_studies.studies.dpals.claims.synthetic import SIZES
from dpmc_studies.studies.dpals.theory import (
    FRANK_WOLFE_RATES,
    IN_ITEMS,
    IN_NOISE,
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
DELTA = 1e-5  # of the drawn matrices
ROOT = 0.5  # the exponent of m in the ratings of a user that DPFW needs
LARGEST_KAPPA, FARTHEST = 2.0, 4.0  # condition number; standard deviations from n m p
LONG = "long"  # the variant that is followed by iteration
QUARTER, FLOOR = np.log(1 / 4), 10.0  # what lemma 4 leaves of an error; times the least one
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
    needed = theory.needed_per_user(np.array(USERS))
    beyond = f"{needed.min():.1e} to {needed.max():.1e} ratings a user needed (D26)"
    if found.verdict != CONTRADICTED:
        return found
    # an upper bound says nothing where its premise fails, so a slower fall does not contradict it
    outside = f"outside of theorem 2's premise: {beyond}. Slopes alone: {found.verdict}, "
    return replace(
        found, verdict=INCONCLUSIVE, needed=np.nan, p_value=np.nan, reason=outside + found.reason
    )


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
    table = _bounds(evidence)
    table = table[table["remark_bound"] < 1] if len(table) else table
    if not len(table):
        return not_available("drawn matrices")
    ratios = np.log(table["remark_bound"] / table["frank_wolfe_bound"])
    bound = table["bound"]
    return Finding(
        verdict_of(bool((ratios < 0).all())),
        effect=float(ratios.max()),
        reason=f"m/(n epsilon) is {_ends(np.exp(ratios), '.3g')} times "
        f"(m^(5/4)/(n epsilon))^(1/5) in {len(table)} cells. Beside it, with all constants 1: "
        f"theorem 2's bound as displayed is {_ends(bound, '.3g')} times the norm, and "
        f"above 1, where it says nothing, in {(bound >= 1).sum()} of them, that of DPFW in "
        f"{(table['frank_wolfe_bound'] >= 1).sum()}",
    )


@claim("D30")
def ratings_grow_slower_than_for_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """With n in proportion to m, r^6 log^3 n grows with a smaller exponent than sqrt(m)."""
    table = _bounds(evidence)
    if not len(table):
        return not_available("drawn matrices")
    growth = theory.growth_of_needed(table["users"]) - ROOT
    needed, theirs = table["needed"], np.sqrt(table["items"])
    of_rank_one = theory.needed_per_user(table["users"], rank=1)
    return Finding(
        verdict_of(bool((growth < 0).all())),
        effect=float(growth.max()),
        reason=f"log^3 n grows with an exponent of {_ends(growth + ROOT, '.2f')}, sqrt(m) of "
        f"{ROOT}. Beside it, with all constants 1: DPALS needs {_ends(needed, '.2g')} ratings a "
        f"user, {_ends(of_rank_one, '.0f')} at rank 1, DPFW {theirs.max():.0f}",
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
        lines = lines_of(evidence, form.dpfw)
        cells = product(zip(SIZES, USERS, [1000] * len(SIZES), strict=True), EPSILONS)
        return _by_lines_that_tell(evidence, form.dpfw, lines, FRANK_WOLFE_RATES[IN_USERS], cells)

    return compared(judge, "{0.dpfw}")


@claim("D36")
def frank_wolfe_grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPFW in items, where they can be seen, are at most .1 above 1/4."""

    def judge(form: Form) -> Finding:
        lines = _lines_in_items(evidence, form.dpfw)
        cells = product(((name, 20_000, items) for name, items in ITEMS.items()), OF_ITEMS)
        return _by_lines_that_tell(evidence, form.dpfw, lines, FRANK_WOLFE_RATES[IN_ITEMS], cells)

    return compared(judge, "{0.dpfw}")


@claim("D37")
def errors_contract(evidence: DpalsEvidence) -> Finding:
    """ALL: once the error is small, a step of ALS leaves less than a quarter of it."""
    public, private = (_slowest_steps(evidence, method) for method in ("als", "dpals"))
    if not public:
        return not_available("iterations of ALS")
    if not np.isfinite(np.concatenate(list(public.values()))).any():
        return Finding(INCONCLUSIVE, reason="no step of ALS began at an error that small")
    runs = np.concatenate([*private.values(), np.empty(0)])
    text = (
        f"With noise {np.isfinite(runs).sum()} of {runs.size} runs came to an error that small "
        "before they came to their floor"
    )
    return explained(always_below(public, QUARTER, formatter=times), text)


def _slowest_steps(evidence: DpalsEvidence, method: str) -> Rows:
    """Return :func:`slowest_step` of a method on drawn matrices, by data set and epsilon."""
    table = evidence.tables.get("iterations", pd.DataFrame(columns=list(ITERATION_COLUMNS)))
    own = table[(table["method"] == method) & (table["variant"] == LONG)]
    rows = {}
    for (dataset, epsilon), part in own.groupby(["dataset", "epsilon"], dropna=False):
        curve = part.pivot(index="iteration", columns="trial", values="rse").sort_index().dropna()
        if dataset in SIZES and len(curve) > 1:
            small = 1 / np.log(USERS[SIZES.index(dataset)]) ** 2
            rows[place_named(dataset, epsilon)] = slowest_step(curve.to_numpy(), small)
    return rows


def slowest_step(curve: np.ndarray, small: float) -> np.ndarray:
    """Return the largest log ratio of errors of two steps by trial, NaN where none counts.

    Steps count from an error of at most ``small``, and for as long as it is ten times the least
    that the trial reaches: below that lie the penalty and rounding.

    Parameters
    ----------
    curve : array, shape (steps, trials)
    """
    before, after = log_positive(curve[:-1]), log_positive(curve[1:])
    floor = log_positive(curve.min(axis=0)) + np.log(FLOOR)
    counts = (before <= np.log(small)) & (before >= floor)
    largest = np.where(counts, after - before, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(counts.any(axis=0), largest, np.nan)


def slopes_of(evidence: DpalsEvidence, method: str) -> Rows:
    """Return slopes of log RMSE by trial: in users at all epsilon, in 1/sigma at all sizes."""
    return _slopes(lines_of(evidence, method))


def lines_of(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    """Return log RMSE in users at all epsilon, and in 1/sigma at all sizes."""
    errors = evidence.results
    in_noise = {
        f"1/σ at {dataset_named(size)}": Line(
            np.array([errors.log_rmse(size, method, epsilon) for epsilon in BELOW_LOG]),
            np.log(theory.inverse_noise(BELOW_LOG, DELTA)),
        )
        for size in SIZES
    }
    return _lines_in_users(evidence, method, EPSILONS) | in_noise


def _slopes(lines: Mapping[str, Line]) -> Rows:
    return {name: slope_of(*line) for name, line in lines.items()}


def _lines_in_users(
    evidence: DpalsEvidence, method: str, epsilons: Sequence[float]
) -> dict[str, Line]:
    errors = evidence.results
    return {
        f"{IN_USERS} at {at(epsilon)}": Line(
            np.array([errors.log_rmse(size, method, epsilon) for size in SIZES]), np.log(USERS)
        )
        for epsilon in epsilons
    }


def _lines_in_items(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    errors = evidence.results
    return {
        f"{IN_ITEMS} at {at(epsilon)}": Line(
            np.array([errors.log_rmse(size, method, epsilon) for size in ITEMS]),
            np.log(list(ITEMS.values())),
        )
        for epsilon in OF_ITEMS
    }


def _tells(line: Line) -> bool:
    """Say whether all points lie 1 % below 1, the RMSE of the trivial model on drawn matrices."""
    return not (row_tests(line.log_rmse).mean > MARGIN[0]).any()


def _by_lines_that_tell(
    evidence: DpalsEvidence,
    method: str,
    lines: Mapping[str, Line],
    stated: float,
    cells: Iterable[tuple[tuple[str, int, int], float]],
) -> Finding:
    """Judge slopes of DPFW by the lines on which one can be seen, with errors over the bound.

    ``cells`` are ((data set, users, items), epsilon).
    """
    over = pd.Series(
        [
            row_tests(evidence.results.rmse(name, method, epsilon)).mean[0]
            / theory.frank_wolfe_bound(users, items, epsilon)
            for (name, users, items), epsilon in cells
        ]
    )
    if over.isna().any():
        return not_available(f"RMSE of {over.isna().sum()} of {over.size} cells")
    told = {name: line for name, line in lines.items() if _tells(line)}
    text = f"{len(told)} of {len(lines)} lines count"
    if len(told) < len(lines):
        text += (
            ": the others have a point whose error is not 1 % below that of the trivial model, and "
            "no slope can be seen there"
        )
    text += f". RMSE over (m^(5/4)/(n ε))^(1/5) in all {over.size} cells: {_ends(over, '.2f')}"
    if not told:
        return Finding(INCONCLUSIVE, reason=text)
    slopes = _slopes(told)
    found = _at_most_stated({name: row - stated for name, row in slopes.items()}, {method: slopes})
    if len(told) < FEWEST_LINES:
        found = replace(found, verdict=INCONCLUSIVE, needed=np.nan, p_value=np.nan)
    return explained(found, text)


def _bounds(evidence: DpalsEvidence) -> pd.DataFrame:
    return theory.bounds(evidence.tables.get("trials"))


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
