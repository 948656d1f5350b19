"""Errata of the DPALS paper's algorithm and text, and of DP_Matrix_Completion_Alt_Min.

"DPALS paper" is [Chien 2021]; the second is the repository of Matlab programs and its read-me.
"""

import numpy as np

from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.frame.showing.results import Results
from dpmc_studies.studies.dpals.frames import (
    STANDARD,
    dataset_label,
    datasets_of,
    item_rows,
    number,
    summary,
)
from dpmc_studies.studies.dpals.theory import IN_ITEMS, RATE_IN_ITEMS, slopes, stated_slope

RANK = 5
SIDE, DEVIATION = 50, 10.0
USERS, MOVIES, DENSITY = 400, 60, 0.3
GROUPS = 3  # of a median; that of one or two is their mean
PROGRAM_SIDES, PROGRAM_RANK, PROGRAM_DRAWS, BUDGETS = (40, 30), 3, 3, (0.1, 5.0)
RESAMPLED = "resampled"  # the variant of DPALS


def resampling(results: Results) -> Evidence:
    """Ratings are drawn anew in each step; the paper and dpmc do not, in practice."""
    here = results.get("trials")
    numbers, changes = {}, []
    if here is not None and len(here):
        here = here[(here["method"] == "dpals") & here["epsilon"].notna()]
    for dataset in datasets_of(here):
        own = here[here["dataset"] == dataset]
        tables = [own[own["variant"] == variant] for variant in (RESAMPLED, STANDARD)]
        wide = [table.pivot(index="trial", columns="epsilon", values="rmse") for table in tables]
        ratio = np.exp((np.log(wide[0]) - np.log(wide[1])).mean()).dropna()
        if len(ratio):
            numbers |= {f"{dataset}_{epsilon:g}": value for epsilon, value in ratio.items()}
            ratios = ", ".join(f"{value:.2f} at ε = {at:g}" for at, value in ratio.items())
            changes.append({"dataset": dataset_label(dataset), "ratios": ratios})
    return Evidence(numbers, () if changes else ["measured"], changes=changes)


def all_movies(results: Results) -> Evidence:
    """The text has ALS worst on all movies."""
    here = item_rows(results.get("trials"))
    if len(here):  # ALS has no sampling: one row for each share and trial
        here = here[here["method"] == "als"]
        here = here.drop_duplicates(["dataset", "item_share", "trial"])
    numbers, changes = {}, []
    for dataset in datasets_of(here):
        table = summary(here[here["dataset"] == dataset], "rmse", ("item_share",))
        table = table.sort_values("item_share")
        if len(table) < 2:
            continue
        first, last = table.iloc[0], table.iloc[-1]
        numbers[f"{dataset}_least"] = float(first["mean"])
        numbers[f"{dataset}_all"] = float(last["mean"])
        changes.append(
            {
                "few": number(first["mean"], 4),
                "share_of_few": 100 * first["item_share"],
                "all": number(last["mean"], 4),
                "share_of_all": 100 * last["item_share"],
                "dataset": dataset_label(dataset),
            }
        )
    return Evidence(numbers, () if changes else ["measured"], changes=changes)


def one_noise_for_all(results: Results) -> Evidence:
    """The Matlab program adds one number to all entries."""
    rng = np.random.default_rng(1)
    exact = rng.standard_normal((SIDE, SIDE))
    noised = exact + DEVIATION * rng.standard_normal()
    differences = np.abs(np.diff(noised, axis=1) - np.diff(exact, axis=1)).max()
    numbers = {"difference": float(differences)}
    return Evidence(
        numbers, side=SIDE, deviation=DEVIATION, difference=number(numbers["difference"])
    )


def start_without_noise(results: Results) -> Evidence:
    """The read-me starts from singular vectors without noise."""
    rng = np.random.default_rng(1)
    ratings = rng.standard_normal((USERS, MOVIES)) * (rng.random((USERS, MOVIES)) < DENSITY)
    tops = [np.linalg.svd(rows, full_matrices=False)[2][:RANK] for rows in (ratings, ratings[:-1])]
    cosines = np.linalg.svd(tops[0] @ tops[1].T, compute_uv=False)
    angle = float(np.degrees(np.arccos(min(cosines.min(), 1.0))))
    return Evidence({"angle": angle}, users=USERS, rank=RANK)


def node_step(results: Results) -> Evidence:
    """A node has one column, from which it is to find all of U."""
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((USERS, RANK)), rng.standard_normal((MOVIES, RANK))
    matrix = users @ items.T
    seen = rng.random(matrix.shape) < DENSITY
    # the shortest U that fits column j exactly: row i is M_ij V_j / |V_j|^2, 0 where not seen
    fitted = np.where(seen, matrix, 0) / np.square(items).sum(axis=1)
    averaged = fitted @ items / MOVIES
    jointly = np.array(
        [
            np.linalg.lstsq(items[own], row[own], rcond=None)[0]
            for own, row in zip(seen, matrix, strict=True)
        ]
    )
    numbers = {"rated": int(seen.sum(axis=1).min())}
    for which, found in (("averaged", averaged), ("jointly", jointly)):
        error = np.linalg.norm(found @ items.T - matrix) / np.linalg.norm(matrix)
        # U may be off by a factor: let V be solved for once more
        again = [
            np.linalg.lstsq(found[own], column[own], rcond=None)[0]
            for own, column in zip(seen.T, matrix.T, strict=True)
        ]
        refitted = np.linalg.norm(found @ np.array(again).T - matrix) / np.linalg.norm(matrix)
        numbers |= {which: float(error), f"{which}_refitted": float(refitted)}
    return Evidence(
        numbers,
        users=USERS,
        movies=MOVIES,
        rank=RANK,
        density=DENSITY,
        jointly=f"{numbers['jointly']:.0e}".replace("-", "−"),
    )


def one_direction(results: Results) -> Evidence:
    """A node's median over groups of entries is 0, and its orthonormal basis one column."""
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((USERS, RANK)), rng.standard_normal((MOVIES, RANK))
    matrix = users @ items.T
    groups = np.where(
        rng.random(matrix.shape) < DENSITY, rng.integers(GROUPS, size=matrix.shape), -1
    )
    # the shortest U that fits a group of column 0 exactly, one for each group
    shortest = [
        np.outer(np.where(groups[:, 0] == group, matrix[:, 0], 0), items[0] / (items[0] @ items[0]))
        for group in range(GROUPS)
    ]
    values = np.linalg.svd(np.sum(shortest, axis=0), compute_uv=False)
    basis = np.linalg.qr(users)[0]
    fitted = basis.T @ matrix
    ended = basis @ (fitted / np.linalg.norm(fitted, axis=0))
    # the published end may be off by a factor, the same for all nodes
    ended *= (ended * matrix).sum() / (ended**2).sum()
    numbers = {
        "median": float(np.abs(np.median(shortest, axis=0)).max()),
        "directions": int((values > 1e-10 * values[0]).sum()),
        "unit_length": float(np.linalg.norm(ended - matrix) / np.linalg.norm(matrix)),
    }
    return Evidence(numbers, users=USERS, movies=MOVIES, rank=RANK, density=DENSITY, groups=GROUPS)


def growth_with_items(results: Results) -> Evidence:
    """Theorem 2 has a factor sqrt(m) that table 1 and remark 6 do not have."""
    fits = slopes(results.get("trials"))
    here = fits[(fits["along"] == IN_ITEMS) & (fits["method"] == "dpals")]
    numbers = {"theorem": stated_slope("dpals", IN_ITEMS, (250, 2000)), "remark": RATE_IN_ITEMS}
    numbers |= {f"epsilon_{row.at:g}": float(row.slope) for row in here.itertuples()}
    measured = here[["slope", "low", "high", "at"]].to_dict("records")
    return Evidence(numbers, () if measured else ["measured"], measured=measured)


def program_of_altmin(results: Results) -> Evidence:
    """The Matlab program of DP-AltMin has one number of noise, and factors grow to its size."""
    ratios = []
    for draw in range(PROGRAM_DRAWS):
        rng = np.random.default_rng([1, draw])
        factors = [rng.standard_normal((side, PROGRAM_RANK)) for side in PROGRAM_SIDES]
        matrix = factors[0] @ factors[1].T
        errors = [
            altmin_program(matrix, epsilon, np.random.default_rng([2, draw])) for epsilon in BUDGETS
        ]
        ratios.append(errors[0] / errors[1])
    numbers = {"lowest": float(min(ratios)), "highest": float(max(ratios))}
    return Evidence(
        numbers,
        draws=PROGRAM_DRAWS,
        users=PROGRAM_SIDES[0],
        movies=PROGRAM_SIDES[1],
        rank=PROGRAM_RANK,
        strict=BUDGETS[0],
        loose=BUDGETS[1],
        ratio=(BUDGETS[1] / BUDGETS[0]) ** 2,
    )


def altmin_program(matrix: np.ndarray, epsilon: float, rng: np.random.Generator) -> float:
    """Return the RMSE over all entries that altermin_matrix.m ends at, its constants as they are.

    ``matrix`` has shape (users, items).
    """
    steps, delta, observed = 10, 1e-6, 0.75
    seen = rng.random(matrix.shape) <= observed
    ratings = np.where(seen, matrix, 0.0)
    longest = np.linalg.norm(ratings, axis=1).max()
    sigma = longest**2 * np.sqrt(32 * steps * np.log(1 / delta)) / epsilon
    users = rng.integers(0, 6, (len(matrix), np.linalg.matrix_rank(matrix))).astype(float)
    for _ in range(steps):
        items = _fitted(users, ratings.T, seen.T)
        users = _fitted(items, ratings, seen) + sigma**2 * steps * rng.standard_normal()
    return float(np.sqrt(np.mean((users @ items.T - matrix) ** 2)))


def _fitted(factors: np.ndarray, ratings: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return for each row of ratings its least squares fit by the factors of what is seen."""
    pairs = zip(ratings, seen, strict=True)
    return np.array([np.linalg.pinv(own[:, None] * factors) @ row for row, own in pairs])
