"""What shows the errata of DPALS whose numbers are text."""

import numpy as np
from scipy import optimize, stats

from dpmc_studies.methods.user_level.item_step import solve_items, solve_items_as_published
from dpmc_studies.studies.dpals.frames import number
from errata_numbers import Evidence

RANK = 5
ROWS, ITEMS, STRENGTH = 10_000, 2000, 3.0  # of the draws; size of H in units of its noise
USERS, MOVIES, DENSITY, GROUPS = 400, 60, 0.3, 3
DELTA = 1e-5


def all_movies(trials) -> Evidence:
    """The text has ALS worst on all movies; ALS has no sampling, so one variant of each share."""
    here = trials[(trials["dataset"] == "ml-100k") & (trials["method"] == "als")]
    means = here.groupby("variant")["rmse"].mean()
    return Evidence({"few": means["uniform_0.05"], "all": means["uniform_1"]})


def resampling(trials) -> Evidence:
    """Ratings are drawn anew in each step; the paper and dpmc do not, in practice."""
    here, rows = trials[trials["method"] == "dpals"], []
    for dataset in ("synthetic-5k", "synthetic-10k"):
        own = here[here["dataset"] == dataset]
        wide = own.pivot(index=["trial", "epsilon"], columns="variant", values="rmse")
        ratios = np.log(wide["resampled"] / wide["standard"]).groupby("epsilon").mean()
        rows += [{"ratio": np.exp(ratios[epsilon])} for epsilon in (1, 5, 20)]
    return Evidence({}, ratios=rows)


def growth_with_items(trials) -> Evidence:
    """Theorem 2 has a factor sqrt(m) that table 1 and remark 6 do not have."""
    here = trials[(trials["method"] == "dpals") & (trials["variant"] == "standard")]
    here = here[here["dataset"].isin(["items-250", "items-500", "synthetic-20k", "items-2000"])]
    rows = []
    for epsilon in (1, 5, 20):
        own = here[here["epsilon"] == epsilon]
        wide = np.log(own.pivot(index="items", columns="trial", values="rmse").dropna(axis=1))
        slopes = np.polyfit(np.log(wide.index), wide, 1)[0]
        rows.append({"slope": slopes.mean(), "epsilon": epsilon})
    return Evidence({}, slopes=rows)


def gaussian_epsilon(mu):
    """The epsilon of mu-Gaussian differential privacy (Dong, Roth and Su, 2022)."""

    def excess(epsilon):
        high, low = -epsilon / mu + mu / 2, -epsilon / mu - mu / 2
        return stats.norm.cdf(high) - np.exp(epsilon + stats.norm.logcdf(low)) - DELTA

    return optimize.brentq(excess, 1e-9, 10 * mu**2 + 100)


def mu_of(epsilon):
    return optimize.brentq(lambda mu: gaussian_epsilon(mu) - epsilon, 0.05, 10)


def published_sigma(epsilon, k, steps):
    return np.sqrt(2 * k * steps * (epsilon - np.log(DELTA))) / epsilon


def two_statistics(results) -> Evidence:
    """Theorem 1 counts one of the two noised statistics."""
    points = (1, 50, 2), (5, 50, 3)
    rows = []
    for epsilon, k, steps in points:
        true = gaussian_epsilon(np.sqrt(2 * k * steps) / published_sigma(epsilon, k, steps))
        rows.append({"true": number(true, 4), "epsilon": epsilon, "k": k, "steps": steps})
    return Evidence({}, points=rows)


def private_mean(results) -> Evidence:
    """The private mean has the sensitivity of one number, not of k of them."""
    k = 50
    return Evidence({"epsilon": gaussian_epsilon(mu_of(1.0) * np.sqrt(k))}, k=k)


def private_start(results) -> Evidence:
    """The noise of the start forgets that a user has k ratings."""
    k = 50
    triangle = np.sqrt(k * (k + 1) / 2)
    found = [gaussian_epsilon(triangle / published_sigma(1.0, k, steps)) for steps in (2, 3)]
    return Evidence({"two": found[0], "three": found[1]}, k=k, triangle=triangle)


def program_of_dpals(results) -> Evidence:
    """Ratings of 3 instead of 1 in one of two statistics; sum and number of 100 ratings with noise
    of deviation 1000 and 100."""
    mus = {"items": mu_of(1.0) * np.sqrt(5), "charged": np.sqrt(2) / 100, "true": np.hypot(0.1, 1)}
    return Evidence({name: gaussian_epsilon(mu) for name, mu in mus.items()})


def one_noise_for_all(results) -> Evidence:
    """The Matlab program adds one number to all entries."""
    side, deviation, rng = 50, 10, np.random.default_rng(1)
    exact = rng.standard_normal((side, side))
    noised = exact + deviation * rng.standard_normal()
    differences = np.abs(np.diff(noised, axis=1) - np.diff(exact, axis=1)).max()
    bound = "1e-12" if differences < 1e-12 else "more"
    return Evidence({}, side=side, deviation=deviation, bound=bound)


def start_without_noise(results) -> Evidence:
    """The read-me starts from singular vectors without noise."""
    rng = np.random.default_rng(1)
    ratings = rng.standard_normal((USERS, MOVIES)) * (rng.random((USERS, MOVIES)) < DENSITY)
    tops = [np.linalg.svd(rows, full_matrices=False)[2][:RANK] for rows in (ratings, ratings[:-1])]
    cosines = np.linalg.svd(tops[0] @ tops[1].T, compute_uv=False)
    return Evidence({"angle": np.degrees(np.arccos(cosines.min()))}, users=USERS, rank=RANK)


def _drawn():
    """Factors of a matrix and which entries are seen."""
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((USERS, RANK)), rng.standard_normal((MOVIES, RANK))
    return users, items, rng


def node_step(results) -> Evidence:
    """A node has one column, from which it is to find all of U."""
    users, items, rng = _drawn()
    matrix = users @ items.T
    seen = rng.random(matrix.shape) < DENSITY
    # the shortest U that fits column j exactly: row i is M_ij V_j / |V_j|^2, 0 where not seen
    averaged = (np.where(seen, matrix, 0) / np.square(items).sum(axis=1)) @ items / MOVIES
    rows = zip(seen, matrix, strict=True)
    jointly = [np.linalg.lstsq(items[own], row[own], rcond=None)[0] for own, row in rows]
    left = [
        np.linalg.norm(found @ items.T - matrix) / np.linalg.norm(matrix)
        for found in (averaged, np.array(jointly))
    ]
    joint = "nothing" if left[1] < 1e-10 else "something"
    return Evidence({"averaged": 100 * left[0]}, joint=joint, users=USERS, movies=MOVIES, rank=RANK)


def one_direction(results) -> Evidence:
    """A node's median over groups of entries is 0, and its orthonormal basis one column."""
    users, items, rng = _drawn()
    column, chosen = users @ items[0], rng.random(USERS) < DENSITY
    groups = np.where(chosen, rng.integers(GROUPS, size=USERS), -1)
    # the shortest U that fits a group of a column exactly, one for each group
    shortest = [
        np.outer(np.where(groups == group, column, 0), items[0] / (items[0] @ items[0]))
        for group in range(GROUPS)
    ]
    median = np.abs(np.median(shortest, axis=0)).max()
    directions = np.linalg.matrix_rank(np.sum(shortest, axis=0))
    return Evidence({"median": median, "directions": directions}, groups=GROUPS, rank=RANK)


def program_of_altmin(results) -> Evidence:
    """The Matlab program of DP-AltMin has one number of noise, and factors grow to its size."""
    shape, rank, budgets = (40, 30), 3, (0.1, 5.0, 1e12)
    rng = np.random.default_rng([1, 0])
    matrix = np.linalg.multi_dot([rng.standard_normal((shape[0], rank)),
                                  rng.standard_normal((shape[1], rank)).T])  # fmt: skip
    errors = [altmin_program(matrix, one, np.random.default_rng([2, 0])) for one in budgets]
    assert errors[2] < 0.5 * errors[1]  # without noise the same program ends elsewhere
    noise = (budgets[1] / budgets[0]) ** 2
    return Evidence(
        {"ratio": errors[0] / errors[1]}, users=shape[0], movies=shape[1], rank=rank, noise=noise
    )


def altmin_program(matrix, epsilon, rng):
    """The RMSE over all entries that altermin_matrix.m ends at, its constants as they are."""
    steps, delta, observed = 10, 1e-6, 0.75
    seen = rng.random(matrix.shape) <= observed
    ratings = np.where(seen, matrix, 0.0)
    longest = np.linalg.norm(ratings, axis=1).max()
    sigma = longest**2 * np.sqrt(32 * steps * np.log(1 / delta)) / epsilon
    users = rng.integers(0, 6, (len(matrix), np.linalg.matrix_rank(matrix))).astype(float)

    def fitted(factors, ratings, seen):
        pairs = zip(ratings, seen, strict=True)
        return np.array([np.linalg.pinv(own[:, None] * factors) @ row for row, own in pairs])

    for _ in range(steps):
        items = fitted(users, ratings.T, seen.T)
        users = fitted(items, ratings, seen) + sigma**2 * steps * rng.standard_normal()
    return float(np.sqrt(np.mean((users @ items.T - matrix) ** 2)))


def clipping(results) -> Evidence:
    """The clip of a user's row has max for min."""
    rows = np.random.default_rng(1).standard_normal((ROWS, RANK))
    lengths = np.linalg.norm(rows, axis=1)
    reported = lengths * np.maximum(1, 1 / lengths)
    above = 100 * (reported > 1 + 1e-9).mean()
    return Evidence({"largest": reported.max()}, rows=ROWS, rank=RANK, above=above)


def order_of_the_projection(results) -> Evidence:
    """Lambda is added before the projection: dpmc does it the other way round."""
    rng = np.random.default_rng(1)
    users = rng.standard_normal((ITEMS, RANK, RANK))
    grams = STRENGTH * users @ users.transpose(0, 2, 1) / RANK
    items = rng.standard_normal((ITEMS, RANK))
    noise = rng.standard_normal((ITEMS, RANK, RANK))
    noised = grams + (noise + noise.transpose(0, 2, 1)) / 2
    targets = np.einsum("nfg,ng->nf", grams, items) + rng.standard_normal((ITEMS, RANK))
    length = np.linalg.norm(items, axis=1)
    numbers = {}
    for which, solve in (("reported", solve_items_as_published), ("right", solve_items)):
        found = solve(noised, targets, 1.0, projection=True)
        error = np.linalg.norm(found - items, axis=1) / length
        numbers[which] = number(np.mean(error))
    return Evidence({}, items=ITEMS, rank=RANK, strength=STRENGTH, **numbers)


def last_rows(results) -> Evidence:
    """Rows of users that are clipped to the bound of the sums predict little."""
    users, items, bound = 5000, 1000, 0.1
    rng = np.random.default_rng(1)
    design = np.linalg.qr(rng.standard_normal((items, RANK)))[0] * np.sqrt(items)
    rows = rng.standard_normal((users, RANK)) / np.sqrt(RANK)
    shrink = np.minimum(1, bound / np.linalg.norm(rows, axis=1, keepdims=True))
    matrix = rows @ design.T
    left = np.linalg.norm(matrix - (shrink * rows) @ design.T) / np.linalg.norm(matrix)
    numbers = {"left": float(left)}
    return Evidence(numbers, users=users, items=items, rank=RANK, bound=bound)


def share_of_frequent_items(results) -> Evidence:
    """The share of frequent items is one of the items and not of the users."""
    users, frequent, items = 20_000, 100, 1000
    numbers = {"printed": frequent / users, "meant": frequent / items}
    return Evidence(numbers, users=users, frequent=frequent, items=items)


def parts_with_replacement(results) -> Evidence:
    """Parts that are drawn with replacement are no partition."""
    rounds = 10
    parts = 2 * rounds + 1
    return Evidence({"out": (1 - 1 / parts) ** parts}, parts=parts, rounds=rounds)


ENTRIES = {
    "E36": all_movies,
    "E50": resampling,
    "E52": growth_with_items,
    "E30": two_statistics,
    "E31": private_mean,
    "E32": private_start,
    "E37": one_noise_for_all,
    "E38": start_without_noise,
    "E49": node_step,
    "E51": one_direction,
    "E90": program_of_altmin,
    "E91": program_of_dpals,
    "E34": clipping,
    "E35": order_of_the_projection,
    "E97": last_rows,
    "E98": share_of_frequent_items,
    "E99": parts_with_replacement,
}
