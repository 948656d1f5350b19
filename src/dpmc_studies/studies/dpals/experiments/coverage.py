"""The share of ratings that the most rated items hold, for several ways to sample users' ratings.

Source: [Chien 2021], section 5.1 and figure 2.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpmc.errors import InputError, refuse_unknown
from dpmc.ratings import Compressed, Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.entries import inputs_of, stored
from dpmc_studies.frame.jobs.seeds import stream
from dpmc_studies.frame.jobs.task import Task

FULL, SHUFFLED = "full", "shuffled"
SAMPLINGS = (FULL, "uniform", "adaptive", SHUFFLED)
ITEM_SHARES = tuple(np.linspace(0.01, 1, 100).round(2).tolist())
COVERAGE_COLUMNS = (
    "dataset", "sampling", "ratings_per_user", "item_share", "rating_share", "gini",
    "count_correlation",
)  # fmt: skip


@dataclass(frozen=True)
class DataCell(Cell):
    """A data set whose popularity is measured."""

    dataset: str


def cells(section: Section) -> list[DataCell]:
    """Return the data sets: whole files, because drawn ratings have no popularity."""
    names = section["coverage"]["datasets"]
    refuse_unknown("data set in dpals.datasets", names, section["datasets"])
    for name in names:
        if stored(section, name) != name:
            raise InputError(
                f"dpals.coverage.datasets has {name}, drawn or a part of another data set; "
                "name whole data sets only."
            )
    return [DataCell(name) for name in names]


def settings(section: Section, cell: DataCell) -> dict[str, object]:
    """Return the seed, the data set, and how many ratings of a user are sampled."""
    most = section["coverage"]["ratings_per_user"]
    return {"seed": section["seed"], "dataset": cell.dataset, "ratings_per_user": most}


def run(task: Task) -> Iterator[dict[str, object]]:
    """Yield the share of the ratings that belongs to the most rated items, for four samplings.

    Rows have the keys :data:`COVERAGE_COLUMNS`. "full" takes all ratings; the others take at most k
    of each user. "uniform" chooses at random, and "adaptive" chooses the user's ratings of the
    least rated items, by exact counts. "shuffled" first permutes the items of all ratings at
    random, so that an item's number of ratings is unrelated to its users, and then chooses at
    random.

    The Gini coefficient is of the numbers of ratings per item. The correlation is over all ratings,
    between the logarithms of the user's and of the item's number of ratings.
    """
    settings, ratings = task.settings, task.ratings
    most = settings["ratings_per_user"]
    for sampling in SAMPLINGS:
        key = {"dataset": settings["dataset"], "sampling": sampling}
        rng = stream(settings["seed"], "coverage", key)
        full = sampling == FULL
        correlation = None
        if full:
            sides = ((ratings.users, ratings.n_users), (ratings.items, ratings.n_items))
            logs = [np.log(np.bincount(side, minlength=size)[side]) for side, size in sides]
            correlation = float(np.corrcoef(*logs)[0, 1])
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
    # both import numba
    from dpmc.methods.private_choice import choose_ratings
    from dpmc_studies.studies.dpals.data import sampled

    if sampling != SHUFFLED:
        return sampled(ratings, most, sampling, rng).items
    rows = ratings.by_user
    shuffled = Compressed(rows.indptr, rng.permutation(rows.indices), rows.values)
    return choose_ratings(shuffled, most, int(rng.integers(2**63))).indices


def gini(counts: np.ndarray) -> float:
    """Return the Gini coefficient of non-negative numbers: 0 if all are equal, near 1 at most."""
    ascending = np.sort(counts)
    ranks = 2 * np.arange(1, counts.size + 1) - counts.size - 1
    return float((ranks * ascending).sum() / (counts.size * ascending.sum()))


TABLES = {"coverage": COVERAGE_COLUMNS}
CELL = DataCell
inputs = inputs_of
