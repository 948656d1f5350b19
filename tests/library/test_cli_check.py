"""`dpmc check` shows what a fit would do with a table, and spends nothing."""

import gzip
import json
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest
from publication.small_tables import (
    ITEMS,
    PUBLIC,
    listed,
    refusal_of,
    refused,
    rows_of,
    run,
    write_list,
    write_table,
)

from dpmc import PrivateFactorization
from dpmc.errors import NeedsALook
from dpmc.publication.store_building import build

NEEDS_A_LOOK = 4
CALM = {"epsilon": 5, "delta": 1e-6, "ratings-per-user": 10}


@pytest.fixture
def items(tmp_path):
    return write_list(tmp_path / "items.txt", [*ITEMS, "g"])


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "mine.csv", rows_of())


def check(table, items, status=0, **options):
    """Return what a check prints: facts by name, and remarks."""
    before = sorted(table.parent.rglob("*"))
    given = {"items": items, **CALM, **options}
    result = run("check", *listed("fit", table, "out", **given)[1:], status=status)
    assert sorted(table.parent.rglob("*")) == before, "a check writes nothing"
    lines = result.stdout.splitlines()
    remarks = [line.removeprefix("- Look: ") for line in lines if line.startswith("- Look: ")]
    facts = dict(line.split(":", 1) for line in lines if ":" in line and line[0] != "-")
    return {name: fact.strip() for name, fact in facts.items()}, remarks


def test_a_sound_table(table, items):
    facts, remarks = check(table, items)
    assert remarks == []
    assert facts["read as"] == (
        "text with comma between fields, a header and the encoding utf-8, because its name ends in "
        ".csv"
    )
    assert facts["columns used"] == "user 'user', item 'item', rating 'rating'"
    assert facts["columns ignored"] == "none"
    assert (facts["rows"], facts["users"], facts["items"]) == ("144", "24", "6")
    assert facts["ratings of items that are not listed"] == "0 of 144 (0.0 %)"
    assert facts["ratings outside of 1 to 5"] == "0 of 144 (0.0 %)"
    assert facts["delta times the number of users"] == "2.4e-05"
    assert facts["items that will be named"] == "all 7 in the list"
    assert "users that will be named" not in facts


REMARKS = {
    "items as floats": (
        lambda row: (row[0], f" {row[1]}.0", row[2]),
        "144 of 144 ratings (100.0 %) are of items that are not in the list, and do not count: ",
    ),
    "letter case": (
        lambda row: (row[0], row[1].upper(), row[2]),
        "6 labels look like a listed one, such as 'A' and 'a', 'B' and 'b', 'C' and 'c'",
    ),
    "full width": (lambda row: (row[0], chr(ord(row[1]) + 0xFEE0), row[2]), "'\uff41' and 'a'"),
    "another scale": (
        lambda row: (*row[:2], 20 * row[2]),
        "144 of 144 ratings (100.0 %) are outside of the range 1 to 5, and clipped to it; most ",
    ),
    "zero is not rated": (
        lambda row: (*row[:2], 0 if row[0] < "u12" else row[2]),
        "72 of 144 ratings (50.0 %) are outside of the range 1 to 5, and clipped to it; most "
        "often: 0 (72 times): look up which values a rating can take, and whether one of them "
        "means that an item was not rated.",
    ),
    "all alike": (lambda row: (*row[:2], 1.0), "all ratings are 1: look up whether the column"),
    "no user": (lambda row: ("", *row[1:]), "rows without a user count as those of one user"),
    "users in two ways": (
        lambda row: (row[0] if row[1] != "a" else row[0].upper(), *row[1:]),
        "24 users may be written in several ways, and each counts as another user",
    ),
    "twice": (lambda row: ("u00", "a", row[2]), "143 lines rate an item again; of such, their"),
}


@pytest.mark.parametrize("case", REMARKS)
def test_what_needs_a_look(case, tmp_path, items):
    change, expected = REMARKS[case]
    table = write_table(tmp_path / "mine.csv", map(change, rows_of()))
    _, remarks = check(table, items, status=NEEDS_A_LOOK)
    assert any(expected in each + "." for each in remarks), remarks
    assert not any("u1" in each for each in remarks), "users are not shown"
    assert check(table, items, status=NEEDS_A_LOOK, quiet=True) == ({}, remarks)


def test_lists_that_need_a_look(tmp_path, table):
    own = write_list(tmp_path / "own.txt", ITEMS)
    _, remarks = check(table, own, status=NEEDS_A_LOOK)
    assert remarks[0].startswith(
        "the list holds exactly the items that were rated: was it read off"
    )
    header = write_list(tmp_path / "header.txt", ["item_id", *ITEMS])
    _, remarks = check(table, header, status=NEEDS_A_LOOK)
    assert "the first listed item is called 'item_id', and nobody rated it" in remarks[0]


def test_budgets_that_need_a_look(table, items):
    _, remarks = check(table, items, status=NEEDS_A_LOOK, delta=1e-2)
    assert any("elta" in each for each in remarks)
    facts, _ = check(table, items, status=NEEDS_A_LOOK, delta=1e-2)
    assert facts["delta times the number of users"] == "0.24"


def test_likes_and_entries(tmp_path, items):
    likes = write_table(tmp_path / "likes.csv", [row[:2] for row in rows_of()], ("user", "item"))
    ranking = {"for": "ranking", "method": "ease", "ratings-per-user": None, "rank": None}
    facts, remarks = check(likes, items, **ranking, **{"rating-range": None})
    assert (remarks, facts["columns used"]) == ([], "user 'user', item 'item'")
    table = write_table(tmp_path / "mine.csv", rows_of())
    entry = {"relation": "entry", "users-are-public": True, "write": "user-factors"}
    entry["ratings-per-user"] = None
    facts, _ = check(table, items, **entry)
    assert facts["users that will be named"] == "all in the table"
    assert "the user factors" in facts["will be public"]


def test_what_a_fit_would_refuse_a_check_refuses(tmp_path, table, items):
    ledger = tmp_path / "mine.ledger"
    options = CALM | {"items": items, "ledger": ledger, "budget": "6,1e-6", "delta": 1e-7}
    arguments = listed("fit", table, tmp_path / "out", **options)
    run("check", *arguments[1:])
    assert not ledger.exists()
    run(*arguments)
    kept = ledger.read_bytes()
    assert "beyond its budget" in refused("check", *arguments[1:])
    bad = write_table(tmp_path / "bad.csv", [("u", "a", "x")])
    arguments = listed("fit", bad, tmp_path / "other", items=items, **CALM)
    assert refused("check", *arguments[1:]) == refused(*arguments)
    assert ledger.read_bytes() == kept


def test_a_fit_says_the_same_before_it_spends_and_stops_if_asked(tmp_path, items):
    table = write_table(tmp_path / "mine.csv", [(u, f"{i}.0", r) for u, i, r in rows_of()])
    _, remarks = check(table, items, status=NEEDS_A_LOOK)
    ledger = tmp_path / "mine.ledger"
    options = CALM | {"items": items, "ledger": ledger, "budget": "6,1e-6"}
    out, stop = tmp_path / "out", {"stop-if-remarks": True}
    for quiet in ({}, {"quiet": True}):
        arguments = listed("fit", table, out, **options, **stop, **quiet)
        said = refusal_of(*arguments, remarks=len(remarks), status=NEEDS_A_LOOK)
        assert said == (
            *(f"dpmc: {each[:-1]} (for your eyes only; it is in no file).\n" for each in remarks),
            f"dpmc: Stopped because of {len(remarks)} remarks; nothing was spent.\n",
        )
        assert not ledger.exists()
        assert not out.exists()
    run(*listed("fit", table, out, **options, quiet=True))
    assert ledger.exists()


def test_as_json(table, items):
    arguments = listed("fit", table, "out", items=items, json=True, **CALM)
    found = json.loads(run("check", *arguments[1:]).stdout)
    assert found["remarks"] == []
    assert found["facts"]["users"] == "24"


def test_a_store_is_looked_at_as_the_table_is(tmp_path, items):
    rows = [(u, i if u != "u01" else "tea", 0.0 if i == "b" else r) for u, i, r in rows_of()]
    table = write_table(tmp_path / "mine.csv", rows)
    store = build(table, tmp_path / "store", block=20).path
    for method in ("als", "bias"):
        here, there = (
            check(each, items, status=NEEDS_A_LOOK, method=method) for each in (table, store)
        )
        assert here[1] == there[1]
        both = here[0].keys() & there[0].keys() - {"read as"}
        assert {name: here[0][name] for name in both} == {name: there[0][name] for name in both}


# -- the same of the class -------------------------------------------------------------------------

COMMON = {"epsilon": 5, "delta": 1e-6, "rating_range": (1, 5), "items": [*ITEMS, "g"]}


def test_the_class_looks_alike(tmp_path, items, monkeypatch):
    table = write_table(tmp_path / "mine.csv", [(u, i, 20 * r) for u, i, r in rows_of()])
    frame = pd.DataFrame(rows_of(), columns=["user", "item", "rating"])
    frame["rating"] *= 20
    ledger = tmp_path / "mine.ledger"
    model = PrivateFactorization(**COMMON, ledger=ledger, budget=(10, 1e-6))
    monkeypatch.setattr("dpmc.fitting.fit.Fit.run", lambda *_: pytest.fail("a check ran a fit"))
    look = model.check(frame)
    _, remarks = check(table, items, status=NEEDS_A_LOOK)
    assert [f"{each}." for each in look.remarks] == remarks
    assert look.facts["users"] == "24"
    assert not ledger.exists()
    assert not hasattr(model, "guarantee_")
    with pytest.warns(UserWarning, match="outside of the range"), pytest.raises(NeedsALook):
        model.set_params(stop_if_remarks=True).fit(frame)
    assert not ledger.exists()


# -- forms -----------------------------------------------------------------------------------------

ROWS = [("7", "film 1", "5"), ("7", "Zo\u00eb", "3"), ("ann", "film 1", "4")]


def joined(separator, rows=ROWS, end="\n"):
    return "".join(separator.join(row) + end for row in rows)


def zipped(content, name="data/mine.csv"):
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


HEAD = "user,item,rating\n"
JSON = "".join(
    json.dumps({"reviewerID": u, "asin": i, "overall": float(r), "text": "x"}) + "\n"
    for u, i, r in ROWS
)
FORMS = {
    "blanks": ("mine.txt", joined("  \t", [(u, i.replace(" ", "_"), r) for u, i, r in ROWS]),
               {"separator": "blanks", "columns": "user,item,rating"}),
    "no header": ("mine.csv", joined(","), {"columns": "user,item,rating"}),
    "pipes": ("mine.csv", joined("|", [HEAD.strip().split(","), *ROWS]), {}),
    "tabs in a .dat": ("user_artists.dat", joined("\t", [("userID", "artistID", "weight"), *ROWS]),
                       {"separator": "tab"}),
    "latin-1": ("mine.csv", (HEAD + joined(",")).encode("latin-1"), {"encoding": "latin-1"}),
    "utf-16": ("mine.csv", (HEAD + joined(",")).encode("utf-16"), {"encoding": "utf-16"}),
    "old line ends": ("mine.csv", HEAD.strip() + "\r" + joined(",", end="\r"), {}),
    "gz": ("mine.csv.gz", gzip.compress((HEAD + joined(",")).encode()), {}),
    "xz": ("mine.csv.xz", lzma.compress((HEAD + joined(",")).encode()), {}),
    "zip": ("mine.zip", zipped(HEAD + joined(",")), {}),
    "json in a zip": ("mine.zip", zipped(JSON, "reviews.json"),
                      {"user": "reviewerID", "item": "asin", "rating": "overall"}),
    "a name that says something else": ("mine.gz", HEAD + joined(","), {"format": "csv"}),
    "JSON lines": ("mine.json", JSON, {"user": "reviewerID", "item": "asin", "rating": "overall"}),
    "hours": ("mine.tsv", joined("\t", [("Users", "games", "hours"), *ROWS]), {}),
    "missing": ("mine.csv", HEAD + joined(",") + "bob,film 1,0\nbob,film 1,\nbob,x,NA\n,,\n",
                {"missing": ("0", "--missing", "", "--missing", "NA")}),
}  # fmt: skip


@pytest.mark.parametrize("case", FORMS)
def test_files_as_people_have_them(case, tmp_path):
    """Each is read as the plain table is, to the last byte of the model."""
    name, content, options = FORMS[case]
    (tmp_path / "here").mkdir()
    table = tmp_path / "here" / name
    table.write_bytes(content if isinstance(content, bytes) else content.encode())
    plain = write_table(tmp_path / "plain.csv", list(ROWS))
    if case == "blanks":
        plain = write_table(
            tmp_path / "plain.csv", [(u, i.replace(" ", "_"), r) for u, i, r in ROWS]
        )
    common = {"epsilon": 5, "simulate": 3, **PUBLIC["user"]}
    models = []
    for each, more in ((table, options), (plain, {})):
        run(*listed("fit", each, tmp_path / "out", force=True, **common, **more))
        models.append({file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()})
    assert models[0] == models[1]
    if "zip" not in name:
        program = {key: value for key, value in options.items() if key in ("separator", "encoding")}
        program |= {key: options[key] for key in ("columns", "format") if key in options}
        names = [options.get(key) for key in ("user", "item", "rating")]
        model = PrivateFactorization(
            epsilon=5, rating_range=(1, 5), items=["film 1"], simulate=1,
            file_options=program or None, columns=names if names[0] else None,
            missing=[0, "", "NA"] if case == "missing" else None,
        )  # fmt: skip
        assert model.check(str(table)).facts["users"] == "2"


BAD_FORMS = {
    "pipes by name": ("mine.txt", "1050 215 3\n", {}, "--separator, --encoding and --columns"),
    "a .dat of another form": (
        "user_artists.dat", "userID\tartistID\tweight\n1\t1\t5\n", {},
        "The file was read as text with '::' between fields, the columns user, item, rating, "
        "timestamp and the encoding utf-8, because its name ends in .dat; --separator, --columns "
        "and --format change that.",
    ),
    "latin-1": ("mine.csv", (HEAD + joined(",")).encode("latin-1"), {}, "--encoding names another"),
    "keys": ("mine.json", JSON, {}, "the key 'user' is expected in each object; name another with"),
    "separator": ("mine.csv", HEAD, {"separator": '"'}, "--separator must be one or more ASCII"),
    "encoding": ("mine.csv", HEAD, {"encoding": "utf8000"}, "--encoding must be a name of a text"),
    "no such column": ("mine.csv", HEAD, {"columns": "a,b", "user": "x"}, "--columns names no col"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FORMS)
def test_a_refusal_names_what_was_assumed_and_the_option_that_changes_it(case, tmp_path):
    name, content, options, expected = BAD_FORMS[case]
    table = tmp_path / name
    table.write_bytes(content if isinstance(content, bytes) else content.encode())
    sentence = refused(*listed("fit", table, tmp_path / "out", **PUBLIC["user"], **options))
    assert expected in sentence
    assert not any(secret in sentence for secret in ("1050", "215", "Zo"))


def test_missing_codes_of_frames_and_matrices(tmp_path):
    from scipy.sparse import csr_array

    matrix = np.array([[5.0, 0.0, 3.0], [0.0, 4.0, 0.0]])
    stored = csr_array((matrix.ravel(), np.tile(np.arange(3), 2), [0, 3, 6]), shape=(2, 3))
    frame = pd.DataFrame(
        {"user": [0, 0, 0, 1, 1, 1], "item": [0, 1, 2] * 2, "rating": [5, None, 3, np.nan, 4, 0]}
    )
    model = PrivateFactorization(epsilon=5, rating_range=(1, 5), items=range(4), simulate=1)
    for table, missing in ((stored, 0), (frame, [0, None])):
        found = model.set_params(missing=missing).check(table)
        assert found.facts["rows"] == "6, of which 3 mean 'not rated'"
        assert found.remarks == []
    # predictions know them, too
    model.set_params(missing=0).fit(stored)
    some = model.recommend(csr_array(np.array([[5.0, 0, 3, 0]])), 4)
    assert model.recommend({0: 5, 1: 0, 2: 3}, 4) == some
