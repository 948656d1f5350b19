"""How many of the ratings the most rated items hold, by how the ratings of users are sampled.

Source: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021), section 5.1 and figure 2.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.ratings import Ratings
from dpmc.studies.dpals.data import ratings_of, sampled
from dpmc.study.seeds import stream
from dpmc.study.task import Task

SAMPLINGS = ("full", "uniform", "adaptive")
ITEM_SHARES = tuple(np.linspace(0.01, 1, 100).round(2).tolist())


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Return the rows of the table ``coverage``."""
    return {"coverage": coverage(task.settings, ratings_of(task))}


def coverage(settings: Mapping, ratings: Ratings) -> Iterator[dict[str, object]]:
    """Yield the share of the ratings that the most rated items hold.

    Parameters
    ----------
    settings : mapping
        What :func:`dpmc.studies.dpals.cells.coverage_settings` returns.
    ratings : Ratings

    Yields
    ------
    dict
        Keys :data:`dpmc.studies.dpals.cells.COVERAGE_COLUMNS`: for all ratings ("full"), and for at
        most k of each user, chosen at random or those of the least rated items by exact counts.
        The Gini coefficient is that of the numbers of ratings of all items.
    """
    most = settings["ratings_per_user"]
    for sampling in SAMPLINGS:
        key = {"dataset": settings["dataset"], "sampling": sampling}
        rng = stream(settings["seed"], "coverage", key)
        full = sampling == "full"
        chosen = ratings if full else sampled(ratings, most, sampling, rng)
        counts = np.bincount(chosen.items, minlength=ratings.n_items)
        shares = np.cumsum(np.sort(counts)[::-1]) / counts.sum()
        for item_share in ITEM_SHARES:
            yield {
                "dataset": settings["dataset"],
                "sampling": sampling,
                "ratings_per_user": None if full else most,
                "item_share": item_share,
                "rating_share": float(shares[max(1, round(item_share * counts.size)) - 1]),
                "gini": gini(counts),
            }


def gini(counts: np.ndarray) -> float:
    """Return the Gini coefficient of non-negative numbers: 0 if all are equal, near 1 at most."""
    ascending = np.sort(counts)
    ranks = 2 * np.arange(1, counts.size + 1) - counts.size - 1
    return float((ranks * ascending).sum() / (counts.size * ascending.sum()))
