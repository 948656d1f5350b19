"""Errata of the one-bit paper: its data and text.

"One-bit paper" is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential
privacy" (arXiv:2110.00719).
"""

import numpy as np

from dpmc.datasets.onebit import MEAN, binarise, first_split
from dpmc.methods.onebit.labels import MECHANISM_LABELS
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.frames import PUBLISHED
from dpmc.study.erratum import WITHOUT_CONSEQUENCE, Erratum
from dpmc.study.finding import NOT_AVAILABLE

DRAWS = 10_000
SIDE = 100  # of the paper's matrices
TRAINING = 0.8
TEST = 20_000  # lines of the split u1 of MovieLens 100K


def largest_entry(name: str, sources: Sources) -> Erratum:
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
    return Erratum(
        name,
        "The matrix is divided by its largest entry, not its largest absolute entry",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, section 5",
        "M = M1 M2ᵀ / max M_ij, and ‖M‖∞ ≤ α = 1.",
        "M1 M2ᵀ / max |M_ij|: a negative entry can be the largest in size. dpmc divides by that.",
        f"In {DRAWS:,} draws of rank 1 and {SIDE} × {SIDE} the published rule leaves ‖M‖∞ above α "
        f"in {100 * numbers['share']:.1f} %, by up to {100 * (numbers['largest'] - 1):.1f} %.",
        numbers,
    )


def figure_one(name: str, sources: Sources) -> Erratum:
    """The text of figure 1 counts three mechanisms."""
    names = [MECHANISM_LABELS[key].partition(",")[0] for key in PUBLISHED]
    return Erratum(
        name,
        "Three mechanisms for four",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, text of figure 1",
        "The figure compares three private mechanisms.",
        "Four: the paper proposes and runs each of them.",
        f"{len(names)} are run here: {', '.join(names)}.",
        {"mechanisms": len(names)},
    )


def restaurant_density(name: str, sources: Sources) -> Erratum:
    """The published density of the restaurant data is that of the training part."""
    numbers, evidence = {}, f"{NOT_AVAILABLE.capitalize()}."
    if "restaurant" in sources.ratings:
        ratings = sources.ratings["restaurant"]
        numbers = {"density": ratings.density, "training": TRAINING * ratings.density}
        evidence = (
            f"{len(ratings):,} ratings of {ratings.n_users} users and {ratings.n_items} "
            f"restaurants are {ratings.density:.2%} of the matrix; an 80/20 split leaves "
            f"{numbers['training']:.2%} for training."
        )
    return Erratum(
        name,
        "Density of the restaurant data",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, section 5",
        "5.2 % of the entries are observed.",
        "That is the training share of an 80/20 split.",
        evidence,
        numbers,
    )


def threshold(name: str, sources: Sources) -> Erratum:
    """Which mean MovieLens is cut at."""
    numbers, evidence = {}, f"{NOT_AVAILABLE.capitalize()}."
    if "ml-100k" in sources.ratings and len(sources.ratings["ml-100k"]) > TEST:
        ratings = sources.ratings["ml-100k"]
        training, test = first_split(ratings, TEST)
        signs = binarise(ratings, MEAN).values
        numbers = {
            "mean": float(ratings.values.mean()),
            "training_mean": float(training.values.mean()),
            "changed": int(
                (signs != np.where(ratings.values > training.values.mean(), 1, -1)).sum()
            ),
            "test_share": float((test.values > ratings.values.mean()).mean()),
        }
        evidence = (
            f"The mean of all ratings is {numbers['mean']:.3f}, of the training ratings "
            f"{numbers['training_mean']:.3f}; both cut between 3 and 4, and {numbers['changed']} "
            f"signs differ. {numbers['test_share']:.2%} of the test signs are +1."
        )
    return Erratum(
        name,
        "The mean that MovieLens is cut at",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, section 5",
        "Ratings are cut at the mean of all ratings.",
        "That mean looks at the test part and is computed from private values. It does no harm "
        "here only because every mean between 3 and 4 makes the same signs.",
        evidence,
        numbers,
    )
