"""Small DPALS fits: what its tests share."""

from dataclasses import replace

import numpy as np

from dpmc.privacy.ledger import Ledger
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.dpals import DPALS

LOW, HIGH = 1.0, 5.0
SMALL = {
    "relation": "user_add_remove",
    "epsilon": 3.0,
    "rating_range": (LOW, HIGH),
    "ratings_per_user": 4,
    "rank": 2,
    "user_regularization": 0.5,
}
FAMILIES = {
    "default": {},
    "literal": {"literal": True, "start": "analyze_gauss"},
    "resampled": {"literal": True, "resampled": True, "item_share": 0.5, "counts_share": 0.1},
    "h_free": {"gram": "free", "row_bound": 3.0},
    "single": {"dtype": "float32", "centring": "global", "row_bound": 3.0},
    "heuristics": {
        "start": "analyze_gauss", "row_bound": 3.0, "sampling": "adaptive", "item_share": 0.6,
        "counts_share": 0.1, "mean_share": 0.2, "global_penalty": 0.5, "iterations": 1,
    },
    "weights": {
        "sampling": "weights", "counts_share": 0.1, "weight_exponent": 0.5,
        "regularization_exponent": 0.25,
    },
    "weights_h_free": {
        "sampling": "weights", "counts_share": 0.1, "gram": "free", "row_bound": 1.7,
        "start": "analyze_gauss", "item_share": 0.7,
    },
    "uncentred": {
        "centring": "none", "item_share": 0.5, "counts_share": 0.1, "projection": False,
    },
}  # fmt: skip


class Nothing:
    """No noise: queries as they are."""

    simulated = True

    def add(self, query, sensitivity):
        return query


def build(**given):
    return DPALS(**(SMALL | given))


def fit(ratings, seed=0, **given):
    return build(**given).fit(ratings, rng=seed, noise_rng=seed + 100)


def fit_exactly(model, ratings, seed=0):
    """Fit without noise; return what was released."""
    ledger = Ledger(Nothing(), model.releases, keep=True)
    model.fit(ratings, rng=seed, ledger=ledger)
    return ledger.transcript


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
