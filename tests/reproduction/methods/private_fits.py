"""Small calibrated fits, exact or noised: what the tests of calibrated methods share."""

import inspect
from dataclasses import replace

import numpy as np
from plain_methods import random_ratings

from dpmc.privacy.ledger import Ledger
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc_studies.methods import METHODS, method_class

NAMES = sorted(name for name in METHODS if name.startswith("private_"))
FACTOR_NAMES = ("private_als", "private_irls")
CASES = [(name, relation) for name in NAMES for relation in RELATIONS]
LOW, HIGH = 1.0, 5.0
SMALL = {
    "epsilon": 3.0,
    "rating_range": (LOW, HIGH),
    "rank": 2,
    "iterations": 2,
    "loss_parameter": 0.5,
}


class Nothing:
    """No noise: queries as they are."""

    simulated = True

    def add(self, query, sensitivity):
        return query


class NoNoise:
    """A calibration for fits that are to be told that their noise is 0, as it is."""

    accountant = "exact"

    class noise:
        @staticmethod
        def std():
            return 0.0


def build(name, relation, **given):
    """Construct a method with small settings, those of them that it takes."""
    cls = method_class(name)
    settings = SMALL | {"ratings_per_user": 4 if relation in USER_LEVEL else None} | given
    known = inspect.signature(cls).parameters
    unknown = [key for key in given if key not in known]
    assert not unknown, unknown
    return cls(relation=relation, **{key: settings[key] for key in settings if key in known})


def fit(name, relation, ratings, seed=0, **given):
    return build(name, relation, **given).fit(ratings, rng=seed, noise_rng=seed + 100)


def fit_exactly(model, ratings, seed=0, keep=False, **given):
    """Fit without noise; return the transcript too."""
    ledger = Ledger(Nothing(), model.releases, keep=keep)
    model.fit(ratings, rng=seed, ledger=ledger, **given)
    return ledger.transcript


def labelled(ratings):
    """Return the ratings with labels, which fits for publication need."""
    return replace(
        ratings,
        user_labels=np.array([f"user {number}" for number in range(ratings.n_users)], np.str_),
        item_labels=np.array([f"item {number}" for number in range(ratings.n_items)], np.str_),
    )


def small_ratings(seed=0):
    """12 users x 9 items; the last user and the first item have no ratings."""
    full = random_ratings(np.random.default_rng(seed), 12, 9, 0.6)
    return full.take((full.users < 11) & (full.items > 0))
