"""Errata of the one-bit paper: its data and text.

"One-bit paper" is [Li 2021].
"""

import numpy as np

from dpmc.frame.showing.erratum import Evidence
from dpmc.mechanisms import Laplace
from dpmc.methods.onebit.labels import MECHANISM_LABELS
from dpmc.methods.onebit.signs import MEAN, binarise
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.frames import PUBLISHED
from dpmc.studies.onebit.instances import first_split

DRAWS = 10_000
NOISES = 100_000
STEPS = 5
SIDE = 100  # of the paper's matrices
TRAINING = 0.8
TEST = 20_000  # lines of the split u1 of MovieLens 100K


def largest_entry(sources: Sources) -> Evidence:
    """M is divided by its largest entry, not by its largest absolute entry."""
    rng = np.random.default_rng(1)
    ends = []
    for _ in range(2):
        factor = rng.uniform(-0.5, 0.5, (DRAWS, SIDE))
        ends.append(np.stack([factor.min(axis=1), factor.max(axis=1)], axis=1))
    # the extremes of an outer product are products of extremes
    products = (ends[0][:, :, None] * ends[1][:, None, :]).reshape(DRAWS, 4)
    ratio = np.abs(products).max(axis=1) / products.max(axis=1)
    numbers = {"share": float((ratio > 1).mean()), "largest": float(ratio.max())}
    return Evidence(
        numbers,
        draws=DRAWS,
        side=SIDE,
        share_percent=100 * numbers["share"],
        largest_percent=100 * (numbers["largest"] - 1),
    )


def figure_one(sources: Sources) -> Evidence:
    """The text of figure 1 counts three mechanisms."""
    names = [MECHANISM_LABELS[key].partition(",")[0] for key in PUBLISHED]
    return Evidence({"mechanisms": len(names)}, mechanisms=len(names), names=", ".join(names))


def variance(sources: Sources) -> Evidence:
    """The variance of Laplace noise is not its scale."""
    noise = Laplace(1.0).rvs(NOISES, np.random.default_rng(1))
    return Evidence({"variance": float(noise.var())}, count=NOISES)


def counter(sources: Sources) -> Evidence:
    """The number of a step for that of all steps."""
    total = sum(1 / k for k in range(1, STEPS + 1))
    return Evidence({"total": total, "right": sum([1 / STEPS] * STEPS)}, steps=STEPS)


def restaurant_density(sources: Sources) -> Evidence:
    """The published density of the restaurant data is that of the training part."""
    ratings = sources.ratings.get("restaurant")
    if ratings is None:
        return Evidence({}, ["measured"])
    return Evidence(
        {"density": ratings.density, "training": TRAINING * ratings.density},
        ratings=len(ratings),
        users=ratings.n_users,
        restaurants=ratings.n_items,
    )


def threshold(sources: Sources) -> Evidence:
    """Which mean MovieLens is cut at."""
    ratings = sources.ratings.get("ml-100k", ())
    if len(ratings) <= TEST:
        return Evidence({}, ["measured"])
    training, test = first_split(ratings, TEST)
    signs = binarise(ratings, MEAN).values
    others = np.where(ratings.values > training.values.mean(), 1, -1)
    return Evidence(
        {
            "mean": float(ratings.values.mean()),
            "training_mean": float(training.values.mean()),
            "changed": int((signs != others).sum()),
            "test_share": float((test.values > ratings.values.mean()).mean()),
        }
    )
