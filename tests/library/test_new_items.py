"""Items that came after a fit are predicted what their public features make expected."""

import numpy as np
import pandas as pd
import pytest
from publication.small_tables import ITEMS, listed, refused, rows_of, run, write_table
from sklearn.linear_model import Ridge

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.methods.kernels.completion import best_of
from dpmc.new_items import FAR, PENALTIES, expected
from dpmc.ratings import Compressed
from dpmc.released import PublishedItems, PublishedRanking, load

RNG = np.random.default_rng(47)
LABELS = [f"i{number}" for number in range(40)]
FEATURES = RNG.normal(size=(46, 3))
OFFSETS = 3 + FEATURES[:40] @ [0.5, -0.3, 0] + RNG.normal(0, 0.1, 40)
FACTORS = np.column_stack([np.ones(40), RNG.normal(size=40)])
PRECISIONS = RNG.uniform(0.5, 2, 40)
EVERY = [*LABELS, *(f"new{number}" for number in range(6))]


def model():
    return PublishedItems(LABELS, OFFSETS, FACTORS, (1.0, 5.0), 2.0, PRECISIONS)


def ridge(penalty, features, numbers, new):
    """Return the error by generalised cross-validation, predictions, and the mean square left."""
    if np.isinf(penalty):
        fitted, told, free = numbers * 0 + numbers.mean(), np.full(len(new), numbers.mean()), 1.0
    else:
        fit = Ridge(alpha=penalty * len(features)).fit(features, numbers)
        fitted, told = fit.predict(features), fit.predict(new)
        smoother = [
            Ridge(alpha=penalty * len(features)).fit(features, unit).predict(features)[place]
            for place, unit in enumerate(np.eye(len(features)))
        ]
        free = np.sum(smoother)
    left = np.sum((numbers - fitted) ** 2)
    return left / (len(numbers) - free) ** 2, told, left / (len(numbers) - free)


@pytest.mark.parametrize("n_features", [1, 3, 60])
def test_expected_is_ridge_regression_with_the_best_penalty(n_features):
    features = RNG.normal(size=(50, n_features))
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    features, new = np.clip(features, -FAR, FAR), features[:7] * 0.9
    numbers = np.column_stack([
        2 + features[:, 0] + RNG.normal(0, 0.5, 50), RNG.normal(size=50), np.full(50, 7.0)
    ])  # fmt: skip
    found = expected(features, numbers, new)
    for column, variance, each in zip(found.values.T, found.variances, numbers.T, strict=True):
        tried = [ridge(penalty, features, each, new) for penalty in PENALTIES]
        _, told, left = min(tried, key=lambda found: found[0])
        np.testing.assert_allclose(column, told, rtol=1e-8, atol=1e-8)
        assert variance == pytest.approx(left, rel=1e-6, abs=1e-12)


def test_what_is_not_known_counts_as_the_mean_and_a_far_number_is_cut_off():
    features = RNG.normal(size=(50, 2)) * [1e200, 1]
    numbers = features[:, :1] / 1e200
    mean, far, farther = expected(
        features, numbers, np.array([[np.nan, np.nan], [1e202, np.nan], [1e300, np.nan]])
    ).values[:, 0]
    assert mean == pytest.approx(numbers.mean(), abs=1e-9)
    assert far == farther == pytest.approx(numbers.mean() + FAR * numbers.std(), rel=0.01)


def test_predictions_of_new_items_take_the_user_into_account():
    plain = model()
    more = plain.with_items(EVERY, FEATURES)
    assert more.labels == EVERY
    assert more.n_new == 6
    own = {"i3": 5, "i8": 2, "i9": 4}
    items, values = np.array([3, 8, 9]), np.array([5.0, 2, 4])
    user = plain.solve(items, values)
    told = expected(FEATURES[:40], np.column_stack([OFFSETS, FACTORS]), FEATURES).values
    higher = np.sum(values - told[items, 0] - told[items, 1:] @ user) / 4
    predicted = more.complete(own, clipped=False)
    np.testing.assert_allclose(predicted[:40], plain.complete(own, clipped=False), rtol=1e-12)
    np.testing.assert_allclose(
        predicted[40:], told[40:, 0] + told[40:, 1:] @ user + higher, rtol=1e-12
    )
    np.testing.assert_allclose(more.complete({})[40:], told[40:, 0].clip(1, 5), rtol=1e-12)
    # what is left of offsets and factors makes new items less sure
    assert more.deviations(own)[40:].min() > np.mean(plain.deviations(own))


def test_features_may_come_in_any_order_and_of_some_items_only():
    order = RNG.permutation(46)
    shuffled = model().with_items([EVERY[place] for place in order], FEATURES[order])
    few = model().with_items(EVERY[10:], FEATURES[10:])
    assert set(shuffled.labels) == set(few.labels) == set(EVERY)
    at = [shuffled.labels.index(each) for each in EVERY]
    np.testing.assert_allclose(
        shuffled.complete({"i3": 5})[at], model().with_items(EVERY, FEATURES).complete({"i3": 5}),
        rtol=1e-9,
    )  # fmt: skip


@pytest.mark.parametrize("ranking", [False, True])
def test_the_best_of_many_users_are_those_of_each(ranking):
    plain = model()
    if ranking:
        plain = PublishedRanking(
            LABELS, OFFSETS, FACTORS, (0.0, 1.0), 1.0, scales=RNG.uniform(0.5, 2, 40)
        )
    more = plain.with_items(EVERY, FEATURES)
    sizes = RNG.integers(0, 9, 30)
    items = np.concatenate([RNG.choice(46, size, replace=False) for size in sizes])
    values = RNG.integers(1, 6, items.size).astype(float)
    rows = Compressed(np.append(0, np.cumsum(sizes)), items.astype(np.int32), values)
    numbers, places, shown = best_of(more, rows, 5)
    assert (numbers == 5).all()
    for user, (begin, end) in enumerate(zip(rows.indptr, rows.indptr[1:], strict=False)):
        own = {
            EVERY[item]: value
            for item, value in zip(items[begin:end], values[begin:end], strict=False)
        }
        best, mine = more.best(own, 5), slice(5 * user, 5 * user + 5)
        assert [*best] == [EVERY[place] for place in places[mine]]
        np.testing.assert_allclose([*best.values()], shown[mine], rtol=1e-9)


@pytest.mark.parametrize(
    ("labels", "features", "sentence"),
    [
        (EVERY, FEATURES[1:], "must be a table of 46 rows"),
        (EVERY, FEATURES[:, 0], "must be a table of 46 rows"),
        (EVERY, FEATURES * np.inf, "finite numbers, NaN for what is not known"),
        (EVERY, [["a"]] * 46, "must be a table of numbers"),
        ([*EVERY[1:], "i1"], FEATURES, "An item has two rows"),
        (EVERY[39:], FEATURES[39:], "1 of the model's items have features here"),
    ],
)
def test_refused(labels, features, sentence):
    with pytest.raises(InputError, match=sentence):
        model().with_items(labels, features)


def test_refused_twice_and_where_items_are_integers():
    with pytest.raises(InputError, match="add all to the model at once"):
        model().with_items(EVERY, FEATURES).with_items(EVERY, FEATURES)
    numbers = PublishedItems(["1", "2"], np.ones(2), np.ones((2, 1)), (1, 5), 1.0, integers=True)
    assert {*numbers.with_items([1, 2, 3], np.eye(3)).best({2: 4}, 2)} == {1, 3}
    with pytest.raises(InputError, match="are integers, and a new one is not"):
        numbers.with_items([1, 2, "x"], np.eye(3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new")
    table = write_table(folder / "mine.csv", rows_of())
    run(*listed("fit", table, folder / "model", **{"items-are-public": True, "simulate": 0}))
    rows = [(item, place, place % 2) for place, item in enumerate([*ITEMS, "later"])]
    pd.DataFrame(rows, columns=["item", "year", "is_short"]).to_csv(
        folder / "features.csv", index=False
    )
    return folder


def test_complete_predicts_new_items(folder):
    given = "--model", folder / "model", "--ratings", folder / "mine.csv"
    more = run("complete", *given, "--item-features", folder / "features.csv").stdout
    rows = [line.split(",") for line in more.splitlines()[1:]]
    assert {row[1] for row in rows} == {*ITEMS, "later"}
    without = run("complete", *given).stdout.splitlines()[1:]
    assert [",".join(row) for row in rows if row[1] != "later"] == without
    best = run("complete", *given, "--item-features", folder / "features.csv", "--top", 3).stdout
    assert ",later," in best
    (folder / "few.csv").write_text("item,year\nlater,1\n")
    assert "0 of the model's items have features here" in refused(
        "complete", *given, "--item-features", folder / "few.csv"
    )


def test_a_class_predicts_new_items(folder):
    loaded = PrivateFactorization.load(folder / "model")
    more = loaded.with_items(folder / "features.csv")
    ratings = pd.read_csv(folder / "mine.csv", dtype={"item": str})
    own = dict(zip(ITEMS[:2], (5, 3), strict=True))
    assert "later" in more.recommend(own, 30)
    assert "later" not in loaded.recommend(own, 30)
    pairs = pd.DataFrame({"user": ratings["user"].iloc[:3], "item": "later"})
    with pytest.warns(UserWarning, match="1 item has no factors"):
        means = loaded.predict(pairs, ratings)
    assert not np.allclose(more.predict(pairs, ratings), means)
    frame = pd.read_csv(folder / "features.csv", dtype={"item": str})
    table = load(folder / "model").with_items(frame["item"], frame[["year", "is_short"]])
    np.testing.assert_allclose(table.complete(own), more.published_.complete(own), rtol=1e-12)
    with pytest.raises(InputError, match="needs features"):
        loaded.with_items(None)
