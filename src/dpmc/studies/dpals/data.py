"""The data of a trial of private factorisation at user level, and how they reach a method.

The data depend on data set and trial only, so methods, variants and epsilons are compared on the
same ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpmc.frame.jobs.cells import is_drawn
from dpmc.frame.jobs.seeds import DATA, stream
from dpmc.frame.jobs.task import Task
from dpmc.methods.private_choice import choose_ratings
from dpmc.methods.user_level.sampling import choose_rare
from dpmc.ratings import Ratings
from dpmc.studies.dpals.cells import GENERATED, LIANG
from dpmc.studies.dpals.splits import TEST, Split, select, split_ratings, split_users
from dpmc.studies.dpals.synthetic import share_observed, synthetic


def ratings_of(task: Task) -> Ratings | None:
    """Return the stored ratings that a job reads, real or generated; None if it draws its own."""
    path = task.inputs.get(GENERATED)
    return task.ratings if path is None else Ratings.load(path)


def make_split(
    dataset: str,
    settings: Mapping,
    trial: int,
    ratings: Ratings | None = None,
    *,
    part: str = TEST,
) -> Split:
    """Return the data of a trial.

    ``settings`` is what :func:`dpmc.studies.dpals.settings.dpals_settings` returns, ``ratings`` the
    whole data set that ``dataset`` is made of, where it is not drawn. ``part``, "test" or
    "validation", is what the ``test`` of the result is; of drawn data both are fresh entries.
    """
    entry = settings["data"]
    rng = stream(settings["seed"], DATA, {"dataset": dataset, "trial": trial})
    if is_drawn(entry):
        return draw(rng, entry, dataset)
    ratings = select(rng, ratings, entry)
    if entry.get("split") == LIANG:
        return split_users(rng, ratings, entry["heldout_users"], part=part)
    shares = entry["training_share"], entry["test_share"]
    return split_ratings(rng, ratings, *shares, part=part)


def draw(rng: np.random.Generator, entry: Mapping, name: str) -> Split:
    """Draw the matrix that an entry of ``dpals.datasets`` describes."""
    users, items = entry["users"], entry["items"]
    share = entry.get("observed_fraction") or share_observed(users, items, entry["ratings_factor"])
    return synthetic(
        rng,
        users=users,
        items=items,
        rank=entry["rank"],
        share=share,
        test_entries=entry["test_entries"],
        max_norm=entry.get("max_norm", False),
        noise=entry.get("noise", 0.0),
        name=name,
    )


@dataclass(frozen=True, eq=False)
class Restricted:
    """A model of some of the items; others are predicted by the user's mean.

    ``model`` is of the items that are left, numbered anew: ``number``, shape (n_items,), has the
    new numbers, -1 for those left out. ``means``, shape (n_users,), are float64.
    """

    model: object
    number: np.ndarray
    means: np.ndarray

    def predict(self, users: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return predicted ratings for pairs."""
        number = self.number[items]
        kept = number >= 0
        predicted = self.means[users]
        predicted[kept] = self.model.predict(users[kept], number[kept])
        return predicted


def restricted(training: Ratings, item_share: float) -> tuple[Ratings, np.ndarray]:
    """Return the ratings of the items with the most ratings, and the new numbers of the items.

    ``item_share`` of the items stay, at least one.
    """
    counts = np.bincount(training.items, minlength=training.n_items)
    kept = np.argsort(-counts, kind="stable")[: max(1, round(item_share * counts.size))]
    number = np.full(counts.size, -1)
    number[np.sort(kept)] = np.arange(kept.size)
    rows = training.by_user.columns(np.sort(kept), counts.size)
    return Ratings.from_rows(rows, kept.size, name=training.name), number


def sampled(
    training: Ratings, ratings_per_user: int, sampling: str, rng: np.random.Generator
) -> Ratings:
    """Return at most so many ratings of each user, chosen as DPALS does but by exact counts."""
    rows = training.by_user
    if sampling == "adaptive":
        counts = np.bincount(training.items, minlength=training.n_items).astype(float)
        rows = choose_rare(rows, ratings_per_user, counts)
    else:
        rows = choose_ratings(rows, ratings_per_user, int(rng.integers(2**63)))
    return Ratings.from_rows(rows, training.n_items, name=training.name)
