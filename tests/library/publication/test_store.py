"""A store stands for the table that it is made of, and is written whole or not at all."""

import json
import os
import pickle
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from publication.small_tables import (
    listed,
    publish,
    refused,
    rows_of,
    run,
    write_list,
    write_table,
)
from pyarrow import parquet

from dpmc.errors import InputError, ParameterError
from dpmc.files import content_digest
from dpmc.methods.blocks import Blocks
from dpmc.publication import lines, pieces, store_building
from dpmc.publication.lists import restrict
from dpmc.publication.reading import USUAL, reading_of
from dpmc.publication.store import Resolved, Store
from dpmc.publication.store_building import build
from dpmc.publication.table import read_lines, resolve

TIMED = reading_of(timestamp="when")
HEADER = ("user", "item", "rating", "when")
LABELS = st.sampled_from(["1", "2", "10", "007", "ann", "Zoë", " ann", "z" * 1000, "\ufeff1"])
VALUES = st.sampled_from([1.0, 2.5, 0.1, 0.0, -0.0, 1 / 3, 9.0, 1e300])
ROWS = st.lists(st.tuples(LABELS, LABELS, VALUES, st.integers(0, 3)), max_size=25)
SMALL = build.__kwdefaults__ | {"block": 50}


def contents(folder):
    """Return the bytes of all files of a folder, by name."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def many(n=400, seed=0):
    """Rows with pairs that repeat, and times that do."""
    rng = np.random.default_rng(seed)
    users, items = rng.integers(40, size=n), rng.integers(12, size=n)
    values, times = rng.integers(1, 11, size=n) / 2, rng.integers(3, size=n)
    return [
        (f"u{user}", f"i{item}", float(value), int(when))
        for user, item, value, when in zip(users, items, values, times, strict=True)
    ]


def bits(ratings):
    arrays = (ratings.users, ratings.items, ratings.values)
    labels = (ratings.user_labels.tolist(), ratings.item_labels.tolist())
    return (*(array.tobytes() for array in arrays), *labels)


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "mine.csv", many(), HEADER)


@settings(deadline=None, max_examples=60)
@given(
    rows=ROWS, block=st.integers(1, 9), timed=st.booleans(), span=st.sampled_from([None, (1, 3)])
)
def test_a_store_holds_what_the_table_does(tmp_path_factory, rows, block, timed, span):
    folder, columns = tmp_path_factory.mktemp("store"), TIMED if timed else USUAL
    table = write_table(folder / "mine.csv", rows, HEADER)
    wanted = resolve(read_lines(table, columns), span)
    store = build(table, folder / "store", columns, block=block)
    assert bits(resolve(store.lines(), span)) == bits(wanted)
    # and block by block, without all of it in memory
    blocks = Blocks(store).then(Resolved(span)).blocks()
    firsts, found = zip(*blocks, strict=True) if rows else ((), ())
    assert firsts == tuple(np.cumsum([0, *(each.n_rows for each in found)])[:-1])
    assert b"".join(each.indices.tobytes() for each in found) == wanted.items.tobytes()
    assert b"".join(each.values.tobytes() for each in found) == wanted.values.tobytes()
    sizes = np.concatenate([np.empty(0, int), *(each.sizes for each in found)])
    assert sizes.tolist() == wanted.by_user.sizes.tolist()
    labels = [label for number in range(store.n_blocks) for label in store.user_labels(number)]
    assert labels == list(store.users) == wanted.user_labels.tolist()
    for first, end in ((0, 1), (1, 4), (3, 99), (5, 5)):
        assert store.users[first:end].tolist() == labels[first:end]
    asked = [*labels[1::2], "nobody"]
    some, expected = store.ratings_of(asked, span), restrict(wanted, None, labels[1::2])
    assert bits(some) == bits(expected)
    assert (store.n_users, store.n_items) == (wanted.n_users, wanted.n_items)
    store.verify()


@pytest.mark.parametrize("columns", [USUAL, TIMED])
def test_neither_the_order_of_the_rows_nor_the_pieces_change_a_byte(
    tmp_path, table, monkeypatch, columns
):
    wanted = contents(build(table, tmp_path / "first", columns, block=50).path)
    assert len([name for name in wanted if name.endswith("indptr.npy")]) > 4
    rows = many()
    np.random.default_rng(1).shuffle(rows)
    shuffled = write_table(tmp_path / "shuffled.csv", rows, HEADER)
    monkeypatch.setattr(lines, "BLOCK", 200)
    monkeypatch.setattr(store_building, "BLOCK", 7)
    assert contents(build(shuffled, tmp_path / "second", columns, block=50).path) == wanted
    monkeypatch.setattr(pieces, "ROWS", 13)
    place = tmp_path / "folder.parquet"  # as Spark names it
    place.mkdir()
    for number, (first, end) in enumerate(pairwise([0, 100, 101, 400])):
        part = dict(zip(HEADER, zip(*rows[first:end], strict=True), strict=True))
        parquet.write_table(pa.table(part), place / f"{number}.parquet")
    assert contents(build(place, tmp_path / "third", columns, block=50).path) == wanted


def test_a_fit_of_a_store_is_that_of_the_table(tmp_path):
    table = write_table(tmp_path / "mine.csv", many(), HEADER)
    items = write_list(tmp_path / "items.txt", [f"i{number}" for number in range(12)])
    with mock.patch.object(store_building.build, "__kwdefaults__", SMALL):
        run("store", "build", table, "--output", tmp_path / "store")
    assert Store.open(tmp_path / "store").n_blocks > 4
    for method in ("als", "bayes"):
        outputs = [tmp_path / f"{method}_{name}" for name in ("table", "store")]
        for source, output in zip((table, tmp_path / "store"), outputs, strict=True):
            publish("fit", source, output, items=items, method=method, simulate=3)
        assert contents(outputs[0]) == contents(outputs[1])
    for extra in ((), ("--top", 3), ("--only-user", "u17")):
        completed = [
            run("complete", "--model", outputs[0], "--ratings", source, *extra).output
            for source in (table, tmp_path / "store")
        ]
        assert completed[0] == completed[1]
    arguments = ("complete", "--model", outputs[0], "--ratings", tmp_path / "store")
    for nobody in ("a", "u17a", "z"):
        assert f"has no user '{nobody}'" in refused(*arguments, "--only-user", nobody)


def test_a_store_of_likes(tmp_path):
    table = write_table(tmp_path / "likes.csv", [row[:2] for row in rows_of()], ("user", "item"))
    assert "no column looks like the rating" in refused(
        "store", "build", table, "--output", tmp_path / "store"
    )
    run("store", "build", table, "--output", tmp_path / "store", "--likes")
    run("store", "verify", tmp_path / "store")
    lines = Store.open(tmp_path / "store").lines(rated=False)
    assert set(lines.values) == {1.0}
    arguments = listed("fit", tmp_path / "store", tmp_path / "model", **{"items-are-public": True})
    assert "is a store without ratings" in refused(*arguments)
    ranking = {"for": "ranking", "method": "ease", "ratings-per-user": None}
    publish("fit", tmp_path / "store", tmp_path / "a", simulate=1, **PUBLIC, **ranking)
    publish("fit", table, tmp_path / "b", simulate=1, **PUBLIC, **ranking)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


PUBLIC = {"items-are-public": True, "rank": None, "rating-range": None}


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("secret", "i", "nan", 1), "line 5: a finite number is expected in the column 'rating'"),
        (("secret", "i", 1.0), "line 5: 4 fields are expected"),
        (("secret", "i", "x", 1), "line 5: a finite number"),
    ],
)
def test_a_malformed_row_ends_in_the_sentence_of_a_fit_and_leaves_nothing(tmp_path, row, expected):
    table = write_table(tmp_path / "mine.csv", [*many(3), row, *many(3)], HEADER)
    sentence = refused("store", "build", table, "--output", tmp_path / "store")
    assert expected in sentence
    assert "secret" not in sentence
    arguments = listed("fit", table, tmp_path / "model", **{"items-are-public": True})
    assert refused(*arguments) == sentence
    assert os.listdir(tmp_path) == ["mine.csv"]


def test_places_that_are_taken(tmp_path, table):
    output = tmp_path / "store"
    run("store", "build", table, "--output", output)
    before = contents(output)
    assert "--force to replace it" in refused("store", "build", table, "--output", output)
    run("store", "build", table, "--output", output, "--force")
    assert contents(output) == before
    (tmp_path / "other").mkdir()
    arguments = ("store", "build", table, "--output", tmp_path / "other", "--force")
    assert "holds something else than a store" in refused(*arguments)
    assert "No such file" in refused("store", "build", tmp_path / "no.csv", "--output", "x")
    arguments = listed(
        "fit", output, tmp_path / "m", timestamp="when", **{"items-are-public": True}
    )
    assert "leave --timestamp out" in refused(*arguments)
    assert sorted(os.listdir(tmp_path)) == ["mine.csv", "other", "store"]


@pytest.mark.parametrize("force", [False, True])
def test_what_comes_to_stand_at_the_output_during_a_build_stays(tmp_path, table, force):
    output = tmp_path / "store"

    def late(stage):
        if stage == "blocks sorted":
            output.write_text("precious")
        return nullcontext(lambda share: None)

    expected = "holds something else" if force else "exists; name another"
    with pytest.raises(ParameterError, match=expected):
        build(table, output, USUAL, force=force, progress=late)
    assert output.read_text() == "precious"


def test_a_folder_of_work_of_somebody_else_is_refused(tmp_path, table):
    output, work, other = tmp_path / "store", tmp_path / ".store.building", tmp_path / "other"
    other.mkdir(mode=0o700)

    def refused_as(expected):
        with pytest.raises(InputError, match=expected):
            build(table, output, USUAL)
        assert not output.exists()
        assert not os.listdir(other)

    work.symlink_to(other)
    refused_as("not a folder of yours alone")
    work.unlink()
    work.write_text("precious")
    refused_as("not a folder of yours alone")
    work.unlink()
    work.mkdir(mode=0o755)
    refused_as("not a folder of yours alone")
    work.chmod(0o700)
    with mock.patch.object(os, "geteuid", return_value=os.geteuid() + 1):
        refused_as("not a folder of yours alone")
    (work / "thesis.txt").write_text("precious")
    refused_as("holds something else")
    (work / "thesis.txt").rename(tmp_path / "thesis.txt")
    build(table, output, USUAL)
    assert not work.exists()


def test_files_of_a_folder_may_have_columns_of_several_types(tmp_path):
    for name, users, times in (("a", [1, 2], [1, 2]), ("b", ["1", "x"], ["2024-01-01", "3"])):
        columns = {"user": users, "item": [1, 2], "rating": [1, 2], "when": times}
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    found = read_lines(tmp_path, TIMED)
    assert found.users.labels[found.users.codes].tolist() == ["1", "2", "1", "x"]
    assert found.times.tolist() == [1.0, 2.0, 1704067200e6, 3.0]


def test_a_store_is_for_its_owner_and_says_so(tmp_path, table):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    for path in (store, *store.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert "private" in (store / "PRIVATE.txt").read_text()


@pytest.mark.parametrize("name", ["indptr.npy", "indices.npy", "values.npy", "users.txt"])
def test_a_block_that_was_changed_is_named_and_no_user(tmp_path, table, name):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    path = store / "00003" / name
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    sentence = f"{store}: block 3 is not as it was built; build the store again from the table."
    changed = Store.open(store)
    changed.check_block(2)  # another one is read
    for read in (changed.verify, changed.lines):
        with pytest.raises(InputError) as caught:
            read()
        assert str(caught.value) == sentence
    path.write_bytes(content[:-1])
    with pytest.raises(InputError) as caught:
        Store.open(store)
    assert str(caught.value) == sentence
    arguments = listed("fit", store, tmp_path / "model", **{"items-are-public": True})
    assert refused(*arguments) == f"dpmc: {sentence}\n"


@pytest.mark.parametrize("name", ["indptr.npy", "indices.npy", "users.txt"])
def test_a_block_that_is_overwritten_after_it_was_checked_is_refused(tmp_path, table, name):
    """In place, with its old date, and in a process that keeps the store over several fits."""
    store = build(table, tmp_path / "store", USUAL, block=50)
    kept = pickle.loads(pickle.dumps(store))
    for each in (store, kept):
        each.check_block(1)
    path = store.path / "00001" / name
    facts, content = path.stat(), bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert pickle.loads(pickle.dumps(store)) is kept
    for each in (store, kept):
        with pytest.raises(InputError, match="block 1 is not as it was built"):
            each.check_block(1)
        with pytest.raises(InputError, match="block 1 is not as it was built"):
            each.user_labels(1) if name == "users.txt" else each.lines()
        each.check_block(0)


def mended(store, change):
    """Change what a store says of itself, with its digest."""
    stated = json.loads((store / "store.json").read_text())
    del stated["sha256"]
    change(stated)
    (store / "store.json").write_text(json.dumps(stated | {"sha256": content_digest(stated)}))


def restated(store, change):
    """Change a file of a block, and what the store says of it."""
    name = "00001/users.txt"
    labels = (store / name).read_text().split("\n")[:-1]
    (store / name).write_text("".join(f"{label}\n" for label in change(labels)))
    facts = store_building.described(store / name)
    mended(store, lambda stated: stated["blocks"][1]["files"].update({name: facts}))


@pytest.mark.parametrize(
    "change",
    [
        lambda labels: [*labels[:-1], "zzz"],  # of a later block
        lambda labels: ["aaa", *labels[1:]],  # of an earlier one
        lambda labels: [labels[0], *labels[:-1]],  # twice in this one
    ],
)
def test_a_user_in_two_blocks_is_refused(tmp_path, table, change):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    restated(store, change)
    with pytest.raises(InputError, match="block 1 has users that are not its own"):
        Store.open(store).verify()


def test_what_says_to_be_a_store_and_is_none(tmp_path, table):
    store = build(table, tmp_path / "store", USUAL).path
    for content, expected in (
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"format": "dpmc-store-0"}', "of another version"),
        ('{"format": "dpmc-store-1"}', "is damaged"),
        ("[" * 100_000, "is damaged"),
        ("\udcff", "is damaged"),
    ):
        (store / "store.json").write_text(content, errors="surrogateescape")
        with pytest.raises(InputError, match=expected):
            Store.open(store)
    with pytest.raises(InputError, match="is no store: `dpmc store build` makes one"):
        Store.open(tmp_path)


def test_what_a_store_says_of_itself_was_changed(tmp_path, table):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    stated = json.loads((store / "store.json").read_text())
    for changed in (stated | {"rated": False}, {"format": stated["format"]}):
        (store / "store.json").write_text(json.dumps(changed))
        with pytest.raises(InputError, match=r"store\.json is damaged: build the store again"):
            Store.open(store)


def put(*place):
    *place, value = place

    def change(stated):
        inner = stated
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value(inner[place[-1]]) if callable(value) else value

    return change


def test_ratings_do_not_become_likes(tmp_path, table):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    mended(store, put("rated", False))
    assert "block 0 is not as it was built" in refused("store", "verify", store)
    with pytest.raises(InputError, match="block 0 is not as it was built"):
        Store.open(store).lines(rated=False)


def test_a_folder_that_is_not_a_store_alone_is_not_verified(tmp_path, table):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    values, elsewhere = store / "00000" / "values.npy", tmp_path / "elsewhere.npy"
    values.rename(elsewhere)
    values.symlink_to(elsewhere)
    assert "00000/values.npy is a link" in refused("store", "verify", store)
    values.unlink()
    elsewhere.rename(values)
    for more in (store / "notes.txt", store / "00001" / "old.npy", store / "99999" / "x.npy"):
        more.parent.mkdir(exist_ok=True, mode=0o700)
        more.touch(0o600)
        assert " is no file of a store: take it out" in refused("store", "verify", store)
        more.unlink()
    (store / "99999").rmdir()
    run("store", "verify", store)
    (tmp_path / "link").symlink_to(store)
    run("store", "verify", tmp_path / "link")


@pytest.mark.parametrize("name", [".", "00001", "00000/values.npy"])
def test_what_others_may_read_is_not_verified(tmp_path, table, name):
    store = build(table, tmp_path / "store", USUAL, block=50).path
    for more in (0o040, 0o004, 0o020):
        path = store / name
        mode = path.stat().st_mode
        path.chmod(mode | more)
        sentence = refused("store", "verify", store)
        assert f"{path} is open to others on this machine" in sentence
        assert f"`chmod -R go= {store}`" in sentence
        path.chmod(mode)
    run("store", "verify", store)


@pytest.mark.parametrize("name", ["PRIVATE.txt", "items.txt", "first_users.txt"])
def test_files_of_no_block_are_verified(tmp_path, table, name):
    path = build(table, tmp_path / "store", USUAL, block=50).path / name
    path.write_bytes(path.read_bytes().swapcase())
    with pytest.raises(InputError, match="it is not as it was built"):
        Store.open(path.parent).verify()


# -- a user without end ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(sizes=st.lists(st.integers(1, 30), max_size=30), block=st.integers(1, 12))
def test_a_user_with_more_rows_than_a_block_is_alone(sizes, block):
    starts = store_building._starts(np.array(sizes, dtype=np.int64), block).tolist()
    blocks = [sizes[first:end] for first, end in pairwise(starts)]
    assert [each for users in blocks for each in users] == sizes
    for users in blocks:
        assert len(users) == 1 or (users and max(users) <= block and sum(users) < 2 * block)


# -- a build that is cut off -----------------------------------------------------------------------

KILLED = """
import os, signal, sys
from unittest import mock
from dpmc.publication import store_building

def kill(*args):
    os.kill(os.getpid(), signal.SIGKILL)

with mock.patch.object(store_building, sys.argv[1], kill):
    store_building.build(*sys.argv[2:], block=50, force=True)
"""


@pytest.mark.parametrize("stage", ["_deal", "_finish", "flush"])
def test_what_a_killed_build_leaves_is_private_and_the_next_one_removes_it(tmp_path, table, stage):
    wanted = contents(build(table, tmp_path / "store", USUAL, block=50).path)
    write_table(table, many(seed=1), HEADER)
    command = [sys.executable, "-c", KILLED, stage, table, tmp_path / "store"]
    assert subprocess.run(command).returncode == -signal.SIGKILL
    left = tmp_path / ".store.building"
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(each.stat().st_mode) & 0o077 == 0 for each in left.rglob("*"))
    assert (contents(tmp_path / "store") == wanted) == (stage != "flush")
    with pytest.raises(ParameterError, match="exists; name another"):
        build(table, tmp_path / "store", USUAL)
    assert not left.exists()
    store = build(table, tmp_path / "store", USUAL, block=50, force=True)
    wanted = resolve(read_lines(table, USUAL), None)
    assert bits(resolve(store.lines(), None)) == bits(wanted)


def test_a_build_that_is_stopped_leaves_nothing(tmp_path, table):
    with (
        mock.patch.object(store_building, "_sorted", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        build(table, tmp_path / "store", USUAL)
    assert os.listdir(tmp_path) == ["mine.csv"]


def test_a_second_build_of_the_same_store_is_refused(tmp_path, table):
    output = tmp_path / "store"
    with (
        store_building._held(tmp_path / ".store.building", output),
        pytest.raises(InputError, match="is being built by another process"),
    ):
        build(table, output, USUAL)


BUILT = """
import re, sys
from dpmc.publication import lines, pieces, store_building

pieces.ROWS = store_building.BLOCK = 2**17
store_building.build(sys.argv[1], sys.argv[2], block=2**17)
print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="tells the peak on Linux only")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Eight times as many rows of as many users: in memory they would be 16 bytes each and more."""
    peaks = []
    for number, n in enumerate((2**20, 2**23)):
        rng = np.random.default_rng(0)
        numbers = [pa.array(rng.integers(most, size=n)) for most in (20_000, 5_000, 5)]
        table = tmp_path / f"{number}.parquet"
        columns = pa.table(dict(zip(HEADER, numbers, strict=False)))
        parquet.write_table(columns, table, row_group_size=2**17)
        command = [sys.executable, "-c", BUILT, table, tmp_path / str(number)]
        peaks.append(int(subprocess.run(command, capture_output=True, check=True).stdout))
    assert peaks[1] - peaks[0] < 7 * 2**20 * 16 / 2**10 / 4  # KiB
