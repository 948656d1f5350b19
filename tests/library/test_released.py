"""What a released model tells one person: NumPy alone, and how sure it is."""

import csv
import io
import json
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
from publication.small_tables import ITEMS, listed, rows_of, run, write_table

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.released import PublishedItems, load

MODELS = {
    "bayes": {"method": "bayes", "ratings-per-user": None},
    "als": {"method": "als"},
    "bias": {"method": "bias"},
    "ranking": {
        **{"for": "ranking", "likes-from": 3, "rating-range": None},
        **{"ratings-per-user": None, "method": None, "rank": None},
    },
}
SMALL = PublishedItems(["1", "2", "3"], np.array([3.0, 2.0, 4.0]), np.eye(3), (1.0, 5.0), 1.0)
ALONE = """
import json, sys
from dpmc.released import load
model = load(sys.argv[1])
ratings = json.loads(sys.argv[2])
values, deviations = model.complete(ratings), model.deviations(ratings)
print(json.dumps([values.tolist(), None if deviations is None else deviations.tolist()]))
print(json.dumps(list(model.best(ratings, 3))))
others = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(sorted(name for name in others if not name.startswith("_")))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    table = write_table(folder / "all.csv", rows_of())
    for name, options in MODELS.items():
        asked = {"items-are-public": True, **options}
        run(*listed("fit", table, folder / name, **asked))
    return folder


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize("name", MODELS)
def test_numpy_alone_tells_what_complete_does(folder, tmp_path, name):
    mine = {ITEMS[0]: 5.0, ITEMS[2]: 1.5, ITEMS[3]: 3.0}
    write_table(tmp_path / "mine.csv", [("ann", *each) for each in mine.items()])
    arguments = "--model", folder / name, "--ratings", tmp_path / "mine.csv"
    _, *rows = csv.reader(io.StringIO(run("complete", *arguments).stdout))
    _, *best = csv.reader(io.StringIO(run("complete", *arguments, "--top", 3).stdout))
    command = [sys.executable, "-c", ALONE, folder / name, json.dumps(mine)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told, ranked, modules = done.stdout.splitlines()
    values, deviations = json.loads(told)
    np.testing.assert_allclose(values, [float(row[2]) for row in rows], rtol=1e-9)
    assert json.loads(ranked) == [row[1] for row in best]
    assert modules == "['dpmc', 'numpy']"
    assert (deviations is not None) == (name == "bayes")


@pytest.mark.parametrize("precise", [False, True])
def test_predictions_are_those_of_a_plain_ridge_regression(precise):
    """Of ratings far from symmetric, some beyond the range, some of an item that is not here."""
    rng = np.random.default_rng(12)
    n, rank, low, high = 9, 2, 1.0, 5.0
    precisions = rng.uniform(0.5, 4, n) if precise else None
    model = PublishedItems(
        [*map(str, range(n))], rng.normal(3, 0.5, n), rng.normal(size=(n, rank)), (low, high), 0.7,
        precisions,
    )  # fmt: skip
    mine = {"0": 1.0, "3": 1.5, "4": 1.0, "7": 9.0, "8": 2.0}
    places, ratings = [*map(int, mine)], np.clip([*mine.values()], low, high)
    left = ratings - model.offsets[places]
    if not precise:
        left = np.clip(left, -2, 2)
    rows, weights = model.factors[places], np.diag(precisions[places] if precise else np.ones(5))
    gram = rows.T @ weights @ rows + 0.7 * np.eye(rank)
    expected = model.offsets + model.factors @ np.linalg.solve(gram, rows.T @ weights @ left)
    for own, unknown in ((mine, 0), (mine | {"elsewhere": 5.0}, 1)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.complete(own)
        assert [str(each.message).split(";")[0] for each in caught] == [
            "1 item has no factors",
            "1 rating was clipped to the range 1 to 5",
        ][1 - unknown :]
        np.testing.assert_allclose(model.complete(own, clipped=False), expected, rtol=1e-12)
        np.testing.assert_allclose(model.complete(own), np.clip(expected, low, high), rtol=1e-12)
    assert model.elsewhere(np.array([*mine.values()]), expected) == pytest.approx(14.5 / 5)
    assert model.elsewhere(np.empty(0), expected) == pytest.approx(expected.sum() / n)


def test_ratings_lie_as_far_from_their_predictions_as_is_said():
    """Users and ratings drawn from the model: standard normal once divided by the deviation."""
    rng = np.random.default_rng(11)
    n = 40
    model = PublishedItems(
        [*map(str, range(n))], rng.normal(3, 0.5, n), rng.normal(0, 0.5, (n, 3)), (-90.0, 90.0),
        1.0, precisions=rng.uniform(0.5, 4, n),
    )  # fmt: skip
    found = []
    for _ in range(1500):
        user = rng.normal(size=3)
        noise = rng.normal(size=n) / np.sqrt(model.precisions)
        ratings = model.offsets + model.factors @ user + noise
        mine = {str(item): ratings[item] for item in range(rng.integers(0, n - 1))}
        left = ratings - model.complete(mine)
        found.append((left / model.deviations(mine))[len(mine) :])
    # items of one user are not independent of each other: users are
    means = np.array([(each**2).mean() for each in found])
    assert abs(means.mean() - 1) < 4 * means.std() / len(means) ** 0.5
    inside = np.array([(np.abs(each) < 1.2815515655446004).mean() for each in found])
    assert abs(inside.mean() - 0.8) < 4 * inside.std() / len(inside) ** 0.5


def test_without_ratings_all_of_the_spread_of_users_is_open():
    model = PublishedItems(
        ["a"], np.array([3.0]), np.array([[0.6, 0.8]]), (1.0, 5.0), 1.0, precisions=np.array([4.0])
    )
    np.testing.assert_allclose(model.deviations({}), np.sqrt(1 + 1 / 4))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: text.rindex("\n", 0, -1) + 1],
        lambda text: text[:-2] + ("8\n" if text[-2] == "9" else "9\n"),  # another last digit
    ],
)
def test_a_part_of_a_model_is_not_served(folder, tmp_path, change):
    """A copy that broke off after a whole line would be a model of fewer items."""
    copy = shutil.copytree(folder / "bayes", tmp_path / "copy")
    (file,) = copy.glob("*item_factors.csv")
    file.write_text(change(file.read_text("utf-8")), "utf-8")
    for use in (load, PrivateFactorization.load):
        with pytest.raises(InputError, match="is not the file that guarantee"):
            use(copy)


def test_a_model_that_predicts_in_another_way_is_refused(folder, tmp_path):
    """Its users would solve otherwise, and be told wrong predictions."""
    copy = shutil.copytree(folder / "als", tmp_path / "copy")
    path = copy / "guarantee.json"
    path.write_text(path.read_text().replace("user_regularization I", "0.1 I"))
    with pytest.raises(InputError, match="predicts in a way that this version of dpmc does not"):
        load(copy)


@pytest.mark.parametrize(
    ("ratings", "sentence"),
    [
        ({"1": None}, "must be finite numbers"),
        ({"1": float("nan")}, "must be finite numbers"),
        ({"1": 10**400}, "must be finite numbers"),
        ({"1": "4,5"}, "must be finite numbers"),
        (["1"], "must be a mapping from items to ratings"),
        ("1", "must be a mapping from items to ratings"),
    ],
)
def test_ratings_that_are_refused(ratings, sentence):
    for use in (SMALL.complete, lambda given: SMALL.best(given, 1)):
        with pytest.raises(InputError, match=sentence):
            use(ratings)


def test_ratings_as_text_are_read_as_a_fit_reads_them():
    assert SMALL.best({"1": " 4.5 ", "2": b"2"}, 3) == SMALL.best({"1": 4.5, "2": 2}, 3)


def test_likes_are_a_list(tmp_path):
    table = write_table(tmp_path / "clicks.csv", [row[:2] for row in rows_of()], ("user", "item"))
    options = {**MODELS["ranking"], "likes-from": None, "items-are-public": True}
    run(*listed("fit", table, tmp_path / "model", **options))
    model = load(tmp_path / "model")
    assert model.best([ITEMS[0]], 3) == model.best({ITEMS[0]: 1}, 3)


def test_a_model_as_text_is_a_line():
    assert repr(SMALL) == "<PublishedItems: 3 items, 3 factors>"
