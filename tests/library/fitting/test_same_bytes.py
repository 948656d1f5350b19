"""With a seed a fit writes the same bytes, however its ratings came and were worked on."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dpmc import PrivateFactorization
from dpmc.fitting import fit as fitting
from dpmc.fitting import ratings
from dpmc.fitting.parameters import METHODS
from dpmc.publication.store_building import build

N_USERS, N_ITEMS = 60, 12
ITEMS = [f"item {number}" for number in range(N_ITEMS)]  # in another order than their labels
BOUNDED = {"als", "bias"}
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
        for module in (fitting, ratings):
            monkeypatch.setattr(module, "cores", lambda threads=threads: threads)
        name = f"{blocks} blocks, {threads} threads"
        assert folder(method, frame, tmp_path / name) == first, name
        written, place = tmp_path / f"{name}.csv", tmp_path / f"{name}, store"
        frame.sample(frac=1, random_state=blocks).to_csv(written, index=False)
        store = build(written, place, block=max(1, len(frame) // blocks))
        assert store.n_blocks >= blocks * 0.6
        assert folder(method, store, tmp_path / f"{name}, of a store") == first, name


LONG = "z" * 1000
ODD = {
    "nobody": [],
    "one of many ratings": [("a", ITEMS[0], 5.0), *(("big", item, 3.0) for item in ITEMS)],
    "long labels": [(f"{LONG[:-1]}{n}", item, 5.0) for n in range(2) for item in (*ITEMS, LONG)],
    "a pair again and again": [
        *(("a", ITEMS[0], n % 5.0) for n in range(20)),
        ("b", ITEMS[1], 2.0),
    ],
    "nothing that is listed in two blocks": [
        *((f"u{n}", "other", 1.0) for n in range(9)),
        *(("v", item, 4.0) for item in ITEMS[:3]),
    ],
}
BLOCKS = (0, 2, 2, 2, 3)


@pytest.mark.parametrize("method", ["bayes", "ease", "bias"])
@pytest.mark.parametrize(("rows", "n_blocks"), [*zip(ODD.values(), BLOCKS, strict=True)], ids=ODD)
def test_odd_blocks_of_a_store_are_those_of_the_table(
    rows, n_blocks, method, tmp_path, monkeypatch
):
    monkeypatch.delattr("dpmc.publication.store.Store.lines")
    mine = tmp_path / "mine.csv"
    pd.DataFrame(rows, columns=["user", "item", "rating"]).to_csv(mine, index=False)
    store = build(mine, tmp_path / "store", block=4)
    assert store.n_blocks == n_blocks
    wanted = folder(method, mine, tmp_path / "of the table")
    assert folder(method, store, tmp_path / "of the store") == wanted


@pytest.mark.parametrize("method", ["bayes", "ease", "bias"])
def test_a_store_is_never_in_memory_as_a_whole(method, tmp_path, monkeypatch):
    """With a private choice of items, and no part of ``Store.lines``; the same as a table."""
    frame = table()
    frame.to_csv(tmp_path / "mine.csv", index=False)
    store = build(tmp_path / "mine.csv", tmp_path / "store", block=50)
    monkeypatch.setattr("dpmc.ratings.BLOCK", 20)
    monkeypatch.delattr("dpmc.publication.store.Store.lines")
    given = (
        {"purpose": "ranking", "likes_from": 4} if method == "ease" else {"rating_range": (2, 5)}
    )
    given |= {"method": method, "epsilon": 60, "delta": 1e-3}
    given |= {"items_privately": 0.5, "ratings_per_user": 5}
    models, said = [], []
    for source in (frame, store):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            models.append(PrivateFactorization(simulate=1, **given).fit(source))
        said.append([str(each.message) for each in seen])
    assert said[0] == said[1]
    assert any("have no part" in each for each in said[0])
    assert method == "ease" or any("outside of the range" in each for each in said[0])
    for name in ("labels", "offsets", "factors"):
        one, two = (getattr(each.published_, name) for each in models)
        np.testing.assert_array_equal(one, two)
    one, two = (each.predict(frame) for each in models)
    np.testing.assert_array_equal(one, two)
