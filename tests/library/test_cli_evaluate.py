"""`dpmc evaluate`: errors on held-out ratings by method and budget, for planning."""

import json
import re

import numpy as np
import pytest
from publication.small_tables import refused, rows_of, run, write_table

from dpmc.cli.evaluate_summary import HINT
from dpmc.cli.evaluation import MEAN, NOTE
from dpmc.datasets.synthetic import generate
from dpmc.fitting.fit import prepare
from dpmc.fitting.parameters import METHODS
from dpmc.methods.private_choice import Seeded, within, without
from dpmc.publication.reading import USUAL
from dpmc.publication.store_building import build
from dpmc.publication.table import read_lines, resolve
from dpmc.ratings import Ratings

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
    assert "400 users, 25 items; 2 x 80% to learn from; user_add_remove, delta 1e-06" in lines[1]
    names = [line.partition("  ")[0] for line in lines[3:9]]
    assert names == ["RMSE", "als", "bias", "best without privacy", MEAN, "global mean"]
    assert len({len(line) for line in lines[3:9]}) == 1
    found, by_key = errors(table, *options)
    assert found["private"] is False
    assert found["note"] == NOTE
    assert (found["users"], found["items"], found["splits"]) == (400, 25, 2)
    assert by_key.pop(("popularity without privacy", None))["rmse"] is None
    free = [by_key.pop((f"{name} without privacy", None)) for name in ("bayes", "Bayesian ALS")]
    by_key["best without privacy", None] = min(free, key=lambda error: error["rmse"])
    best = "Bayesian ALS" if free[1]["rmse"] < free[0]["rmse"] else "bayes at epsilon 1e+06"
    said = "Means, and rows without privacy, have no noise. The best without privacy is"
    assert f"{said} {best}." in lines
    assert HINT not in lines  # nobody likes anything: there are no lists
    for (name, epsilon), error in by_key.items():
        assert error["rmse"] == pytest.approx(np.mean(error["by_split"]))
        assert error["standard_deviation"] == pytest.approx(np.std(error["by_split"], ddof=1))
        (line,) = (each for each in lines[3:9] if each.startswith(name))
        text = f"{error['rmse']:.3f} +- {error['standard_deviation']:.3f}"
        assert line.count(text) == (1 if epsilon else 2)
    # with next to no noise factors explain ratings of rank 2, and with a lot of it they do not
    own, everybody = by_key[MEAN, None]["rmse"], by_key["global mean", None]["rmse"]
    assert by_key["als", 2000]["rmse"] < by_key["bias", 2000]["rmse"] < everybody
    assert by_key["als", 2000]["rmse"] < 0.8 * own
    assert by_key["als", 0.5]["rmse"] > own
    # nothing of a budget is better than what needs no privacy, where ratings are of rank 2
    assert by_key["best without privacy", None]["rmse"] < by_key["als", 2000]["rmse"]


def test_the_means_and_models_are_those_of_the_split(table):
    _, by_key = errors(table, "--epsilon", 5, "--method", "bias", "--seed", 4, "--splits", 1)
    ratings = resolve(read_lines(table, USUAL), (LOW, HIGH))
    part = Seeded(np.random.default_rng([4, 0, 0])).parts(0.8)
    known, out = (each(part, 0, ratings.by_user) for each in (within, without))
    assert 0.75 < known.values.size / len(ratings) < 0.85
    everybody = known.values.mean()
    sums = np.array([known.values[known.indptr[n] : known.indptr[n + 1]].sum() for n in range(400)])
    own = out.per_rating((sums + 2 * everybody) / (known.sizes + 2))  # two ratings at the mean
    for name, predicted in (("global mean", everybody), (MEAN, own)):
        wanted = np.sqrt(np.mean((predicted - out.values) ** 2))
        assert by_key[name, None]["by_split"] == [pytest.approx(wanted)]
        assert by_key[name, None]["standard_deviation"] is None
    # and a model is fitted to that part alone
    options = {"rating_range": (LOW, HIGH), "relation": "user", "method": "bias", "epsilon": 5}
    seeds = [int(np.random.default_rng([4, 0, k]).integers(2**63)) for k in (1, 2)]
    learnt = Ratings.from_rows(known, ratings.n_items)
    model = prepare(options).model.fit(learnt, rng=seeds[0], noise_rng=seeds[1])
    predicted = model.predict(out.per_rating(np.arange(out.n_rows)), out.indices)
    wanted = np.sqrt(np.mean((predicted - out.values) ** 2))
    assert by_key["bias", 5]["by_split"] == [pytest.approx(wanted)]


def test_what_is_compared_by_default(tmp_path):
    table = write_table(tmp_path / "mine.csv", rows_of())
    arguments = ["--rating-range", 1, 5, "--relation", "user", "--json"]
    assert f"\n{HINT}\n" in run("evaluate", table, *arguments[:-1], "--splits", 1).stdout
    found = json.loads(run("evaluate", table, *arguments).stdout)
    keys = [(each["method"], each["epsilon"]) for each in found["errors"]]
    assert keys[:6] == [(name, e) for name in ("bayes", "bias") for e in (1, 5, 20)]
    ratings = ("bayes without privacy", "Bayesian ALS without privacy")
    references = (*ratings, "popularity without privacy", MEAN, "global mean")
    assert keys[6:] == [(name, None) for name in references]
    for each in found["errors"]:
        assert (each["rmse"] is None) == (each["method"] == "popularity without privacy")
        # what tells no items apart makes no lists, and a limit of ratings is none of lists
        lists = each["method"] in ("bayes", "bias", "popularity without privacy")
        parts = [each] * (each["rmse"] is not None) + [each["recall"], each["ndcg"]] * lists
        assert all(len(part["by_split"]) == 3 for part in parts)
        assert (each["ndcg"]["ndcg"] is None) == (not lists)
    assert found["likes_from"] == 4


@pytest.mark.parametrize("relation", ["user", "entry"])
def test_every_method_that_the_relation_has(tmp_path, relation):
    table = write_table(tmp_path / "mine.csv", rows_of())
    methods = [*METHODS] if relation == "user" else ["als", "bias"]
    listed = [word for name in methods for word in ("--method", name)]
    arguments = ["--rating-range", 1, 5, "--relation", relation, "--epsilon", 5, *listed]
    texts = [run("evaluate", table, *arguments, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert all(f"\n{name} " in texts[0] for name in methods)


REFUSALS = {
    "no range": (["--relation", "user"], "Give --rating-range LOWEST HIGHEST"),
    "method": (["--relation", "user", "--method", "biased"], "--method must be .* got 'biased'"),
    "method of users": (["--relation", "entry", "--method", "bayes"], "protects users with all"),
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
    (tmp_path / "mine.xlsx").write_bytes(b"PK\xff\xfe")
    said = refused("evaluate", tmp_path / "mine.xlsx", *options)
    assert "line 1: bytes that are not utf-8 text; --encoding names another encoding" in said
    one = write_table(tmp_path / "one.csv", rows_of()[:1])
    said = refused("evaluate", one, *options)
    assert "leaves no rating to train on or none to test on" in said
    run("store", "build", one, "--output", tmp_path / "store")
    assert refused("evaluate", tmp_path / "store", *options) == said


@pytest.fixture
def stored(tmp_path):
    """A table and the store of it, in some ten blocks."""
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((60, 9)) < 0.7)
    labels = [f"u{number}" for number in users]  # not in the order of these
    values = rng.integers(1, 6, users.size).tolist()
    rows = zip(labels, items.tolist(), values, strict=True)
    table = write_table(tmp_path / "mine.csv", rows)
    return table, build(table, tmp_path / "store", block=40).path


RANGED = ("--rating-range", 1, 5)
OF_A_STORE = {
    "default": (*RANGED, "--relation", "user"),
    "ranking": ("--relation", "user", "--for", "ranking", "--likes-from", 4),
    "both": (*RANGED, "--relation", "user_replace", "--method", "bias", "--method", "ease"),
}


@pytest.mark.parametrize("options", OF_A_STORE.values(), ids=OF_A_STORE)
def test_a_store_is_evaluated_by_blocks_as_its_table_is(stored, options, monkeypatch):
    """All numbers that a store has are equal, in blocks of any size, and it is never in memory."""
    monkeypatch.delattr("dpmc.publication.store.Store.lines")
    options = (*options, "--epsilon", 5, "--splits", 2, "--json")
    found = []
    for source, size in ((stored[0], 2**18), (stored[1], 2**18), (stored[1], 30)):
        monkeypatch.setattr("dpmc.ratings.BLOCK", size)
        found.append(json.loads(run("evaluate", source, *options).stdout))
    # what is fitted in memory alone
    limits = ["Bayesian ALS without privacy", "EASE without privacy"]
    of_table = found[0]["errors"]
    found[0]["errors"] = [each for each in of_table if each["method"] not in limits]
    assert 0 < len(of_table) - len(found[0]["errors"]) <= 2
    assert found[0] == found[1] == found[2]
    methods = {each["method"] for each in found[0]["errors"]}
    ranked = {"private popularity"} if methods & {"ease"} else set()
    rated = {"bayes without privacy", MEAN, "global mean"} if methods & {"bayes", "bias"} else set()
    assert methods - {"ease", "bayes", "bias"} == ranked | rated | {"popularity without privacy"}


def test_what_would_need_all_of_a_store_is_asked_for_by_name(stored):
    options = (*RANGED, "--epsilon", 5, "--splits", 1, "--relation")
    said = refused("evaluate", stored[1], *options, "entry")
    assert "als and bias, need all of a store in memory" in said
    named = ("--method", "als", "--method", "bias")
    for more in (("user", *named), ("entry", *named)):
        outputs = [run("evaluate", source, *options, *more).stdout for source in stored]
        assert outputs[0] == outputs[1]
