"""Methods as the audit runs them, with parts that few users and items would never trigger."""

import numpy as np

from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc_studies.methods.user_level.dpals_features import DPALSWithFeatures

NUMBER, SEED = 2, 7


class AuditedWithFeatures(DPALSWithFeatures):
    """DPALS with features that uses random numbers, drawn before there are ratings, as features."""

    def _features(self, ratings):
        return np.random.default_rng(SEED).standard_normal((ratings.n_items, NUMBER))


class AuditedLists(LocalEase):
    """Local EASE that compares lists of items by random factors, drawn before it sees ratings.

    Learnt factors would be useless here: with a few users the counts of pairs stay below the noise,
    and all lists would be equal. Random factors do not change the limits on what a user sends.
    """

    def _learnt(self, *given):
        popularity, model = super()._learnt(*given)
        if model is not None:
            size = 9 * np.abs(popularity.shares).max()
            drawn = np.random.default_rng(SEED).standard_normal((popularity.shares.size, NUMBER))
            model = np.full(popularity.shares.size, size), drawn
        return popularity, model
