"""Features of items: read strictly, stated in the guarantee, of use where they say something."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from dpmc import cli
from dpmc.errors import InputError
from dpmc.methods.user_level.local_bayes.constants import FEATURES_FAR, FEATURES_MOST
from dpmc.methods.user_level.local_bayes.features import standardised
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.publication.features import Features, features_of
from dpmc.ratings import Ratings

ITEMS = [f"i{number:02d}" for number in range(60)]
TABLE = {"item": ["a", "b", "c"], "year": [1990, 2001, None], "drama": [True, False, True]}


def drawn(seed, n_users=400, per_user=15, explained=0.9):
    """Return ratings whose items' offsets and factors follow from two features, and the features.

    Each user rates some of 60 items, popular ones more often.
    """
    rng = np.random.default_rng(seed)
    n_items = len(ITEMS)
    features = rng.standard_normal((n_items, 2))
    own = rng.standard_normal((n_items, 2))
    parts = explained**0.5 * features + (1 - explained) ** 0.5 * own
    popularity = 1.0 / np.arange(3, n_items + 3)
    users = np.repeat(np.arange(n_users), per_user)
    items = np.concatenate(
        [
            rng.choice(n_items, per_user, replace=False, p=popularity / popularity.sum())
            for _ in range(n_users)
        ]
    )
    taste = rng.standard_normal(n_users)
    values = 0.7 * parts[items, 0] + 0.5 * parts[items, 1] * taste[users]
    values = np.clip(values + 0.4 * rng.standard_normal(users.size), -3, 3)
    truth = np.clip(0.7 * parts[:, 0] + 0.5 * parts[:, 1] * taste[:, None], -3, 3)
    labels = np.array(ITEMS, dtype=object)
    names = np.array([f"u{user}" for user in range(n_users)], dtype=object)
    ratings = Ratings(users, items, values, n_users, n_items, "drawn", (-3, 3), names, labels)
    return ratings, Features(("year", "drama"), ITEMS, features), truth


def error(ratings, truth, features, seed, epsilon=1.0):
    """Return the RMSE over the whole matrix of a fit that was given the features."""
    model = LocalBayes(
        relation="user_add_remove", epsilon=epsilon, delta=1e-6, rating_range=(-3, 3)
    ).fit(ratings, rng=seed, noise_rng=seed, item_features=features)
    users, items = np.indices(truth.shape).reshape(2, -1)
    return np.sqrt(np.mean((model.predict(users, items) - truth.ravel()) ** 2))


def test_features_that_say_something_help():
    changes = []
    for seed in range(5):
        ratings, features, truth = drawn(seed)
        plain, helped = (error(ratings, truth, each, seed) for each in (None, features))
        changes.append(helped / plain)
    # every one of five; of ten seeds beforehand the largest ratio is far below
    assert max(changes) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 5.0])
@pytest.mark.parametrize("n_users", [60, 600])
def test_features_that_say_nothing_do_no_harm(n_users, epsilon):
    """The mean over 24 draws of the change lies within three standard errors of 0.3 % at most."""
    changes = []
    for seed in range(24):
        ratings, _, truth = drawn(100 + seed, n_users=n_users)
        rng = np.random.default_rng(seed)
        nothing = Features(tuple("abcdefgh"), ITEMS, rng.standard_normal((len(ITEMS), 8)))
        plain, other = (error(ratings, truth, each, seed, epsilon) for each in (None, nothing))
        changes.append(np.log(other / plain))
    assert np.mean(changes) - 3 * np.std(changes, ddof=1) / 24**0.5 < 0.003


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", "pandas", "polars", "arrow"])
def test_they_are_read_alike_from_files_and_frames(tmp_path, suffix):
    table, path = pa.table(TABLE), tmp_path / f"features{suffix}"
    if suffix == ".parquet":
        parquet.write_table(table, path)
    elif suffix in (".csv", ".tsv"):
        between = {".csv": ",", ".tsv": "\t"}[suffix]
        table.to_pandas().astype({"drama": int}).to_csv(path, sep=between, index=False)
    frames = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table)}
    source = frames[suffix]() if suffix in frames else table if suffix == "arrow" else path
    found = features_of(source)
    assert found.names == ("year", "drama")
    assert list(found.labels) == ["a", "b", "c"]
    np.testing.assert_array_equal(found.table, [[1990, 1], [2001, 0], [np.nan, 1]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("item,genre\na,drama\n", "column 'genre' must hold numbers, and holds string"),
        ("item,x\na,1\na,2\n", "row 2: the item 'a' is on row 1 already"),
        ("item,x\na,inf\n", "must be a finite number"),
        ("item\na\n", "there is no column of numbers beside 'item'"),
        ("x,y\n1,2\n", "no column looks like the item"),
        ("item,x,x\na,1,2\n", "two columns have the same name"),
        ("item,x\n", "names no items"),
        ("item,x\na,1\nb\n", "is not a table with a header"),
        ("", "line 1: the names of the columns are expected"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(tmp_path, text, sentence):
    path = tmp_path / "features.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence.replace("'", ".")):
        features_of(path)


def test_other_files_and_what_is_no_frame_are_refused(tmp_path):
    for source, sentence in (
        (tmp_path / "none.csv", "cannot be read|is not a table"),
        (tmp_path / "x.json", "read from"),
        ([1, 2], "must be a data frame, or a file"),
    ):
        with pytest.raises(InputError, match=sentence):
            features_of(source)


def test_columns_are_standardised_and_few():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((200, 80)) * np.geomspace(1e-200, 1e200, 80)
    table[:, 3] = 7.0
    table[::7, 5] = np.nan
    found = standardised(table)
    assert found.shape == (200, FEATURES_MOST)
    assert np.mean(np.sum(found**2, axis=1)) == pytest.approx(1)
    few = standardised(np.array([[0.0, 1.0]] * 99 + [[1e6, 1.0]]))  # the last: 9.9 deviations
    assert few.shape == (100, 1)
    assert few.max() / -few.min() == pytest.approx(FEATURES_FAR / (1 / 99) ** 0.5)
    for nothing in (np.full((4, 2), np.nan), np.ones((4, 2))):
        assert standardised(nothing).shape == (4, 0)


def test_ratings_without_labels_are_refused_before_anything_is_released():
    ratings, features, _ = drawn(0, n_users=30)
    model = LocalBayes(relation="user_add_remove", epsilon=1, delta=1e-6, rating_range=(-3, 3))
    noise = FloatNoise(model.calibration.noise, np.random.default_rng(0))
    ledger = Ledger(noise, model.releases, keep=True)
    with pytest.raises(InputError, match="need ratings with item_labels"):
        model.fit(replace(ratings, item_labels=None), rng=0, ledger=ledger, item_features=features)
    assert ledger.transcript == []


def test_the_guarantee_says_what_was_public(tmp_path):
    """The command line: fit, verify, and a digest that is that of the features alone."""
    ratings, features, _ = drawn(3, n_users=80)
    table = pd.DataFrame(
        {
            "user": ratings.user_labels[ratings.users],
            "item": ratings.item_labels[ratings.items],
            "rating": ratings.values,
        }
    )
    table.to_csv(tmp_path / "mine.csv", index=False)
    known = pd.DataFrame({"item": ITEMS[1:]} | dict(zip("xy", features.table[1:].T, strict=True)))
    known.to_csv(tmp_path / "features.csv", index=False)
    (tmp_path / "items.txt").write_text("\n".join(ITEMS))
    run = CliRunner().invoke(
        cli.cli,
        [
            *("fit", "--ratings", f"{tmp_path}/mine.csv", "--items", f"{tmp_path}/items.txt"),
            *("--item-features", f"{tmp_path}/features.csv", "--relation", "user"),
            *("--rating-range", "-3", "3", "--epsilon", "2", "--output", f"{tmp_path}/model"),
        ],
    )
    assert run.exit_code == 0, run.output
    assert "1 of 60 items have no features" in run.output
    stated = json.loads((tmp_path / "model/guarantee.json").read_text())
    assert stated["item_features"] == features_of(tmp_path / "features.csv").described()
    assert "features of items, known" in stated["assumed_public"]["item_features"]
    assert "and that the features of items were known without the ratings" in stated["sentence"]
    verified = CliRunner().invoke(cli.cli, ["verify", f"{tmp_path}/model"])
    assert verified.exit_code == 0, verified.output
    for changed in (
        {name: value for name, value in stated.items() if name != "item_features"},
        stated | {"item_features": stated["item_features"] | {"count": 0}},
    ):
        (tmp_path / "model/guarantee.json").write_text(json.dumps(changed))
        refused = CliRunner().invoke(cli.cli, ["verify", f"{tmp_path}/model"])
        assert isinstance(refused.exception, InputError)
