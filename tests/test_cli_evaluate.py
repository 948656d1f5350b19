"""`dpmc evaluate`: errors on held-out ratings by method and budget, for planning."""

import json
import re
import time

import numpy as np
import pytest
from publication.small_tables import refused, rows_of, run, write_table

from dpmc.cli.evaluate import NOTE, _of_blocks
from dpmc.datasets.splits import random_split
from dpmc.datasets.synthetic import generate
from dpmc.fitting.parameters import METHODS
from dpmc.methods.blocks import Blocks, LabelledBlocks, joined
from dpmc.methods.private_choice import Seeded, within, without
from dpmc.publication.store import Resolved, Store
from dpmc.publication.store_building import build
from dpmc.publication.table import read_lines, resolve
from dpmc.ratings import Compressed

LOW, HIGH = 0, 2.5


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """About 4,000 ratings of rank 2."""
    drawn = generate(np.random.default_rng(3), users=400, items=25, rank=2, observed_fraction=0.4)
    seen = drawn.observed
    rows = zip(seen.users.tolist(), seen.items.tolist(), seen.values.tolist(), strict=True)
    return write_table(tmp_path_factory.mktemp("evaluate") / "public.csv", rows)


def evaluate(table, *options):
    arguments = ["--rating-range", LOW, HIGH, "--relation", "user", *options]
    return run("evaluate", table, *arguments)


def errors(table, *options):
    found = json.loads(evaluate(table, *options, "--json").stdout)
    return found, {(each["method"], each["epsilon"]): each for each in found["errors"]}


def test_a_table_by_method_and_budget(table):
    methods = ["--method", "als", "--method", "bias"]
    options = ["--epsilon", 0.5, "--epsilon", 2000, "--splits", 2, *methods]
    lines = evaluate(table, *options).stdout.splitlines()
    assert lines[0] == NOTE
    assert lines[0].startswith("Not private")
    assert "400 users, 25 items; 2 x 80% to learn from; user_add_remove, delta 1e-05" in lines[1]
    names = [line.partition("  ")[0] for line in lines[3:8]]
    assert names == ["RMSE", "als", "bias", "user's own mean", "global mean"]
    assert len({len(line) for line in lines[3:8]}) == 1
    found, by_key = errors(table, *options)
    assert found["private"] is False
    assert found["note"] == NOTE
    assert (found["users"], found["items"], found["splits"]) == (400, 25, 2)
    assert by_key.pop(("popularity of likes", None))["rmse"] is None
    for (name, epsilon), error in by_key.items():
        assert error["rmse"] == pytest.approx(np.mean(error["by_split"]))
        assert error["standard_deviation"] == pytest.approx(np.std(error["by_split"], ddof=1))
        (line,) = (each for each in lines[3:8] if each.startswith(name))
        text = f"{error['rmse']:.3f} +- {error['standard_deviation']:.3f}"
        assert line.count(text) == (1 if epsilon else 2)
    # with next to no noise factors explain ratings of rank 2, and with a lot of it they do not
    own, everybody = by_key["user's own mean", None]["rmse"], by_key["global mean", None]["rmse"]
    assert by_key["als", 2000]["rmse"] < by_key["bias", 2000]["rmse"] < everybody
    assert by_key["als", 2000]["rmse"] < 0.8 * own
    assert by_key["als", 0.5]["rmse"] > own


def test_the_means_are_those_of_the_split(table):
    _, by_key = errors(table, "--epsilon", 5, "--method", "bias", "--seed", 4, "--splits", 1)
    columns = {"user": None, "item": None, "rating": None, "timestamp": None}
    ratings = resolve(read_lines(table, columns), (LOW, HIGH))
    rng = np.random.default_rng([4, 0, 0])
    training, held_out = random_split(ratings, 0.8, rng, "public")
    everybody = training.values.mean()
    means = [training.values[training.users == user] for user in range(ratings.n_users)]
    own = np.array([each.mean() if each.size else everybody for each in means])
    for name, predicted in (("global mean", everybody), ("user's own mean", own[held_out.users])):
        wanted = np.sqrt(np.mean((predicted - held_out.values) ** 2))
        assert by_key[name, None]["by_split"] == [pytest.approx(wanted)]
        assert by_key[name, None]["standard_deviation"] is None


def test_what_is_compared_by_default(tmp_path):
    table = write_table(tmp_path / "mine.csv", rows_of())
    arguments = ["--rating-range", 1, 5, "--relation", "user", "--json"]
    found = json.loads(run("evaluate", table, *arguments).stdout)
    keys = [(each["method"], each["epsilon"]) for each in found["errors"]]
    assert keys[:6] == [(name, e) for name in ("bayes", "bias") for e in (1, 5, 20)]
    references = ("popularity of likes", "user's own mean", "global mean")
    assert keys[6:] == [(name, None) for name in references]
    for each in found["errors"]:
        assert (each["rmse"] is None) == (each["method"] == "popularity of likes")
        for part in [each] * (each["rmse"] is not None) + [each["recall"], each["ndcg"]]:
            assert len(part["by_split"]) == 3
    assert found["likes_from"] == 4


@pytest.mark.parametrize("relation", ["user", "entry"])
def test_every_method_that_the_relation_has(tmp_path, relation):
    table = write_table(tmp_path / "mine.csv", rows_of())
    methods = [*METHODS] if relation == "user" else ["als", "irls", "bias"]
    listed = [word for name in methods for word in ("--method", name)]
    arguments = ["--rating-range", 1, 5, "--relation", relation, "--epsilon", 5, *listed]
    texts = [run("evaluate", table, *arguments, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert all(f"\n{name} " in texts[0] for name in methods)


def test_columns_mechanisms_and_numbers_of_ratings(tmp_path):
    table = write_table(tmp_path / "mine.csv", rows_of(), header=("who", "item", "stars"))
    named = ["--user", "who", "--rating", "stars", "--epsilon", 5, "--method", "bias"]
    arguments = ["evaluate", table, "--rating-range", 1, 5, "--relation", "user", *named]
    results = [
        json.loads(run(*arguments, *more, "--json").stdout)
        for more in ((), ("--mechanism", "laplace"), ("--ratings-per-user", 2))
    ]
    assert results[1]["mechanism"] == "laplace"
    assert len({each["errors"][0]["rmse"] for each in results}) == 3
    assert len({each["errors"][1]["rmse"] for each in results}) == 1


REFUSALS = {
    "no range": (["--relation", "user"], "Give --rating-range LOWEST HIGHEST"),
    "range": (["--rating-range", 5, 1, "--relation", "user"], "rating_range must be two numbers"),
    "relation": (["--relation", "users"], "There is no neighbouring relation 'users'"),
    "method": (["--relation", "user", "--method", "biased"], "--method must be .* got 'biased'"),
    "method of users": (["--relation", "entry", "--method", "dpals"], "protects users with all"),
    "epsilon": (["--relation", "user", "--epsilon", 0], "epsilon must be a number above 0"),
    "delta": (["--relation", "user", "--delta", 2], r"delta must lie in \[0, 1\)"),
    "mechanism": (["--relation", "user", "--mechanism", "laplac"], "did you mean 'laplace'"),
    "column": (["--relation", "user", "--user", "who"], "there is no column 'who'"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_one_sentence(tmp_path, case):
    options, sentence = REFUSALS[case]
    ranged = [] if "range" in case else ["--rating-range", 1, 5]
    table = write_table(tmp_path / "mine.csv", rows_of())
    assert re.search(sentence, refused("evaluate", table, *ranged, *options))


def test_tables_that_are_refused(tmp_path):
    options = ["--rating-range", 1, 5, "--relation", "user"]
    said = refused("evaluate", tmp_path / "none.csv", *options)
    assert "none.csv cannot be read: No such file" in said
    said = refused("evaluate", tmp_path / "mine.xlsx", *options)
    assert "The table of ratings must be a file that ends in .csv" in said
    one = write_table(tmp_path / "one.csv", rows_of()[:1])
    assert "leaves no rating to train on or none to test on" in refused("evaluate", one, *options)


def test_a_store_is_evaluated_by_blocks(tmp_path, monkeypatch):
    """Errors by formulas on the ratings that a hash holds out; the same in blocks of any size."""
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((60, 9)) < 0.7)
    values = rng.integers(1, 6, users.size)
    with open(tmp_path / "mine.csv", "w") as stream:
        stream.write("user,item,rating\n")
        for row in zip(users.tolist(), items.tolist(), values.tolist(), strict=True):
            stream.write("{:02},{},{}\n".format(*row))
    columns = dict.fromkeys(("user", "item", "rating", "timestamp"))
    store = build(tmp_path / "mine.csv", tmp_path / "store", columns, block=70)
    monkeypatch.delattr("dpmc.publication.store.Store.lines")
    options = ("--rating-range", 1, 5, "--relation", "user", "--epsilon", 5, "--json")
    options += ("--method", "bayes", "--method", "ease", "--splits", 2)
    found = []
    for size in (2**18, 30):
        monkeypatch.setattr("dpmc.ratings.BLOCK", size)
        result = json.loads(run("evaluate", store.path, *options).stdout)
        found.append({each["method"]: each for each in result["errors"]})
    assert result["ratings"] == users.size
    assert {name for name in found[0] if found[0][name]["by_split"] is None} == {
        "ease", "popularity of likes",
    }  # fmt: skip
    for one, two in zip(*(each.values() for each in found), strict=True):
        for of_one, of_two in ((one, two), *((one[x], two[x]) for x in ("recall", "ndcg"))):
            wanted = [np.nan if each is None else each for each in of_one["by_split"] or [None]]
            seen = [np.nan if each is None else each for each in of_two["by_split"] or [None]]
            np.testing.assert_allclose(seen, wanted, rtol=1e-12)
    part = Seeded(np.random.default_rng([1, 0, 0])).parts(0.8)
    monkeypatch.setattr("dpmc.ratings.BLOCK", 2**18)
    whole = joined(Blocks(Store.open(store.path)).then(Resolved()))
    known, out = within(part, 0, whole), without(part, 0, whole)
    assert 0.7 < known.values.size / whole.values.size < 0.9
    means = known.means(float(np.mean(known.values)))
    error = np.sqrt(np.mean((out.values - out.per_rating(means)) ** 2))
    assert found[0]["user's own mean"]["by_split"][0] == pytest.approx(error, rel=1e-12)
    error = np.sqrt(np.mean((out.values - np.mean(known.values)) ** 2))
    assert found[0]["global mean"]["by_split"][0] == pytest.approx(error, rel=1e-12)


def test_threads_do_not_make_the_users_factors_each_for_itself():
    made = []

    class Rows:
        n_users = 8

        def blocks(self):
            for user in range(self.n_users):
                yield user, Compressed(np.array([0, 2]), np.arange(2, dtype=np.int32), np.ones(2))

    class Model:
        ranks, shape_, rating_range, _users = False, (8, 2), (0.0, 1.0), None

        @property
        def user_factors_(self):
            if self._users is None:
                made.append(1)
                time.sleep(0.1)
                self._users = np.ones(8)
            return self._users

        def predict(self, users, items):
            return self.user_factors_[users]

    rows = LabelledBlocks(
        Rows(), 4, n_items=2, item_labels=np.array(["a", "b"], object), user_labels=[*"abcdefgh"]
    )
    error, *_ = _of_blocks(Model(), rows, lambda first, rows: np.array([True, False]), 0.5)
    assert error == 0
    assert len(made) == 1
