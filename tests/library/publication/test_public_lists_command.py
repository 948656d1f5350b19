"""Lists of items and users of `dpmc fit`: what is refused, and what nobody sees.

Exact noise at epsilon 30 and delta 1e-9: a private choice with the share 0.4 lists an item of one
user in at most 4 of 1e10 runs (it is a theorem, whatever the noise), and leaves out one that all of
24 users rated still more rarely: noise has to be 14 standard deviations off.
"""

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
    write_list,
    write_table,
)

ENTRY = {"relation": "entry"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table, lists of what is in it, and files that are no lists."""
    folder = tmp_path_factory.mktemp("files")
    write_table(folder / "mine.csv", rows_of())
    write_list(folder / "items.txt", ITEMS)
    write_list(folder / "users.txt", USERS)
    for name, (content, _) in BAD.items():
        if content is not None:
            (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return folder


def placed(options, files):
    """Return options with files where they are."""
    return {
        name: files / value if str(value).endswith(".txt") else value
        for name, value in options.items()
    }


# -- what is refused ------------------------------------------------------------------------------

ITEMS_FILE, USERS_FILE = {"items": "items.txt"}, {"users": "users.txt"}
ONE_ITEMS = "Give one of --items, --items-are-public and --items-privately alone."
ONE_USERS = "Give one of --users and --users-are-public alone."
NO_ITEMS, NO_USERS = "Say where the list of items is from", "Say where the list of users is from"
BETWEEN = "must lie between 0 and 1, such as 0.2, got"
OF_NO_USE = "is of no use where users are protected"
REFUSALS = {
    "none": ({}, f"{NO_ITEMS}, because a list taken from the ratings would give away an item"),
    "none at entry level": (ENTRY, "--items-are-public if everybody knows which there are."),
    "all": (ITEMS_FILE | PUBLIC["user"] | {"items-privately": 0.2}, ONE_ITEMS),
    "users": (ITEMS_FILE | USERS_FILE, f"--users {OF_NO_USE}"),
    "public users": (ITEMS_FILE | {"users-are-public": True}, f"--users-are-public {OF_NO_USE}"),
    "entry without users": (ENTRY | ITEMS_FILE, NO_USERS),
    "entry without items": (ENTRY | USERS_FILE, NO_ITEMS),
    "users twice": (ENTRY | ITEMS_FILE | USERS_FILE | {"users-are-public": True}, ONE_USERS),
    "privately at entry level": (
        ENTRY | {"items-privately": 0.2}, "--items-privately is for the relations user and user_re",
    ),
    "privately, laplace": (
        {"items-privately": 0.2, "mechanism": "laplace"}, "leave out --mechanism, and the noise is",
    ),
    "privately, delta 0": (
        {"items-privately": 0.2, "delta": 0}, "which needs a --delta above 0, such as 1e-6.",
    ),
    "privately, nobody listed": (
        {"items-privately": 1e-3, "epsilon": 1, "ratings-per-user": 6},
        "No item was rated by enough users to be listed privately: with noise of standard",
    ),
} | {
    f"share {share}": ({"items-privately": share}, f"{BETWEEN} {float(share)!r}")
    for share in (0, 1, 1.5, -0.2, "nan", "inf")
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_lists_that_are_missing_or_too_many(name, files, tmp_path):
    changes, wanted = REFUSALS[name]
    sentence = refused(
        *listed("fit", files / "mine.csv", tmp_path / "out", **placed(changes, files))
    )
    assert wanted in sentence
    if wanted.startswith(NO_ITEMS):  # only where it can be had
        of_users = changes.get("relation", "user").startswith("user")
        assert ("--items-privately SHARE" in sentence) == of_users
    assert list(tmp_path.iterdir()) == []


BAD = {
    "twice.txt": (b"a\nb\n a \n", "line 3: the {} 'a' is on line 1 already; list it once."),
    "empty.txt": (b"", "names no {}s; a list must have at least one."),
    "blank.txt": (b"\n \n\t\n", "names no {}s; a list must have at least one."),
    "latin.txt": ("a\nZoë\n".encode("latin-1"), "line 2: this is not UTF-8 text."),
    "header.csv": (b"name,title\na,b\n", "no column looks like the {}"),
    "short.csv": (b"user,item,n\na,b,c\nd\n", "CSV parse error: Expected 3 columns, got 1"),
    "half.parquet": (b"PAR1", "is not a whole Parquet file."),
    "nowhere.txt": (None, "nowhere.txt cannot be read: No such file or directory."),
    "folder": (None, "folder cannot be read: Is a directory."),
    "nothing.csv": (b"", "line 1: the names of the columns are expected here"),
    "no_rows.csv": (b"user,item\n", "names no {}s; a list must have at least one."),
    "bytes.csv": (b"\xe9,item\n1,2\n", "line 1: this is not UTF-8 text"),
    "more_bytes.csv": (b"user,item\n\xe9,\xe9\n", "is not a table with a header: In CSV column"),
    "again.csv": (b"user,item\na,a\nb,b\na ,a \n", "row 3: the {} 'a' is on row 1 already"),
    "gap.csv": (b"user,item\na,a\n , \n", "row 2: a label is expected for the {}"),
    "several.csv": (b"user,uid,item,movie\na,b,c,d\n", "several columns look like the {}"),
    "headless.csv": (b"Heat\nAlien\n", "or give one label a line in a .txt file."),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_are_no_lists(name, files, tmp_path):
    for what, others in (("item", {}), ("user", ENTRY | ITEMS_FILE)):
        changes = placed(others, files) | {f"{what}s": files / name}
        sentence = refused(*listed("fit", files / "mine.csv", tmp_path / "out", **changes))
        assert BAD[name][1].format(what) in sentence
        assert list(tmp_path.iterdir()) == []


# -- what nobody sees -----------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["items", "users"])
def test_the_table_of_ratings_is_no_list(what, tmp_path):
    """Of one user, or of one item, it would pass as one: no label is there twice."""
    rows = rows_of(["vic"]) if what == "items" else rows_of(items=["a"])
    table = write_table(tmp_path / "mine.csv", rows)
    (tmp_path / "other.csv").symlink_to(table)
    for name in ("mine.csv", "other.csv"):
        options = ENTRY | PUBLIC["entry"] | {f"{what}-are-public": None, what: tmp_path / name}
        sentence = refused(*listed("fit", table, tmp_path / "out", **options))
        assert f"--{what} names the table of ratings: give a list that is known without" in sentence
    assert not (tmp_path / "out").exists()


def test_lists_are_published_as_they_were_given(files, tmp_path):
    """In their order, with what nobody rated, whatever labels look like."""
    items, users = ["z", "7", "007", "b", "Zoë", 'a, "b"'], ["nobody", *USERS[::-1]]
    lists = {
        "items": write_list(tmp_path / "items.txt", items),
        "users": write_list(tmp_path / "users.txt", users),
    }
    changes = ENTRY | {"write": "user-factors"} | lists
    publish("fit", files / "mine.csv", tmp_path / "out", **changes)
    assert labels_in(tmp_path / "out" / "item_factors.csv") == items
    assert labels_in(tmp_path / "out" / "user_factors.csv") == users
    stated = guarantee_of(tmp_path / "out")["lists"]
    for what, labels in (("items", items), ("users", users)):
        assert (stated[what]["origin"], stated[what]["count"]) == ("a file", len(labels))


def test_a_private_choice_lists_what_many_rated(tmp_path):
    """24 users for 5 items, one for each of 40 others: sorted, none of the others, none lacking."""
    rows = rows_of(items=["e", "d", "c", "b", "a"]) + [("u00", f"x{k}", 1.0) for k in range(40)]
    table = write_table(tmp_path / "mine.csv", rows)
    changes = {"items-privately": 0.4, "ratings-per-user": 45}
    changes |= {"epsilon": 300}  # so that k = 45 leaves a threshold below 24
    result = publish("fit", table, tmp_path / "out", **changes)
    assert labels_in(tmp_path / "out" / "item_factors.csv") == list("abcde")
    stated = guarantee_of(tmp_path / "out")
    assert 1 < stated["listed"]["threshold"] < 20
    assert stated["lists"]["items"]["origin"] == "chosen privately"
    assert "items" not in stated["assumed_public"]
    assert "provided that" not in stated["sentence"]
    assert "the law of the list of items and what is learnt of the items" in stated["sentence"]
    assert stated["sentence"] in result.stdout
