"""`dpmc complete`: the best items, unknown items, and the files that it writes."""

import csv
import io
import json
import stat

import numpy as np
import pytest
from publication.forging import mended
from publication.small_tables import ITEMS, USERS, listed, refused, rows_of, run, write_table
from pyarrow import parquet

from dpmc import PrivateFactorization
from dpmc.cli import complete as command
from dpmc.methods.kernels import completion
from dpmc.ratings import Compressed
from dpmc.released import PublishedItems, PublishedRanking, load


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, and ratings of half of the items by each user."""
    folder = tmp_path_factory.mktemp("complete")
    table = write_table(folder / "all.csv", rows_of())
    run(*listed("fit", table, folder / "model", **{"items-are-public": True}))
    rows = [row for place, row in enumerate(rows_of()) if (place + place // 6) % 2]
    write_table(folder / "mine.csv", rows)
    return folder


def complete(folder, *options, ratings="mine.csv"):
    arguments = ["--model", folder / "model", "--ratings", folder / ratings, *options]
    return run("complete", *arguments)


def rows_in(text):
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["user", "item", "prediction"]
    return [(user, item, float(value)) for user, item, value in rows]


def by_user(rows):
    found = {}
    for user, item, value in rows:
        found.setdefault(user, {})[item] = value
    return found


def rated(folder):
    with open(folder / "mine.csv", newline="") as stream:
        rows = [*csv.reader(stream)][1:]
    return by_user([(user, item, float(value)) for user, item, value in rows])


def best(values, n):
    """The n items of the highest values."""
    return sorted(values, key=lambda item: -values[item])[:n]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("suffix", [None, "csv", "jsonl", "parquet"])
def test_users_who_rated_all_items_are_counted(folder, tmp_path, number, suffix):
    """They have no best item that is new to them, so that no row is theirs."""
    write_table(
        tmp_path / "mine.csv", [row for row in rows_of() if row[0] in USERS[:number]]
        + [(USERS[5], ITEMS[0], 3)],
    )  # fmt: skip
    options = [] if suffix is None else ["--output", tmp_path / f"out.{suffix}"]
    arguments = ["--model", folder / "model", "--ratings", tmp_path / "mine.csv", "--top", 2]
    said = run("complete", *arguments, *options)
    expected = {
        0: "",
        1: "dpmc: 1 user rated every item of the model and is left out; --include-rated",
        2: "dpmc: 2 users rated every item of the model and are left out; --include-rated",
    }
    assert expected[number] in said.stderr
    assert ("rated every item" in said.stderr) == bool(number)
    if suffix is None:
        assert list(by_user(rows_in(said.stdout))) == [USERS[5]]
    assert "rated every item" not in run("complete", *arguments, "--include-rated").stderr


@pytest.mark.parametrize("n", [1, 2, 5, 100])
@pytest.mark.parametrize("include", [False, True])
def test_top_is_the_best_of_all(folder, n, include):
    everything = by_user(rows_in(complete(folder).stdout))
    assert all(list(values) == ITEMS for values in everything.values())
    options = ["--top", n] + ["--include-rated"] * include
    found = by_user(rows_in(complete(folder, *options).stdout))
    own, published = rated(folder), load(folder / "model")
    assert list(found) == list(everything) == USERS
    for user, values in everything.items():
        score = dict(zip(ITEMS, published.complete(own[user], clipped=False), strict=True))
        left = {item: v for item, v in score.items() if include or item not in own[user]}
        assert list(found[user]) == best(left, n)
        # lists are made by compiled code, which rounds otherwise
        wanted = {item: values[item] for item in found[user]}
        assert found[user] == pytest.approx(wanted, rel=1e-13)


def with_items(folder, place, lines, mine):
    """Write a model of these items, and ratings beside it."""
    (place / "model").mkdir()
    text = (folder / "model" / "guarantee.json").read_text()
    (place / "model" / "guarantee.json").write_text(text)
    lines = ["item,offset,factor_1", *lines]
    (place / "model" / "item_factors.csv").write_text("\n".join(lines) + "\n")
    mended(place / "model")
    write_table(place / "mine.csv", mine)


def test_the_best_are_ranked_before_they_are_clipped(folder, tmp_path):
    """Nine items are predicted the highest rating or the lowest: the order tells them apart."""
    offsets = {"d": 5.1, "e": 0.4, "a": 5.9, "f": 5.3, "b": 2.0, "g": 0.9, "c": 5.5, "h": -1.0}
    # liking s, ann likes each a little more, and z, which stands far behind, most of all
    lines = [*(f"{item},{offset},0.1" for item, offset in offsets.items()), "s,3,1", "z,3,99"]
    with_items(folder, tmp_path, lines, [("ann", "s", 5), ("bob", "tea", 1)])
    found = by_user(rows_in(complete(tmp_path, "--top", 5).stdout))
    assert list(found["ann"].items()) == [*dict.fromkeys("zacfd", 5.0).items()]
    assert list(found["bob"].items())[:4] == [*dict.fromkeys("acfd", 5.0).items()]
    everything = by_user(rows_in(complete(tmp_path, "--top", 10, "--include-rated").stdout))
    assert [*everything["bob"]][-4:] == ["b", "g", "e", "h"]
    assert [*everything["bob"].values()][-3:] == [1.0, 1.0, 1.0]
    loaded = PrivateFactorization.load(tmp_path / "model")
    assert list(loaded.recommend({"s": 5}, n=5).items()) == list(found["ann"].items())
    assert list(loaded.recommend({}, n=99).items()) == list(everything["bob"].items())


def test_unknown_items_stop_nothing_and_are_counted(folder):
    rows = [*csv.reader(io.StringIO((folder / "mine.csv").read_text()))][1:]
    secret = "Qzx7"
    write_table(folder / "more.csv", [*rows, (USERS[0], secret, 5), ("newcomer", secret, 1)])
    for options in ([], ["--top", 3]):
        known, more = (
            complete(folder, *options, ratings=name) for name in ("mine.csv", "more.csv")
        )
        expected = by_user(rows_in(known.stdout))
        found = by_user(rows_in(more.stdout))
        newcomer = found.pop("newcomer")
        assert found == expected
        assert newcomer  # at the items' offsets, as of any user without ratings
        assert more.stderr == (
            "dpmc: 1 item has no factors; ratings of such were left out (for your eyes only; it is "
            "in no file).\n" + "dpmc: ranked by predicted ratings.\n" * ("--top" in options)
        )
        assert known.stderr == more.stderr.partition("in no file).\n")[2]


def test_one_user_alone_gets_the_same_to_the_last_bit(folder):
    everything = by_user(rows_in(complete(folder).stdout))
    for user in (USERS[0], USERS[11], USERS[-1]):
        assert by_user(rows_in(complete(folder, "--only-user", user).stdout)) == {
            user: everything[user]
        }
    first = rows_in(complete(folder, "--top", 2).stdout)[:2]
    assert rows_in(complete(folder, "--top", 2, "--only-user", f" {USERS[0]} ").stdout) == first


def test_what_others_rated_is_not_said_to_one_user(folder, tmp_path):
    rows = [("ann", "a", 4), ("bob", "Qzx7", 5), ("bob", "Qzx8", 5)]
    write_table(folder / "few.csv", rows)
    assert complete(folder, "--only-user", "ann", ratings="few.csv").stderr == ""
    assert "2 items have no" in complete(folder, "--only-user", "bob", ratings="few.csv").stderr


def test_a_user_who_is_not_there(folder, tmp_path):
    out = tmp_path / "x.csv"
    arguments = ["--model", folder / "model", "--ratings", folder / "mine.csv"]
    sentence = refused("complete", *arguments, "--only-user", "nobody", "--output", out)
    assert "mine.csv has no user 'nobody': give --only-user a label from its column" in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at_a_time", [1, 2 * len(ITEMS) + 1, 10**6])
@pytest.mark.parametrize("options", [[], ["--top", "2"], ["--top", "2", "--include-rated"]])
def test_users_are_completed_some_at_a_time(folder, monkeypatch, options, at_a_time):
    expected = complete(folder, *options).stdout
    monkeypatch.setattr(command, "PREDICTIONS_AT_A_TIME", at_a_time)
    found, sizes = completion.best_of, []
    monkeypatch.setattr(
        completion, "best_of", lambda *a, **k: sizes.append(a[1].n_rows) or found(*a, **k)
    )
    assert complete(folder, *options).stdout == expected
    assert all(size <= max(1, at_a_time // 2) for size in sizes)


@pytest.mark.parametrize("kind", ["plain", "precisions", "likes", "all are likes"])
@pytest.mark.parametrize("include", [False, True])
def test_lists_of_many_users_are_those_of_each(kind, include):
    rng = np.random.default_rng(5)
    n_items = 2500  # more than are scored at a time
    labels = [str(number) for number in range(n_items)]
    items = (labels, rng.uniform(1, 5, n_items), rng.normal(size=(n_items, 3)), (1.0, 5.0), 0.7)
    precisions = rng.uniform(0.5, 2, n_items) if kind == "precisions" else None
    model = PublishedItems(*items, precisions=precisions)
    if "likes" in kind:
        level = 3.0 if kind == "likes" else None
        model = PublishedRanking(*items, scales=rng.uniform(1, 2, n_items), likes_from=level)
    observed = rng.random((40, n_items)) < 0.02
    observed[7] = False
    values = rng.uniform(0, 6, observed.shape)[observed]
    indptr = np.concatenate([[0], np.cumsum(observed.sum(axis=1))])
    rows = Compressed(indptr, np.nonzero(observed)[1].astype(np.int32), values)
    found = completion.best_of(model, rows, 9, include_rated=include)
    every, sooner = (completion.best_of(model, rows, n)[1] for n in (10**30, len(model.labels)))
    np.testing.assert_array_equal(every, sooner)  # a number that no array is as long as
    numbers, places, shown = found
    assert numbers.tolist() == [9] * 40
    every = model.complete_rows(indptr, rows.indices, values, clipped=False)
    for user in range(40):
        own = np.arange(n_items) if include else np.flatnonzero(~observed[user])
        expected = own[np.argsort(-every[user, own], kind="stable")[:9]]
        assert places[9 * user : 9 * user + 9].tolist() == expected.tolist()
        wanted = model.shown(every[user, expected])
        np.testing.assert_allclose(shown[9 * user : 9 * user + 9], wanted, rtol=1e-12)


@pytest.mark.parametrize("options", [[], ["--top", "2"]])
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_files_hold_the_same(folder, tmp_path, options, suffix):
    write_table(tmp_path / "mine.csv", [('Zoë "x"', "a", 4), ("bob", "b", 2)])
    path, given = tmp_path / "new" / f"x.{suffix}", {"ratings": tmp_path / "mine.csv"}
    complete(folder, *options, "--output", path, **given)
    rows = (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if (suffix == "jsonl")
        else parquet.read_table(path).to_pylist()
    )
    assert all(list(each) == ["user", "item", "prediction"] for each in rows)
    found = [tuple(each.values()) for each in rows]
    assert found == rows_in(complete(folder, *options, **given).stdout)


def test_parquet_without_a_row(folder, tmp_path):
    write_table(tmp_path / "none.csv", [])
    complete(folder, "--output", tmp_path / "x.parquet", ratings=tmp_path / "none.csv")
    assert parquet.read_table(tmp_path / "x.parquet").num_rows == 0


def test_a_file_is_replaced_only_by_force(folder, tmp_path):
    out = tmp_path / "mine.csv"
    complete(folder, "--top", 1, "--output", out)
    before = out.read_text()
    arguments = ["--model", folder / "model", "--ratings", folder / "mine.csv", "--output", out]
    assert f"{out} exists; name another --output" in refused("complete", *arguments)
    assert out.read_text() == before
    complete(folder, "--output", out, "--force")
    assert out.read_text() == complete(folder).stdout
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("suffix", command.SUFFIXES)
def test_nobody_else_may_read_what_is_for_one_user(folder, tmp_path, suffix):
    out = tmp_path / f"own{suffix}"
    out.write_text("")
    out.chmod(0o644)
    complete(folder, "--top", 1, "--output", out, "--force")
    assert stat.filemode(out.stat().st_mode) == "-rw-------"


def test_rated_items_are_an_option_of_top(folder):
    arguments = ["--model", folder / "model", "--ratings", folder / "mine.csv"]
    sentence = refused("complete", *arguments, "--include-rated")
    assert "--include-rated goes with --top: without it, all items are written." in sentence


@pytest.mark.parametrize(
    ("constants", "factors", "words"),
    [
        ({"rating_range": [1, 2, 3]}, None, "holds no output of dpmc fit"),
        ({"rating_range": [5, 1]}, None, "holds no output of dpmc fit"),
        ({"rating_range": [1, float("inf")]}, None, "holds no output of dpmc fit"),
        ({"user_regularization": 0}, None, "holds no output of dpmc fit"),
        ({"user_regularization": 10**400}, None, "holds no output of dpmc fit"),
        ({}, "item,offset,factor_1\na,1,2\na,1,2\n", "names an item twice"),
        ({}, "item,offset,factor_1\na,1,nan\n", "holds a number that is not finite, or far too"),
        ({}, "item,offset,factor_1\na,1,1e300\n", "holds a number that is not finite, or far too"),
    ],
)
def test_folders_that_hold_something_else(folder, tmp_path, constants, factors, words):
    stated = json.loads((folder / "model" / "guarantee.json").read_text())
    stated["constants"] |= constants
    (tmp_path / "guarantee.json").write_text(json.dumps(stated))
    factors = factors or (folder / "model" / "item_factors.csv").read_text()
    (tmp_path / "item_factors.csv").write_text(factors)
    assert words in refused("complete", "--model", tmp_path, "--ratings", folder / "mine.csv")
