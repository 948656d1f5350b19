"""With a seed a fit writes the same bytes, however its ratings came and were worked on."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dpmc import PrivateFactorization
from dpmc.fitting import fit as fitting
from dpmc.fitting.parameters import METHODS

N_USERS, N_ITEMS = 60, 12
ITEMS = [f"item {number:02}" for number in range(N_ITEMS)]
BOUNDED = {"als", "irls", "dpals", "bias"}
"""Methods that take so many ratings of a user."""


def table(seed=0):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((N_USERS, N_ITEMS)) < 0.6)
    labels = np.array([f"user {number}" for number in rng.permutation(N_USERS)])
    ratings = rng.integers(1, 6, users.size).astype(float)
    return pd.DataFrame({"user": labels[users], "item": np.array(ITEMS)[items], "rating": ratings})


def folder(method, frame, path):
    """Return the files of a fit, name -> content."""
    given = {"ratings_per_user": 4} if method in BOUNDED else {}
    given |= {"report_error": 0.2} if method == "bayes" else {}
    if method == "ease":
        given |= {"purpose": "ranking", "likes_from": 4}
    else:
        given |= {"rating_range": (1, 5), "method": method}
    model = PrivateFactorization(epsilon=20, delta=1e-6, items=ITEMS, simulate=3, **given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame).save(path)
    return {each.name: each.read_bytes() for each in path.iterdir()}


@pytest.mark.parametrize("method", METHODS)
def test_a_folder_is_the_same_however_its_ratings_came(method, tmp_path, monkeypatch):
    frame = table()
    first = folder(method, frame, tmp_path / "first")
    shuffled = frame.sample(frac=1, random_state=1, ignore_index=True)
    polars = pytest.importorskip("polars")
    others = {
        "shuffled": shuffled,
        "by item": frame.sort_values(["item", "user"]),
        "arrow": pa.Table.from_pandas(shuffled),
        "polars": polars.from_dicts(shuffled.to_dict("records")),
    }
    for name, other in others.items():
        assert folder(method, other, tmp_path / name) == first, name
    for blocks, threads in ((1, 1), (2, 2), (7, 3), (64, 1)):
        monkeypatch.setattr("dpmc.ratings.BLOCK", max(1, len(frame) // blocks))
        monkeypatch.setattr(fitting, "cores", lambda threads=threads: threads)
        name = f"{blocks} blocks, {threads} threads"
        assert folder(method, frame, tmp_path / name) == first, name
