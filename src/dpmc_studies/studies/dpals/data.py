"""How the data of a trial reach a method that sees a part of them."""

from dataclasses import dataclass

import numpy as np

from dpmc.methods.private_choice import choose_ratings
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.sampling import choose_rare


@dataclass(frozen=True, eq=False)
class Restricted:
    """A model of a part of the items; for other items it predicts the user's mean.

    ``model`` numbers only the items that it has. ``number``, shape (n_items,), maps an item to its
    number in the model, or to -1. ``means``, shape (n_users,), is float64.
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
