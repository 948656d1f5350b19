"""Small fits of the private methods that DPALS is compared with, and their neighbours."""

import numpy as np

from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.ratings import Ratings
from dpmc_studies.methods import method_class

LOW, HIGH = 1.0, 5.0
RELATIONS = ("user_add_remove", "user_replace")
BUDGET = {"epsilon": 3.0, "rating_range": (LOW, HIGH)}
WALKS = {"row_bound": 2.5, "nuclear_bound": 12.0, "iterations": 3}
FREQUENT = {"item_share": 0.5, "counts_share": 0.1, "ratings_per_user": 4}
CASES = {
    "dpfw": ("dpfw", WALKS),
    "dpfw_jain": ("dpfw", WALKS | {"noise": "jain", "slack": True, "rescale": False}),
    "dpfw_residual": ("dpfw", WALKS | {"noise": "residual_clip", "centring": "user"}),
    "dpfw_oja": ("dpfw", WALKS | {"eigenvector": "oja", "products": 2}),
    "dpfw_jain_oja": ("dpfw", WALKS | {"noise": "jain", "eigenvector": "oja", "products": 2}),
    "dpfw_frequent": ("dpfw", WALKS | FREQUENT),
    "dpfw_jain_frequent": ("dpfw", WALKS | FREQUENT | {"noise": "jain"}),
    "dp_svd": ("dp_svd", {"rank": 2, "row_bound": 2.5}),
    "dp_svd_regression": (
        "dp_svd", {"rank": 2, "row_bound": 2.5, "users": "regression", "centring": "global"}
    ),
    "dp_svd_frequent": ("dp_svd", {"rank": 2, "row_bound": 2.5} | FREQUENT),
    "dp_altmin": (
        "dp_altmin", {"rank": 2, "row_bound": 2.5, "update_bound": 1.5, "item_ratings": 7}
    ),
    "dp_altmin_frequent": (
        "dp_altmin",
        {"rank": 2, "row_bound": 2.5, "update_bound": 1.5, "item_ratings": 7} | FREQUENT,
    ),
    "dp_saltls": (
        "dp_saltls", {"rank": 2, "ratings_per_user": 4, "value_bound": 1.5, "factor_bound": 0.7}
    ),
    "dp_saltls_groups": (
        "dp_saltls", {"rank": 2, "groups": 3, "centring": "user"} | FREQUENT
    ),
}  # fmt: skip
GRADIENT = {
    "rank": 2, "update_bound": 1.5, "item_ratings": 7, "ratings_per_user": 4, "row_bound": 2.5,
}  # fmt: skip
WEIGHTED = {"sampling": "weights", "counts_share": 0.1}
FOUND_BY_THEMSELVES = {
    "dp_gradient": ("dp_gradient", GRADIENT),
    "dpam": ("dp_gradient", GRADIENT | WEIGHTED | {"start": "normal", "inner_iterations": 3}),
    "dp_gradient_frequent": (
        "dp_gradient",
        GRADIENT | {"item_share": 0.5, "counts_share": 0.1, "mean_share": 0.1},
    ),
    "dp_effects": ("dp_effects", {"rank": 2, "item_share": 1.0}),
    "dp_effects_pairs": ("dp_effects", {"rank": 2, "pairs_share": 0.4, "item_share": 0.5}),
}
"""Cases whose offsets, or choice of items, are other than those of the above."""
EVERY = CASES | FOUND_BY_THEMSELVES


def build(case, relation="user_add_remove", **given):
    """Construct a method with small settings."""
    name, settings = EVERY[case]
    return method_class(name)(relation=relation, **(BUDGET | settings | given))


def noised(model, ratings, seed=0):
    """Fit and return the transcript."""
    noise = FloatNoise(model.calibration.noise, np.random.default_rng(seed + 100))
    return _kept(model, ratings, noise, seed)


def replayed(model, ratings, outputs, seed=0):
    """Fit with the outputs of another run and return the transcript."""
    return _kept(model, ratings, Replay(outputs), seed)


def _kept(model, ratings, noise, seed):
    ledger = Ledger(noise, model.releases, keep=True)
    model.fit(ratings, rng=seed, ledger=ledger)
    return ledger.transcript


def neighbours(relation, ratings, rng):
    """Yield neighbours that differ in a user as much as they may."""
    n_users, n_items = ratings.n_users, ratings.n_items
    user = int(rng.integers(n_users - 1))  # the last one has no ratings
    kept = ratings.take(ratings.users != user)
    if relation == "user_add_remove":
        yield kept
        base, place = ratings, n_users - 1
    else:
        base, place = kept, user
    for number in (1, n_items):  # one huge rating, or as many as there are
        items = rng.permutation(n_items)[:number]
        yield Ratings(
            np.append(base.users, np.full(number, place)),
            np.append(base.items, items),
            np.append(base.values, rng.choice([-100.0, 100.0], number)),
            n_users,
            n_items,
        )
