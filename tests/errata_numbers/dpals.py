"""What shows the errata of DPALS on which no conclusion rests."""

import numpy as np

from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.methods.user_level.item_step import solve_items, solve_items_as_published
from dpmc_studies.studies.dpals.errata.method import RANK
from dpmc_studies.studies.dpals.frames import number

ROWS, ITEMS, STRENGTH = 10_000, 2000, 3.0  # of the draws; size of H in units of its noise


def clipping(results) -> Evidence:
    """The clip of a user's row has max for min."""
    rows = np.random.default_rng(1).standard_normal((ROWS, RANK))
    lengths = np.linalg.norm(rows, axis=1)
    reported = lengths * np.maximum(1, 1 / lengths)
    right = lengths * np.minimum(1, 1 / lengths)
    numbers = {
        "above": float((reported > 1 + 1e-9).mean()),
        "largest": float(reported.max()),
        "largest_right": float(right.max()),
    }
    return Evidence(
        numbers,
        rows=ROWS,
        rank=RANK,
        above_percent=100 * numbers["above"],
        largest_squared=numbers["largest"] ** 2,
    )


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
        numbers |= {which: float(np.mean(error)), f"median_{which}": float(np.median(error))}
    return Evidence(
        numbers,
        items=ITEMS,
        rank=RANK,
        strength=STRENGTH,
        reported=number(numbers["reported"]),
        right=number(numbers["right"]),
        median_reported=number(numbers["median_reported"]),
        median_right=number(numbers["median_right"]),
    )


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
    "E34": clipping,
    "E35": order_of_the_projection,
    "E97": last_rows,
    "E98": share_of_frequent_items,
    "E99": parts_with_replacement,
}
