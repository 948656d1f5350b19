"""The data of a trial, which depend on the data set and the trial only.

Methods, variants and epsilons are therefore compared on the same data.
"""

from collections.abc import Mapping

import numpy as np

from dpmc.ratings import Ratings
from dpmc_studies.datasets.drawn import share_observed, synthetic
from dpmc_studies.datasets.parts import LIANG, TEST, Split, select, split_ratings, split_users
from dpmc_studies.datasets.popular import popular
from dpmc_studies.frame.jobs.cells import is_drawn
from dpmc_studies.frame.jobs.seeds import DATA, stream


def make_split(
    dataset: str,
    settings: Mapping,
    trial: int,
    ratings: Ratings | None = None,
    *,
    part: str = TEST,
) -> Split:
    """Return the data of a trial.

    ``settings`` have the ``seed`` and, as ``data``, the entry of the data set. ``ratings`` are the
    stored ratings, None if the job makes the data. ``part``, "test" or "validation", is the part
    that the result holds as ``test``; both parts of random matrices are fresh entries.
    """
    entry = settings["data"]
    rng = stream(settings["seed"], DATA, {"dataset": dataset, "trial": trial})
    if is_drawn(entry):
        return draw(rng, entry, dataset)
    if "like" in entry:
        ratings = popular(settings["seed"], entry["scale"])
    ratings = select(rng, ratings, entry)
    if entry.get("split") == LIANG:
        return split_users(rng, ratings, entry["heldout_users"], part=part)
    shares = entry["training_share"], entry["test_share"]
    return split_ratings(rng, ratings, *shares, part=part)


def draw(rng: np.random.Generator, entry: Mapping, name: str) -> Split:
    """Draw the random matrix that an entry of a section's ``datasets`` describes."""
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
