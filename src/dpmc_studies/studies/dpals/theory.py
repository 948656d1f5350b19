"""What section 4 and table 1 of the DPALS paper say of the drawn matrices.

"DPALS paper" is [Chien 2021]. Its bounds have constants that it does not name; here these are 1, as
are the incoherence mu and the condition number kappa, which are at least 1. So a bound below is the
least that the theorem can give for constants of at least 1, and the premise on p has no constant.
Rates, which have no constants, are exponents.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from dpmc_studies.statistics.tests import log_positive, mean_interval
from dpmc_studies.studies.dpals.frames import of_other_shapes, standard, synthetic_sizes

IN_USERS, IN_NOISE, IN_ITEMS = "users", "inverse_noise", "items"
RANK, FACTOR = 5, 20  # of the drawn matrices: p = FACTOR ln(n) / m
FRANK_WOLFE_RATES = {IN_USERS: -1 / 5, IN_NOISE: -1 / 5, IN_ITEMS: 1 / 4}
# of the error: remark 6 asks for n >= C m / (zeta epsilon), and so does table 1
RATE_IN_ITEMS = 1.0
DRAWS, SEED = 5, 1  # of factors, by which the incoherence of drawn matrices is found
METHODS = ("dpals", "dpals_literal", "dpfw", "dpfw_jain")
COLUMNS = ("method", "along", "at", "slope", "low", "high", "trials", "stated")


def error_bound(users, items: int, epsilon, delta: float, rank: int = RANK):
    """Return theorem 2's bound of ||M - M^||_F / ||M||_F, with all constants 1.

    sqrt(m) log(1/delta) / (epsilon n) gamma / sqrt(p), gamma = r^2 sqrt(m) log^2 n.

    Parameters
    ----------
    users, epsilon : float or array
        n and epsilon.
    items, rank : int
        m and r.
    """
    gamma = rank**2 * np.sqrt(items) * np.log(users) ** 2
    scale = np.sqrt(items) * np.log(1 / delta) / (np.asarray(epsilon) * users)
    return scale * gamma / np.sqrt(observed(users, items))


def frank_wolfe_bound(users, items: int, epsilon):
    """Return (m^(5/4) / (n epsilon))^(1/5), remark 6's bound for private Frank-Wolfe."""
    return (items**1.25 / (np.asarray(users) * epsilon)) ** 0.2


def remark_bound(users, items: int, epsilon):
    """Return m / (n epsilon), to which remark 6 has the error of DPALS in proportion."""
    return items / (np.asarray(users) * epsilon)


def inverse_noise(epsilon, delta: float):
    """Return what 1/sigma of theorem 1 is in proportion to, at a given k and T.

    sigma = sqrt(2 k T (epsilon + ln(1/delta))) / epsilon falls more slowly than 1/epsilon.
    """
    return np.asarray(epsilon) / np.sqrt(np.asarray(epsilon) - np.log(delta))


def observed(users, items: int):
    """Return p of the drawn matrices, section 6.1."""
    return FACTOR * np.log(users) / items


def needed_per_user(users, rank: int = RANK):
    """Return the least p m of theorem 2's premise p >= mu^6 kappa^12 r^6 log^3(n) / m."""
    return rank**6 * np.log(users) ** 3


def growth_of_needed(users):
    """Return d log(needed ratings a user) / d log(users): of r^6 log^3 n, 3 / ln n at any r."""
    return 3 / np.log(users)


def incoherence(user_factors: np.ndarray, item_factors: np.ndarray) -> tuple[float, float]:
    """Return the least mu of assumption 1 for the product U V^T, and its condition number kappa.

    With the singular vectors of the product as U* and V*: |U*_i| <= mu sqrt(r / n), and |V*_j| <=
    mu sqrt(r / m).

    Parameters
    ----------
    user_factors, item_factors : array, shapes (n, r) and (m, r)
        Of full rank.
    """
    (users, right), (items, left) = (np.linalg.qr(each) for each in (user_factors, item_factors))
    values = np.linalg.svd(right @ left.T, compute_uv=False)  # rotations keep lengths of rows
    sides = (
        np.sqrt(len(basis) / basis.shape[1]) * np.linalg.norm(basis, axis=1).max()
        for basis in (users, items)
    )
    return float(max(sides)), float(values[0] / values[-1])


def assumptions(trials: pd.DataFrame | None) -> pd.DataFrame:
    """Return how far the drawn matrices meet assumptions 1 and 2, and theorem 2's premise on p.

    mu and kappa are the largest of :data:`DRAWS` pairs of factors, drawn as those of the study are:
    random orthonormal ones.

    Returns
    -------
    DataFrame
        A row for each drawn matrix: ``users``, ``items``, ``mu``, ``kappa``; ``apart``, the largest
        distance of a trial's number of ratings from n m p in standard deviations of the binomial
        law; ``ratings_per_user`` (p m) and ``needed`` (:func:`needed_per_user`).
    """
    here = standard(trials)
    sizes = synthetic_sizes(here) if len(here) else {}
    found = [(users, here[here["dataset"] == name]) for name, users in sizes.items()]
    shapes, rows = [(users, int(own["items"].iloc[0])) for users, own in found], []
    for (users, items), (_, own), (mu, kappa) in zip(shapes, found, _drawn(*shapes), strict=True):
        share = observed(users, items)
        deviation = np.sqrt(users * items * share * (1 - share))
        rows.append({
            "users": users, "items": items,
            "mu": mu, "kappa": kappa,
            "apart": float((own["ratings"] - users * items * share).abs().max() / deviation),
            "ratings_per_user": float(share * items), "needed": float(needed_per_user(users)),
        })  # fmt: skip
    return pd.DataFrame(rows)


@cache
def _drawn(*shapes: tuple[int, int]) -> list[np.ndarray]:
    """Return the largest mu and kappa of each shape: the same in all readings of the trials."""
    rng = np.random.default_rng(SEED)
    pairs = [
        [incoherence(*(_orthonormal(rng, side) for side in shape)) for _ in range(DRAWS)]
        for shape in shapes
    ]
    return [np.max(each, axis=0) for each in pairs]


def _orthonormal(rng: np.random.Generator, side: int) -> np.ndarray:
    return np.linalg.qr(rng.standard_normal((side, RANK)))[0]


def stated_slope(method: str, along: str, sizes: Iterable[float]) -> float:
    """Return the slope of the log bound: -1 or -1/5, but for logarithms of n; 3/2 or 1/4 in items.

    Both bounds have epsilon where noise has 1/sigma, so in 1/sigma they fall as in epsilon.

    Parameters
    ----------
    along : {"users", "inverse_noise", "items"}
    sizes : iterable of float
        The numbers of users or items over which a line is fitted.
    """
    if method.startswith("dpfw"):
        return FRANK_WOLFE_RATES[along]
    if along == IN_NOISE:
        return -1.0
    at = np.array(list(sizes), dtype=float)
    users, items = (at, 1000) if along == IN_USERS else (20_000, at)
    bound = np.log(error_bound(users, items, 1.0, 1e-5))  # what is fixed shifts it only
    return float(slope_of(bound[:, None], np.log(at))[0])


def slopes(trials: pd.DataFrame | None, delta: float = 1e-5) -> pd.DataFrame:
    """Return slopes of log RMSE in log users and log items, by epsilon, and in log 1/sigma.

    Lines are fitted by trial, over the sizes or budgets that all have; data sets of different
    sizes are independent, and paired by the number of the trial. Slopes in 1/sigma, of theorem 1,
    are over the epsilons below ln(1/delta), for which theorem 2 is stated.

    Parameters
    ----------
    trials : DataFrame or None
        Columns :data:`dpmc_studies.studies.dpals.cells.DPALS_COLUMNS`.

    Returns
    -------
    DataFrame
        Columns :data:`COLUMNS`: ``at`` is epsilon or the number of users; ``low`` and ``high`` are
        ends of a 95 % t interval over trials, NaN with a single one; ``stated`` is
        :func:`stated_slope`.
    """
    here = standard(trials)
    sizes = synthetic_sizes(here) if len(here) else {}
    rows = []
    for method in METHODS:
        own = here[here["method"] == method] if sizes else []
        if not len(own):
            continue
        table = own[own["dataset"].isin(sizes)]
        within = table[table["epsilon"] < np.log(1 / delta)]
        within = within.assign(**{IN_NOISE: inverse_noise(within["epsilon"], delta)})
        parts = (IN_USERS, "epsilon", table), (IN_NOISE, "users", within)
        for along, at, part in (*parts, (IN_ITEMS, "epsilon", of_other_shapes(own))):
            for value, points in part.groupby(at):
                found = slopes_by_trial(points, along)
                if found.size:
                    one = mean_interval(found)
                    stated = stated_slope(method, along, points[along].unique())
                    cell = (method, along, value, one.estimate, one.low, one.high)
                    rows.append((*cell, found.size, stated))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def slopes_by_trial(points: pd.DataFrame, along: str) -> np.ndarray:
    """Return the slope of log RMSE in the log of a column, one a trial that has all its values.

    At least three values make a line; else there are no slopes.
    """
    wide = points.pivot(index=along, columns="trial", values="rmse").sort_index()
    wide = wide.dropna(axis="columns")
    if len(wide) < 3 or not wide.shape[1]:
        return np.empty(0)
    return slope_of(log_positive(wide.to_numpy()), np.log(wide.index.to_numpy(float)))


def slope_of(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the least-squares slopes of columns of values, NaN where a value is missing.

    Parameters
    ----------
    values : array, shape (points, trials) or (points,)
    at : array, shape (points,)
        A single one has no slope.
    """
    apart = at - at.mean()
    return apart @ values / (apart @ apart or np.nan)


def bounds(trials: pd.DataFrame | None, delta: float = 1e-5) -> pd.DataFrame:
    """Return measured errors of DPALS and DPFW beside the bounds, and the premise on ratings.

    Returns
    -------
    DataFrame
        A row for each number of users and epsilon: ``users``, ``items``, ``epsilon``, ``dpals``,
        ``dpfw`` (mean relative errors, NaN where not run), ``bound``, ``remark_bound``,
        ``frank_wolfe_bound``, ``ratings_per_user`` (p m) and ``needed`` (:func:`needed_per_user`).
    """
    here = standard(trials)
    sizes = synthetic_sizes(here) if len(here) else {}
    rows = []
    for dataset, users in sizes.items():
        own = here[here["dataset"] == dataset]
        means = own.groupby(["method", "epsilon"])["rse"].mean()
        items = int(own["items"].iloc[0])
        for epsilon in sorted(own["epsilon"].dropna().unique()):
            rows.append({
                "users": users, "items": items, "epsilon": epsilon,
                **{method: means.get((method, epsilon), np.nan) for method in ("dpals", "dpfw")},
                "bound": float(error_bound(users, items, epsilon, delta)),
                "remark_bound": float(remark_bound(users, items, epsilon)),
                "frank_wolfe_bound": float(frank_wolfe_bound(users, items, epsilon)),
                "ratings_per_user": float(observed(users, items) * items),
                "needed": float(needed_per_user(users)),
            })  # fmt: skip
    return pd.DataFrame(rows)
