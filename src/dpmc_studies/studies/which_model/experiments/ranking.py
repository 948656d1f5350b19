"""How well do models rank what users like? Lists of 20, all items as candidates.

The private models are the ranking model of ``dpmc fit`` (local EASE), noised popularity alone, and
Local Bayes by its predicted ratings, without and with a term for how often items are rated.
Popularity and EASE without privacy show the limits. All items are candidates, except those that the
user rated in training. Recall over min(20, number liked) and NDCG measure how high the list ranks
the held-out items that the user likes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dpmc_studies.datasets.parts import Split
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES
from dpmc_studies.studies.which_model.settings import data_settings

WITH_SHARE = "local_bayes_share"
PRIVATE = ("local_ease", "private_popularity", LOCAL_BAYES, WITH_SHARE)
LIMITS = ("popularity", "ease")


@dataclass(frozen=True)
class RankingCell(Cell):
    """One point of the grid with all its trials; epsilon is None without privacy."""

    dataset: str
    method: str
    epsilon: float | None


COLUMNS = (*RankingCell.names(), "trial", "users", "rmse", "recall", "ndcg", "fell_back")


def cells(section: Section) -> list[RankingCell]:
    """Return every cell: a data set, a method and a budget, or none."""
    given, found = section["ranking"], []
    for dataset in given["datasets"]:
        for epsilon in map(float, given["epsilons"]):
            found += [RankingCell(dataset, method, epsilon) for method in PRIVATE]
        found += [RankingCell(dataset, method, None) for method in LIMITS]
    return found


def settings(section: Section, cell: RankingCell) -> dict[str, object]:
    """Return exactly what a cell uses."""
    given = section["ranking"]
    own = {"likes_from": given["likes_from"][cell.dataset]}
    own |= {"log_share": given["log_share"]} if cell.method == WITH_SHARE else {}
    own |= {"ridge": given["ridge"]} if cell.method == "ease" else {}
    return data_settings(section, cell, given["trials"]) | own


def run(task: Task) -> list[dict[str, object]]:
    """Rank by all models at all budgets; one fit of Local Bayes for the lists of both."""
    # these import numba
    import numpy as np

    from dpmc.methods.kernels.top_lists import mean_on_top
    from dpmc_studies.statistics.errors import rmse
    from dpmc_studies.studies.which_model.lists import (
        BY_RATINGS,
        RANKED,
        Lists,
        LocalBayesWithShares,
    )
    from dpmc_studies.studies.which_model.trial import budget_of, run_trials

    known: dict[tuple[float, int], LocalBayesWithShares] = {}

    def fit(cell: RankingCell, settings: Mapping, trial: int, split: Split) -> Lists:
        # Local Bayes is the same with and without a term for popularity
        name = LOCAL_BAYES if cell.method == WITH_SHARE else cell.method
        rngs = [
            RankingCell(cell.dataset, name, cell.epsilon).stream(
                settings["seed"], purpose, trial=trial
            )
            for purpose in (START, NOISE)
        ]
        generators = dict(zip(("rng", "noise_rng"), rngs, strict=True))
        given, place = budget_of(cell, settings), (cell.epsilon, trial)
        if cell.method in RANKED:
            return RANKED[cell.method](settings, split.training, given, generators)
        if place not in known:
            known[place] = LocalBayesWithShares(**given).fit(split.training, **generators)
        return BY_RATINGS[cell.method](settings, known[place])

    def row(cell, settings, trial, split, lists, seconds) -> dict[str, object]:
        test = split.test
        liked = test.take(test.values >= settings["likes_from"]).by_user
        recall, ndcg = mean_on_top(
            lists.scores.__getitem__, test.n_items, split.training.by_user, liked
        )
        error = None
        if lists.predicted is not None:
            error = rmse(lists.predicted[test.users, test.items], test.values)
        return cell.coordinates() | {
            "trial": trial,
            "users": int(np.count_nonzero(liked.sizes)),
            "rmse": error,
            "recall": recall,
            "ndcg": ndcg,
            "fell_back": int(lists.fell_back),
        }

    return run_trials(task, fit, row=row)


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return ["dpmc.mechanisms.gaussian"]


TABLES = {"ranking": COLUMNS}
CELL = RankingCell
BY = ("dataset",)
inputs = inputs_of
