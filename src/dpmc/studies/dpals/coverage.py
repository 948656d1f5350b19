"""How many of the ratings the most rated items hold, by how the ratings of users are sampled.

Source: [Chien 2021], section 5.1 and figure 2.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.frame.jobs.seeds import stream
from dpmc.frame.jobs.task import Task
from dpmc.methods.private_choice import choose_ratings
from dpmc.ratings import Compressed, Ratings
from dpmc.studies.dpals.data import ratings_of, sampled

FULL, SHUFFLED = "full", "shuffled"
SAMPLINGS = (FULL, "uniform", "adaptive", SHUFFLED)
ITEM_SHARES = tuple(np.linspace(0.01, 1, 100).round(2).tolist())


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Return the rows of the table ``coverage``."""
    return {"coverage": coverage(task.settings, ratings_of(task))}


def coverage(settings: Mapping, ratings: Ratings) -> Iterator[dict[str, object]]:
    """Yield the share of the ratings that the most rated items hold.

    Rows have the keys :data:`dpmc.studies.dpals.cells.COVERAGE_COLUMNS`: for all ratings ("full"),
    and for at most k of each user, chosen at random ("uniform"), those of the least rated items by
    exact counts ("adaptive"), or chosen at random after all ratings changed their items at random
    ("shuffled"), so that how many ratings an item has tells nothing of its users.

    The Gini coefficient is that of the numbers of ratings of all items; the correlation is over all
    ratings, of the logarithms of the user's and of the item's number of ratings. ``settings`` is
    what :func:`dpmc.studies.dpals.settings.coverage_settings` returns.
    """
    most = settings["ratings_per_user"]
    for sampling in SAMPLINGS:
        key = {"dataset": settings["dataset"], "sampling": sampling}
        rng = stream(settings["seed"], "coverage", key)
        full = sampling == FULL
        correlation = count_correlation(ratings) if full else None
        chosen = ratings.items if full else items_chosen(ratings, most, sampling, rng)
        counts = np.bincount(chosen, minlength=ratings.n_items)
        shares = np.cumsum(np.sort(counts)[::-1]) / counts.sum()
        for item_share in ITEM_SHARES:
            yield {
                "dataset": settings["dataset"],
                "sampling": sampling,
                "ratings_per_user": None if full else most,
                "item_share": item_share,
                "rating_share": float(shares[max(1, round(item_share * counts.size)) - 1]),
                "gini": gini(counts),
                "count_correlation": correlation,
            }


def items_chosen(
    ratings: Ratings, most: int, sampling: str, rng: np.random.Generator
) -> np.ndarray:
    """Return the items of at most so many ratings of each user, shape (n_chosen,)."""
    if sampling != SHUFFLED:
        return sampled(ratings, most, sampling, rng).items
    rows = ratings.by_user
    shuffled = Compressed(rows.indptr, rng.permutation(rows.indices), rows.values)
    return choose_ratings(shuffled, most, int(rng.integers(2**63))).indices


def count_correlation(ratings: Ratings) -> float:
    """Return the correlation, over ratings, of log numbers of ratings of user and of item."""
    of_users = np.bincount(ratings.users, minlength=ratings.n_users)[ratings.users]
    of_items = np.bincount(ratings.items, minlength=ratings.n_items)[ratings.items]
    return float(np.corrcoef(np.log(of_users), np.log(of_items))[0, 1])


def gini(counts: np.ndarray) -> float:
    """Return the Gini coefficient of non-negative numbers: 0 if all are equal, near 1 at most."""
    ascending = np.sort(counts)
    ranks = 2 * np.arange(1, counts.size + 1) - counts.size - 1
    return float((ranks * ascending).sum() / (counts.size * ascending.sum()))
