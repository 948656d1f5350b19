"""Which ratings `dpmc fit` learns from: listed, one of a pair, or none at all."""

import csv

import numpy as np
import pytest
from small_tables import (
    ITEMS,
    PUBLIC,
    USERS,
    guarantee_of,
    labels_in,
    listed,
    publish,
    refused,
    rows_of,
    run,
    write_list,
    write_table,
)

from dpmc.fitting.fit import prepare
from dpmc.fitting.lists import Lists
from dpmc.fitting.ratings import load_ratings
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.release import GridNoise
from dpmc.publication.reading import USUAL

TIMED = ("user", "item", "rating", "when")
RANGE = (1, 5)
ENTRY = PUBLIC["entry"] | {"relation": "entry", "write": "user-factors"}
FITS = {
    "users": {},
    "users, bias": {"method": "bias"},
    "entries": ENTRY | {"items-are-public": None},
}
EVERY = pytest.mark.parametrize("name", FITS)


@pytest.fixture
def items(tmp_path):
    return write_list(tmp_path / "items.txt", ITEMS)


def simulated(name, table, items, output, **changes):
    """Return all bytes of what is published with noise from a seed, but for digests."""
    result = publish("fit", table, output, items=items, simulate=1, **FITS[name] | changes)
    texts = {path.name: path.read_bytes() for path in output.iterdir()}
    return texts, result.stderr


# -- unlisted ratings -----------------------------------------------------------------------------


def test_the_ratings_that_count_are_chosen_among_the_listed_ones(tmp_path, items):
    """3 listed and 1000 unlisted items, and k = 3: the three count, with exact noise too."""
    rows = [("u", f"x{number}", 1.0) for number in range(1000)] + [("u", i, 4.0) for i in "ace"]
    table = write_table(tmp_path / "mine.csv", rows)
    prepared = load_ratings(table, USUAL, RANGE, Lists(ITEMS, None, {}))
    assert prepared.look.remarks == [
        "1,000 of 1,003 ratings (99.7 %) are of items that are not in the list, and do not count: "
        "look up how the list and the table write items"
    ]
    options = {"method": "als", "relation": "user", "rating_range": RANGE, "ratings_per_user": 3}
    options |= {"epsilon": 1.0, "delta": 1e-6, "mechanism": "gaussian"}
    model = prepare(options).model
    ledger = Ledger(GridNoise(model.calibration.noise), model.releases, keep=True)
    model.fit(prepared.ratings, ledger=ledger)
    assert not model.guarantee_.simulated
    (counts,) = [each.query for each in ledger.transcript if each.what == "counts"]
    assert counts.tolist() == [1, 0, 1, 0, 1, 0]
    (sums,) = [each.query for each in ledger.transcript if each.what == "sums"]
    assert sums.tolist() == [1, 0, 1, 0, 1, 0]  # 4 less the centre of the range


@EVERY
def test_unlisted_ratings_change_no_bit(name, tmp_path, items):
    rows = rows_of(items=list("ace"))
    more = [(user, f"x{number}", 1.0) for user in USERS for number in range(40)]
    one, _ = simulated(name, write_table(tmp_path / "1.csv", rows), items, tmp_path / "one")
    table = write_table(tmp_path / "2.csv", [*more, *rows])
    two, stderr = simulated(name, table, items, tmp_path / "two")
    assert one == two
    assert "960 of 1,032 ratings (93.0 %) are of items that are not in the list" in stderr


# -- several ratings of a pair --------------------------------------------------------------------


def test_complete_resolves_alike(tmp_path, items):
    """A user's own completion is of the same one rating; what has no factors is left out."""
    publish("fit", write_table(tmp_path / "mine.csv", rows_of()), tmp_path / "out", items=items)
    rows = [("u", "a", 9.0, 1), ("u", "a", 1.0, 2), ("u", "b", 2.0, 1), ("u", "tea", 5.0, 1)]
    twice = write_table(tmp_path / "twice.csv", rows, TIMED)
    for timed, value in (((), 3.0), (("--timestamp", "when"), 1.0)):
        once = write_table(tmp_path / "once.csv", [("u", "a", value), ("u", "b", 2.0)])
        arguments = ("complete", "--model", tmp_path / "out", "--ratings")
        found, expected = run(*arguments, twice, *timed), run(*arguments, once)
        assert found.stdout == expected.stdout
        assert expected.stderr == ""
        assert found.stderr == (
            "dpmc: 1 item has no factors; ratings of such were left out (for your eyes only; it is "
            "in no file).\n"
            "dpmc: 1 rating was clipped to the range 1 to 5 (for your eyes only; it is in no "
            "file).\n"
        )
        assert [row[:2] for row in csv.reader(found.stdout.splitlines())][1:] == [
            ["u", item] for item in ITEMS
        ]


# -- none at all ----------------------------------------------------------------------------------

EMPTY = {
    "header only": "user,item,rating\n",
    "header without an end": "user,item,rating",
    "blank lines": "user,item,rating\n\n\n",
    "nothing that is listed": "user,item,rating\nvictim,rare_item,3\n",
}


@pytest.mark.parametrize("content", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("relation", ["user", "user_replace", "entry", "entry_change"])
@pytest.mark.parametrize("method", ["als", "bias"])
def test_an_empty_table_is_fitted_if_what_is_published_is_listed(
    method, relation, content, tmp_path, items
):
    """To refuse it would tell it from a table with one rating."""
    (tmp_path / "mine.csv").write_text(content)
    lists = {"items": items}
    if relation.startswith("entry"):
        users = write_list(tmp_path / "users.txt", USERS)
        lists |= {"users": users, "write": "user-factors"}
    changes = {"relation": relation, "method": method} | lists
    result = publish("fit", tmp_path / "mine.csv", tmp_path / "out", **changes)
    assert "there are no ratings to learn from (for your eyes only" in result.stderr
    assert labels_in(tmp_path / "out" / "item_factors.csv") == ITEMS
    assert guarantee_of(tmp_path / "out")["lists"]["items"]["count"] == len(ITEMS)
    with open(tmp_path / "out" / "item_factors.csv", newline="") as stream:
        table = np.array([row[1:] for row in csv.reader(stream)][1:], float)
    assert np.isfinite(table).all()
    run("verify", tmp_path / "out")
    completed = run("complete", "--model", tmp_path / "out", "--ratings", tmp_path / "mine.csv")
    assert completed.stdout.startswith("user,item,prediction\n")


def test_an_empty_table_without_lists_has_nothing_to_publish(tmp_path):
    (tmp_path / "mine.csv").write_text("user,item,rating\n")
    (tmp_path / "nothing.csv").write_text("")
    for name, changes, sentence, remarks in (
        ("nothing.csv", PUBLIC["user"], "nothing.csv", 0),
        ("mine.csv", PUBLIC["user"], "There are no items: a fit needs their list", 1),
        ("mine.csv", {"items-privately": 0.2}, "No item was rated by enough users to be listed", 1),
    ):
        arguments = listed("fit", tmp_path / name, tmp_path / "out", epsilon=10, **changes)
        assert sentence in refused(*arguments, remarks=remarks)
        assert not (tmp_path / "out").exists()
