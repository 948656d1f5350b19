"""Small fits of the private methods at user level, and their neighbours."""

from dataclasses import replace

import numpy as np

from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.ratings import Ratings
from dpmc_studies.methods import method_class

LOW, HIGH = 1.0, 5.0
RELATIONS = ("user_add_remove", "user_replace")
BUDGET = {"epsilon": 3.0, "rating_range": (LOW, HIGH)}
WALKS = {"row_bound": 2.5, "nuclear_bound": 12.0, "iterations": 3}
FREQUENT = {"item_share": 0.5, "counts_share": 0.1, "ratings_per_user": 4}
DPALS = {"ratings_per_user": 4, "rank": 2, "user_regularization": 0.5}
WEIGHTED = {"sampling": "weights", "counts_share": 0.1}
GRADIENT = {
    "rank": 2, "update_bound": 1.5, "item_ratings": 7, "ratings_per_user": 4, "row_bound": 2.5,
}  # fmt: skip
ALTMIN = {"rank": 2, "row_bound": 2.5, "update_bound": 1.5, "item_ratings": 7}
JOINT = {
    "dpfw": ("dpfw", WALKS),
    "dpfw_jain": ("dpfw", WALKS | {"noise": "jain", "slack": True, "rescale": False}),
    "dpfw_residual": ("dpfw", WALKS | {"noise": "residual_clip", "centring": "user"}),
    "dpfw_jain_frequent": ("dpfw", WALKS | FREQUENT | {"noise": "jain"}),
    "dp_svd": ("dp_svd", {"rank": 2, "row_bound": 2.5}),
    "dp_svd_regression": (
        "dp_svd",
        {"rank": 2, "row_bound": 2.5, "users": "regression", "centring": "global"} | FREQUENT,
    ),
    "dp_altmin": ("dp_altmin", ALTMIN),
    "dp_saltls": (
        "dp_saltls", {"rank": 2, "ratings_per_user": 4, "value_bound": 1.5, "factor_bound": 0.7}
    ),
    "dp_saltls_groups": (
        "dp_saltls", {"rank": 2, "groups": 3, "centring": "user"} | FREQUENT
    ),
}  # fmt: skip
"""Cases of methods that take off offsets, and choose items, alike."""
FAMILIES = {
    "dpals": {},
    "dpals_literal": {"literal": True, "start": "analyze_gauss"},
    "dpals_h_free": {"gram": "free", "row_bound": 3.0},
    "dpals_single": {"dtype": "float32", "centring": "global", "row_bound": 3.0},
    "dpals_heuristics": {
        "start": "analyze_gauss", "row_bound": 3.0, "sampling": "adaptive", "item_share": 0.6,
        "counts_share": 0.1, "mean_share": 0.2, "global_penalty": 0.5, "iterations": 1,
    },
    "dpals_weights": WEIGHTED | {"weight_exponent": 0.5, "regularization_exponent": 0.25},
    "dpals_weights_h_free": WEIGHTED | {
        "gram": "free", "row_bound": 1.7, "start": "analyze_gauss", "item_share": 0.7,
    },
    "dpals_uncentred": {
        "centring": "none", "item_share": 0.5, "counts_share": 0.1, "projection": False,
    },
}  # fmt: skip
RESAMPLED = {"literal": True, "resampled": True, "item_share": 0.5, "counts_share": 0.1}
EVERY = (
    JOINT
    | {name: ("dpals", DPALS | settings) for name, settings in FAMILIES.items()}
    | {
        "dp_gradient": ("dp_gradient", GRADIENT),
        "dpam": ("dp_gradient", GRADIENT | WEIGHTED | {"start": "normal", "inner_iterations": 3}),
        "dp_gradient_frequent": (
            "dp_gradient",
            GRADIENT | {"item_share": 0.5, "counts_share": 0.1, "mean_share": 0.1},
        ),
        "dp_effects": ("dp_effects", {"rank": 2, "item_share": 1.0}),
        "dp_effects_pairs": ("dp_effects", {"rank": 2, "pairs_share": 0.4, "item_share": 0.5}),
    }
)


class Nothing:
    """No noise: queries as they are."""

    simulated = True

    def add(self, query, sensitivity):
        return query


def build(case="dpals", relation="user_add_remove", **given):
    """Construct a method with small settings."""
    name, settings = EVERY[case]
    return method_class(name)(relation=relation, **(BUDGET | settings | given))


def noised(model, ratings, seed=0):
    """Fit and return the transcript."""
    noise = FloatNoise(model.calibration.noise, np.random.default_rng(seed + 100))
    return kept(model, ratings, noise, seed)


def replayed(model, ratings, outputs, seed=0):
    """Fit with the outputs of another run and return the transcript."""
    return kept(model, ratings, Replay(outputs), seed)


def fit_exactly(model, ratings, seed=0):
    """Fit without noise and return the transcript."""
    return kept(model, ratings, Nothing(), seed)


def kept(model, ratings, noise, seed=0):
    ledger = Ledger(noise, model.releases, keep=True)
    model.fit(ratings, rng=seed, ledger=ledger)
    return ledger.transcript


def neighbours(relation, ratings, rng):
    """Yield neighbours that differ in a user as much as they may."""
    n_users, n_items = ratings.n_users, ratings.n_items
    user = int(rng.integers(n_users - 1))  # the last one has no ratings
    left = ratings.take(ratings.users != user)
    if relation == "user_add_remove":
        yield left
        base, place = ratings, n_users - 1
    else:
        base, place = left, user
    extremes = np.array([-100.0, 100.0])
    every = rng.permutation(n_items)
    # one huge rating, or as many as there are, alike or not
    for items, values in (
        (every[:1], rng.choice(extremes, 1)),
        (every, rng.choice(extremes, n_items)),
        (every, np.full(n_items, extremes[0])),
    ):
        yield Ratings(
            np.append(base.users, np.full(items.size, place)),
            np.append(base.items, items),
            np.append(base.values, values),
            n_users,
            n_items,
        )


def labelled(ratings):
    """Return the ratings with labels of users, which fits for publication need."""
    labels = np.array([f"user {number}" for number in range(ratings.n_users)], np.str_)
    return replace(ratings, user_labels=labels)


def small_ratings(seed=0):
    """12 users x 9 items; the last user and the first item have no ratings."""
    rng = np.random.default_rng(seed)
    observed = rng.random((12, 9)) < 0.6
    observed[11], observed[:, 0] = False, False
    users, items = np.nonzero(observed)
    return Ratings(users, items, rng.uniform(LOW, HIGH, users.size), 12, 9)
