"""DPALS with features of items as the audit runs it: the same ones in every fit."""

import numpy as np

from dpmc.methods.user_level.dpals_features import DPALSWithFeatures

NUMBER, SEED = 2, 7


class AuditedWithFeatures(DPALSWithFeatures):
    """Takes numbers that were drawn before there were ratings for public features of the items."""

    def _features(self, ratings):
        return np.random.default_rng(SEED).standard_normal((ratings.n_items, NUMBER))
