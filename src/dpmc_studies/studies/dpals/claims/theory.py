"""Claims about assumptions, bounds and rates on random matrices: D26 to D30, and D33 to D36.

A rate is the slope of a line that is fitted to each trial: log RSE or log RMSE against the
logarithm of the number of users, of the number of items, or of theorem 1's 1/sigma. Where a bound
depends on epsilon, the measured rate uses 1/sigma.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, MARGIN, OURS, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    fact,
    formatted_means,
    inside,
    not_available,
)
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.dpals import theory
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    SIZES,
    DpalsEvidence,
    at,
    claim,
    dataset_named,
    method_named,
)
from dpmc_studies.studies.dpals.frames import SYNTHETIC
from dpmc_studies.studies.dpals.theory import slope_of

DPALS, FRANK_WOLFE, SVD = "dpals", "dpfw_jain", "dp_svd"
USERS = np.array([*SIZES.values()])
ITEMS = {"items-250": 250, "items-500": 500, "synthetic-20k": 1000, "items-2000": 2000}
OF_ITEMS = (1.0, 5.0, 20.0)  # epsilons at which the number of items was varied
BELOW_LOG = EPSILONS[:4]  # theorem 2 is stated for epsilon < ln(1/delta), 11.5
DELTA = 1e-5  # of the drawn matrices
IN_ITEMS, IN_NOISE = 1.0, -1.0  # slopes that table 1 and theorem 2 state for DPALS
OF_FRANK_WOLFE, OF_FRANK_WOLFE_IN_ITEMS = -1 / 5, 1 / 4  # remark 6 and table 1
ALMOST = 0.1
ROOT = 0.5  # the exponent of m in the ratings of a user that DPFW needs
LARGEST_KAPPA, FARTHEST = 2.0, 4.0  # condition number; standard deviations from n m p
FEWEST_LINES = 2  # a single one decides nothing


class Line(NamedTuple):
    """Log RMSE, shape (points, trials), and the logarithm of what it is set against, (points,)."""

    log_rmse: np.ndarray
    at: np.ndarray


Lines = Mapping[str, Line]


@claim("D26")
def drawn_matrices_meet_the_assumptions(evidence: DpalsEvidence) -> Finding:
    """Assumptions 1 and 2: mu^2 at most ln n, kappa at most 2, numbers of ratings binomial."""
    table = theory.assumptions(_drawn(evidence))
    if not len(table) or table["apart"].isna().any():
        return not_available("drawn matrices")
    over_log = np.log(table["mu"] ** 2 / np.log(table["users"]))
    holds = (over_log <= 0) & (table["kappa"] <= LARGEST_KAPPA) & (table["apart"] <= FARTHEST)
    met = int((table["ratings_per_user"] >= table["needed"]).sum())
    text = (
        f"mu {_ends(table['mu'], '.2f')}, kappa at most {table['kappa'].max():.3f}, numbers "
        f"of ratings within {table['apart'].max():.1f} standard deviations of n m p. Beside it: "
        "theorem 2's premise on p, p m >= r^6 log^3 n with mu and kappa 1, holds at "
        f"{met} of {len(table)} numbers of users ({_ends(table['ratings_per_user'], '.0f')} "
        f"ratings a user, {_ends(table['needed'], '.2g')} needed, of {table['items'].max()} items)"
    )
    return fact(bool(holds.all()), text, effect=float(over_log.max()), margin_of=OURS)


@claim("D27")
def falls_as_users_and_noise(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS are at most .1 above those of theorem 2's bound."""
    of_users = _slopes(_in_users(evidence, DPALS))
    of_noise = _slopes(_in_noise(evidence, DPALS))
    stated = theory.slope_in_users(USERS)
    apart = {name: row - stated for name, row in of_users.items()}
    apart |= {name: row - IN_NOISE for name, row in of_noise.items()}
    found = _with_slopes(_almost_below(apart), {DPALS: of_users | of_noise})
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
    ours, theirs = (
        _slopes(_in_users(evidence, method) | _in_noise(evidence, method))
        for method in (DPALS, FRANK_WOLFE)
    )
    found = always_below({name: ours[name] - theirs[name] for name in ours}, formatter=slope)
    return _with_slopes(found, {DPALS: ours, FRANK_WOLFE: theirs})


@claim("D29")
def rate_below_that_of_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """Remark 6's rate m/(n epsilon) is below that of DPFW in every cell in which it is below 1."""
    cells = _drawn(evidence)[["users", "items", "epsilon"]].dropna().drop_duplicates()
    users, items, epsilon = cells.to_numpy(dtype=float).T
    rates = theory.remark_bound(users, items, epsilon)
    ratios = np.log(rates / theory.frank_wolfe_bound(users, items, epsilon))[rates < 1]
    if not len(ratios):
        return not_available("drawn matrices")
    text = (
        f"m/(n epsilon) is {_ends(np.exp(ratios), '.3g')} times (m^(5/4)/(n epsilon))^(1/5) in "
        f"{len(ratios)} cells"
    )
    return fact(bool((ratios < 0).all()), text, effect=float(ratios.max()))


@claim("D30")
def ratings_grow_slower_than_for_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """With n in proportion to m, r^6 log^3 n grows with a smaller exponent than sqrt(m)."""
    users = _drawn(evidence)["users"].to_numpy(dtype=float)
    if not len(users):
        return not_available("drawn matrices")
    exponents = theory.growth_of_needed(users)
    text = f"log^3 n grows with an exponent of {_ends(exponents, '.2f')}, sqrt(m) of {ROOT}"
    largest = float(exponents.max() - ROOT)
    return fact(largest < 0, text, effect=largest)


@claim("D33")
def grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPALS in items are at most .1 above that of remark 6."""
    rows = _slopes(_in_items(evidence, DPALS))
    apart = {name: row - IN_ITEMS for name, row in rows.items()}
    return _with_slopes(_almost_below(apart), {DPALS: rows})


@claim("D34")
def private_svd_is_not_consistent(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of the private SVD in users are at least -.1."""
    rows = _slopes(_in_users(evidence, SVD, OF_ITEMS))
    return _with_slopes(inside(rows, low=-ALMOST, formatter=slope), {SVD: rows})


@claim("D35")
def frank_wolfe_falls_as_its_bound(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPFW in users and in 1/sigma, where seen, are at most .1 above -1/5."""
    lines = _in_users(evidence, FRANK_WOLFE) | _in_noise(evidence, FRANK_WOLFE)
    return _by_lines_that_tell(lines, OF_FRANK_WOLFE)


@claim("D36")
def frank_wolfe_grows_as_items(evidence: DpalsEvidence) -> Finding:
    """Slopes of log RMSE of DPFW in items, where they can be seen, are at most .1 above 1/4."""
    return _by_lines_that_tell(_in_items(evidence, FRANK_WOLFE), OF_FRANK_WOLFE_IN_ITEMS)


def _drawn(evidence: DpalsEvidence) -> pd.DataFrame:
    """Return the trials on drawn matrices of 1000 items."""
    rows = evidence.trials.reindex(columns=["dataset", "users", "items", "epsilon", "ratings"])
    return rows[rows["dataset"].astype(str).str.startswith(SYNTHETIC)]


def _in_users(
    evidence: DpalsEvidence, method: str, epsilons: Iterable[float] = EPSILONS
) -> dict[str, Line]:
    return {
        f"users at {at(one)}": _line(evidence, method, [(size, one) for size in SIZES], USERS)
        for one in epsilons
    }


def _in_noise(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    noise = theory.inverse_noise(BELOW_LOG, DELTA)
    return {
        f"1/σ at {dataset_named(size)}": _line(
            evidence, method, [(size, epsilon) for epsilon in BELOW_LOG], noise
        )
        for size in SIZES
    }


def _in_items(evidence: DpalsEvidence, method: str) -> dict[str, Line]:
    sizes = [*ITEMS.values()]
    return {
        f"items at {at(one)}": _line(evidence, method, [(size, one) for size in ITEMS], sizes)
        for one in OF_ITEMS
    }


def _line(evidence: DpalsEvidence, method: str, cells, at) -> Line:
    errors = [evidence.results.log_rmse(dataset, method, epsilon) for dataset, epsilon in cells]
    return Line(np.array(errors), np.log(at))


def _slopes(lines: Lines) -> dict[str, np.ndarray]:
    return {name: slope_of(*line) for name, line in lines.items()}


def _by_lines_that_tell(lines: Lines, stated: float) -> Finding:
    """Judge slopes of DPFW by the lines on which one can be seen, if all cells were run.

    A line counts if all its points are 1 % below 1, the RMSE of the trivial model.
    """
    missing = sum(np.isnan(line.log_rmse).all(axis=1).sum() for line in lines.values())
    if missing:
        return not_available(f"RMSE of {missing} points of {len(lines)} lines")
    told = {
        name: line
        for name, line in lines.items()
        if not (row_tests(line.log_rmse).mean > MARGIN[0]).any()
    }
    text = f"{len(told)} of {len(lines)} lines count"
    if len(told) < len(lines):
        text += (
            ": the others have a point whose error is not 1 % below that of the trivial model, and "
            "no slope can be seen there"
        )
    if not told:
        return Finding(INCONCLUSIVE, reason=text)
    slopes = _slopes(told)
    found = _almost_below({name: row - stated for name, row in slopes.items()})
    found = explained(_with_slopes(found, {FRANK_WOLFE: slopes}), text)
    return found if len(told) >= FEWEST_LINES else _open(found, found.reason)


def _open(found: Finding, reason: str) -> Finding:
    """Return a finding that is inconclusive whatever the number of trials."""
    return replace(found, verdict=INCONCLUSIVE, needed=np.nan, p_value=np.nan, reason=reason)


def _ends(values: np.ndarray | pd.Series, spec: str) -> str:
    return f"{values.min():{spec}} to {values.max():{spec}}"


def slope(value: float) -> str:
    """Format a slope."""
    return f"{value:+.2f}"


def _almost_below(apart: Rows) -> Finding:
    """Judge slopes less those stated."""
    return inside(apart, high=ALMOST, formatter=slope)


def _with_slopes(found: Finding, slopes: Mapping[str, Rows]) -> Finding:
    texts = (
        f"{method_named(name)} in {formatted_means(rows, slope)}" for name, rows in slopes.items()
    )
    return explained(found, f"Slopes of {'; '.join(texts)}")
