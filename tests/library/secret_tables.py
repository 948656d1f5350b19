"""A table of ratings whose users have names that must be seen nowhere, for tests of a cluster."""

import numpy as np
import pandas as pd


def secret_table(n_users: int, items: list[str]) -> pd.DataFrame:
    """Return ratings of six in ten pairs, of users named "secret user ..." in a random order."""
    rng = np.random.default_rng(0)
    users, places = np.nonzero(rng.random((n_users, len(items))) < 0.6)
    labels = np.array([f"secret user {number}" for number in rng.permutation(n_users)])
    ratings = rng.integers(1, 6, users.size).astype(float)
    return pd.DataFrame({"user": labels[users], "item": np.array(items)[places], "rating": ratings})
