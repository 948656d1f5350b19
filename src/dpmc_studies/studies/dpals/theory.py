"""Section 4 and table 1 of the DPALS paper, evaluated for the random matrices of the study.

"DPALS paper" is [Chien 2021]. It does not name the constants in its bounds; we set them to 1. The
incoherence mu and the condition number kappa are at least 1, and we set them to 1 too. So each
bound here is the lowest that the theorem can give for constants of at least 1, and the premise on p
has no constant. Rates do not depend on constants: they are exponents.
"""

from functools import cache

import numpy as np
import pandas as pd

from dpmc_studies.studies.dpals.frames import synthetic_sizes

RANK, FACTOR = 5, 20  # of the drawn matrices: p = FACTOR ln(n) / m
DRAWS, SEED = 5, 1  # of factors, by which the incoherence of drawn matrices is found


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


def assumptions(trials: pd.DataFrame) -> pd.DataFrame:
    """Return how far the random matrices meet assumptions 1 and 2, and theorem 2's premise on p.

    There is one row for each random matrix of the trials, which are of the standard variant. The
    columns are ``users``, ``items``, ``mu``, ``kappa``, ``apart``, ``ratings_per_user`` (p m) and
    ``needed`` (:func:`needed_per_user`). mu and kappa are the largest values over :data:`DRAWS`
    pairs of random orthonormal factors, as in the study. ``apart`` is the largest distance of a
    trial's number of ratings from n m p, in standard deviations of the binomial distribution.
    """
    sizes = synthetic_sizes(trials)
    found = [(users, trials[trials["dataset"] == name]) for name, users in sizes.items()]
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


def slope_in_users(users: np.ndarray, items: int = 1000) -> float:
    """Return the slope of theorem 2's log bound over these numbers: -1 but for logarithms of n."""
    bound = np.log(error_bound(users, items, 1.0, 1e-5))  # what is fixed shifts it only
    return float(slope_of(bound, np.log(users)))


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


def growth(timing: pd.DataFrame) -> pd.Series:
    """Return the slope of log CPU seconds of an iteration in log ratings, by method.

    Lines are fitted by least squares to the medians of the sizes, NaN with a single one.
    """
    slopes = {}
    for method, part in timing.groupby("method"):
        medians = np.log(part.groupby("users")[["ratings", "seconds"]].median())
        values = medians["seconds"].to_numpy()
        slopes[method] = float(slope_of(values, medians["ratings"].to_numpy()))
    return pd.Series(slopes, dtype=float)
