"""The file of a book: what dies, races, or edits it ends in a sentence, and no entry is lost."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest

from dpmc.errors import InputError
from dpmc.files import content_digest
from dpmc.fitting import book_file as module
from dpmc.fitting.book import Book, read
from dpmc.fitting.book_file import opened
from dpmc.mechanisms import Laplace
from dpmc.privacy.relations import RELATIONS, USER_ADD_REMOVE
from dpmc.privacy.spending import Cost

CHANGED = "is not as dpmc wrote it"
OTHER = "is no ledger of dpmc fit"
UNCHECKED = "PRAGMA ignore_check_constraints=ON"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mine.ledger"


def book(path, epsilon=3.0, relation=USER_ADD_REMOVE):
    return Book(path, relation, "bias", Cost(epsilon, 0.0, Laplace(1 / epsilon)), (7.0, 0.0))


@pytest.fixture
def written(path, tmp_path):
    """A ledger of three fits, of which the first and the last have models."""
    (tmp_path / "guarantee.json").write_text("one")
    for epsilon in (3.0, 2.0, 1.0):
        entered = book(path, epsilon)
        entered.enter()
        if epsilon != 2:
            entered.name(tmp_path / "guarantee.json")
    return path


def tell(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for each in statements:
            connection.execute(*([each] if isinstance(each, str) else each))


def forge(path, statement):
    """Change something, whatever the conditions of its table, and compute all digests anew."""
    tell(path, UNCHECKED, statement)
    chain(path)


def chain(path):
    """Compute all digests, with models after fits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute(UNCHECKED)
        before = ""
        for table in ("budget", "fits", "models"):
            for row in connection.execute(f"SELECT rowid AS number, * FROM {table}").fetchall():
                content = dict(row)
                number = content.pop("number")
                content.pop("last", None)
                if table != "budget":
                    content["before"] = before
                    connection.execute(
                        f"UPDATE {table} SET before = ? WHERE rowid = ?", (before, number)
                    )
                before = content_digest(content)
        connection.execute("UPDATE budget SET last = ?", (before,))


def entering(book):
    """Enter a fit and say so, or why it is refused."""
    try:
        book.enter()
        return "entered"
    except InputError as error:
        return str(error)


def refused(path, words):
    """Check that nothing reads a file or adds to it, and that it stays as it is."""
    before = path.read_bytes()
    for do in (lambda: read(path), book(path).enter, lambda: book(path).check(simulated=True)):
        with pytest.raises(InputError, match=words) as caught:
            do()
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_what_was_written_is_read(written):
    pages = read(written)
    assert [each.cost.epsilon for each in pages.entries] == [3, 2, 1]
    assert [each.model is None for each in pages.entries] == [False, True, False]
    assert len(set(pages.digests)) == 6


@pytest.mark.parametrize("relation", RELATIONS)
def test_each_relation_has_ledgers(path, relation):
    book(path, relation=relation).enter()
    assert read(path).relation == relation


EDITS = {
    "epsilon": "UPDATE fits SET epsilon = 0.1 WHERE entry = 2",
    "noise": "UPDATE fits SET scale = 100 WHERE entry = 3",
    "budget": "UPDATE budget SET epsilon = 70",
    "one removed": "DELETE FROM fits WHERE entry = 2",
    "all removed": "DELETE FROM models; DELETE FROM fits",
    "budget removed": "DELETE FROM budget",
    "exchanged": "UPDATE fits SET entry = entry + 10; UPDATE fits SET entry = 14 - entry",
    "twice": "INSERT INTO fits SELECT 4, at, method, epsilon, delta, noise, scale, releases, "
    "list_delta, dpmc, before FROM fits WHERE entry = 3",
    "beside the chain": "INSERT INTO fits SELECT 4, at, method, 1e-9, delta, noise, scale, "
    "releases, list_delta, dpmc, 'none' FROM fits WHERE entry = 3",
    "budget twice": "INSERT INTO budget SELECT * FROM budget",
    "put in": "INSERT INTO models SELECT 2, at, model, before FROM models LIMIT 1",
    "link": "UPDATE fits SET before = upper(before) WHERE entry = 2",
    "last": "UPDATE budget SET last = (SELECT before FROM models WHERE entry = 3)",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_was_edited_is_refused(written, edit):
    tell(written, "PRAGMA foreign_keys=OFF", "BEGIN", *edit.split(";"), "COMMIT")
    refused(written, CHANGED)


IMPOSSIBLE = {
    "epsilon below 0": "UPDATE fits SET epsilon = -5.0",
    "delta": "UPDATE fits SET delta = 1.0",
    "no releases": "UPDATE fits SET releases = 0.0",
    "scale below 0": "UPDATE fits SET scale = -1.0",
    "list_delta beyond delta": "UPDATE fits SET list_delta = 0.5",
    "unknown noise": "UPDATE fits SET noise = 'none'",
    "method": "UPDATE fits SET method = char(27) || '[2J'",
    "time": "UPDATE fits SET at = 'yesterday'",
    "entry 0": "UPDATE fits SET entry = 0 WHERE entry = 2",
    "budget below 0": "UPDATE budget SET epsilon = -1.0",
    "model": "UPDATE models SET model = 'none'",
    "model of no entry": "UPDATE models SET entry = 9 WHERE entry = 1",
}


@pytest.mark.parametrize("edit", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_values_are_refused_whatever_their_digests(written, edit):
    forge(written, edit)
    refused(written, CHANGED)


def test_possible_values_are_believed_if_their_digests_are_computed_anew(written):
    """As docs/threats.md says; and so the forgeries above are refused for their values alone."""
    digest = read(written).digests[-1]
    forge(written, "UPDATE fits SET epsilon = 0.1 WHERE entry = 1")
    pages = read(written)
    assert [each.cost.epsilon for each in pages.entries] == [0.1, 2, 1]
    assert digest not in pages.digests  # which was kept elsewhere


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE more (a)",
        "CREATE VIEW more AS SELECT * FROM fits",
        "CREATE INDEX more ON fits (epsilon)",
        "CREATE TRIGGER more AFTER INSERT ON fits BEGIN UPDATE fits SET epsilon = 1e-9; END",
        "ALTER TABLE fits ADD COLUMN more TEXT",
        "DROP TABLE models",
    ],
)
def test_other_tables_are_refused(written, change):
    tell(written, change)
    refused(written, CHANGED)


def test_other_files_are_refused(written, tmp_path):
    older = b'{"format": "dpmc-ledger-1", "relation": "user_add_remove", "epsilon": 9}\n' * 20
    for content in (b"", b"a will", b"user,item,rating\n", older, bytes(8192)):
        (tmp_path / "other").write_bytes(content)
        refused(tmp_path / "other", OTHER)
    tell(tmp_path / "database", "CREATE TABLE budget (epsilon)")
    refused(tmp_path / "database", OTHER)
    for number in ("application_id=7", "user_version=2"):
        shutil.copy(written, tmp_path / "copy")
        tell(tmp_path / "copy", f"PRAGMA {number}")
        refused(tmp_path / "copy", OTHER)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for place in ("folder", "pipe", "/dev/null"):
        with pytest.raises(InputError, match=OTHER):
            read(tmp_path / place)
        with pytest.raises(InputError, match=OTHER):
            book(tmp_path / place).enter()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none")


def said_of(path):
    try:
        return read(path)
    except InputError as error:
        return str(error)


def test_a_damaged_file_is_refused_or_says_the_same(written, tmp_path):
    """One byte in 31 is changed, one at a time; and the file is cut off at many places."""
    whole, pages, changed = written.read_bytes(), read(written), 0
    cut = [whole[:size] for size in range(0, len(whole), 509)] + [whole[:-1]]
    flipped = [
        whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in range(7, len(whole), 31)
    ]
    for content in cut + flipped:
        (tmp_path / "damaged").write_bytes(content)
        found = said_of(tmp_path / "damaged")
        assert found == pages or any(words in found for words in (CHANGED, OTHER, " cannot be "))
        changed += found != pages
    assert changed > len(cut) + 20


def test_links_lead_to_the_file(path, tmp_path):
    (tmp_path / "place").mkdir()
    path.symlink_to(tmp_path / "place" / "book")
    book(path).enter()
    book(path).enter()
    assert path.is_symlink()
    assert len(read(tmp_path / "place" / "book").entries) == 2
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="cannot be written: Too many levels of symbolic links"):
        book(tmp_path / "loop").enter()


# what reaches the disk


class Watched(sqlite3.Connection):
    """Notes what it is told, and calls ``watch`` with it before."""

    told: list
    watch = staticmethod(lambda connection, statement: None)

    def execute(self, statement, *given):
        self.watch(self, statement)
        self.told.append(statement)
        return super().execute(statement, *given)

    def asked(self, question):
        return super().execute(question).fetchone()[0]


@pytest.fixture
def watched(monkeypatch):
    """A class of connections, which the module uses."""
    kind, connect = type("Kind", (Watched,), {"told": []}), sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=kind, **k))
    return kind


def test_a_new_file_and_its_folder_are_flushed(path, tmp_path, monkeypatch):
    (tmp_path / "place").mkdir()
    path.symlink_to(tmp_path / "place" / "book")
    flushed = []
    monkeypatch.setattr(module, "flush", flushed.append)
    book(path).enter()
    book(path).enter()
    assert flushed == [tmp_path.resolve() / "place"]


def test_a_file_in_another_mode_is_turned_back(written, watched):
    tell(written, "PRAGMA journal_mode=WAL")
    book(written, epsilon=0.5).enter()
    assert len(read(written).entries) == 4
    assert not [each for each in written.parent.iterdir() if "-wal" in each.name]
    with closing(sqlite3.connect(written)) as connection:
        assert connection.asked("PRAGMA journal_mode") == "delete"


def test_all_files_are_for_their_owner_alone_from_the_start(path, tmp_path, watched):
    modes = {}

    def watch(connection, statement):
        for each in tmp_path.iterdir():
            kind = "journal" if each.name.endswith("-journal") else "ledger"
            modes.setdefault((each == path, kind), set()).add(each.stat().st_mode & 0o777)

    watched.watch = staticmethod(watch)
    before = os.umask(0)
    try:
        book(path).enter()
        book(path).enter()
    finally:
        os.umask(before)
    assert set().union(*modes.values()) == {0o600}
    assert set(modes) == {
        (True, "ledger"), (False, "journal"), (False, "ledger")
    }  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


DYING = """
import os, signal, sqlite3, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from dpmc.fitting import book_file
from fitting.test_book_file import Watched, book

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

class Dying(Watched):
    told = []
    @staticmethod
    def watch(self, statement):
        if statement == {statement!r} and self.told.count(statement) == {times}:
            die()

connect = sqlite3.connect
sqlite3.connect = lambda *a, **k: connect(*a, factory=Dying, **k)
if {statement!r} == "link":
    os.link = die
if {statement!r} == "flush":
    book_file.flush = die
book(Path({path!r})).enter()
"""
KILLS = {  # when -> whether there is a file then
    ("PRAGMA synchronous=EXTRA", 0): False,
    ("COMMIT", 0): False,
    ("link", 0): False,
    ("flush", 0): True,
    ("BEGIN IMMEDIATE", 0): True,
    ("COMMIT", 1): True,
}


@pytest.mark.parametrize(("statement", "times"), KILLS)
def test_a_process_that_is_killed_leaves_a_ledger_or_none(path, statement, times):
    script = DYING.format(paths=sys.path, statement=statement, times=times, path=str(path))
    died = subprocess.run([sys.executable, "-c", script], timeout=300)
    assert died.returncode == -signal.SIGKILL
    assert path.exists() == KILLS[statement, times]
    if path.exists():
        assert read(path).entries == ()
    book(path).enter()
    assert len(read(path).entries) == 1


def test_half_a_transaction_is_taken_back(written, tmp_path):
    """A process was killed while SQLite wrote to the file, and its journal is there."""
    pages, copy = read(written), tmp_path / "copy"
    with closing(sqlite3.connect(written, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE budget SET last = ''")
        for number in range(10, 500):  # more than the cache takes, so that some reach the file
            connection.execute(
                "INSERT INTO fits SELECT ?, at, method, epsilon, delta, noise, scale, releases, "
                "list_delta, dpmc, before FROM fits WHERE entry = 1",
                (number,),
            )
        shutil.copy(written, copy)
        shutil.copy(f"{written}-journal", f"{copy}-journal")
    alone = tmp_path / "alone"
    shutil.copy(copy, alone)
    assert copy.stat().st_size > written.stat().st_size
    assert read(copy) == pages == read(written)
    assert copy.read_bytes() == written.read_bytes()
    assert not Path(f"{copy}-journal").exists()
    refused(alone, CHANGED)  # without its journal


def test_a_journal_without_its_ledger_is_not_written_into_a_new_one(path):
    journal = Path(f"{path}-journal")
    journal.write_bytes(b"of a fit")
    with pytest.raises(InputError, match="is part of a ledger that is not there"):
        book(path).enter()
    assert not path.exists()
    assert journal.read_bytes() == b"of a fit"


@contextmanager
def longest_file(size):
    """Let no file become longer, which SQLite sees as a disk that fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 5000])
def test_what_cannot_be_written_changes_nothing(written, tmp_path, size):
    before, there = written.read_bytes(), sorted(tmp_path.iterdir())
    with longest_file(size), pytest.raises(InputError, match=r"mine\.ledger cannot be written"):
        book(written, epsilon=0.5).enter()
    with longest_file(size), pytest.raises(InputError, match="new cannot be written"):
        book(tmp_path / "new").enter()
    assert written.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == there


def test_a_full_disk_is_named(written, watched):
    def watch(connection, statement):  # as if the disk had no room for one more page
        if statement == "BEGIN IMMEDIATE":
            connection.asked("PRAGMA max_page_count=1")

    watched.watch = staticmethod(watch)
    entries = 3
    while (said := entering(book(written, epsilon=1e-9))) == "entered":
        entries += 1
    assert said.endswith(
        "cannot be written: the disk is full; make room there, then run this again."
    )
    assert len(read(written).entries) == entries


def test_an_older_sqlite_is_refused(written, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 9))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.36.9")
    refused(written, r"needs SQLite 3\.37 or later, and this Python has 3\.36\.9")


WITHOUT = """
import sys
sys.modules["sqlite3"] = None
from dpmc.errors import InputError
from dpmc.fitting.fit import prepare

options = {"epsilon": 5, "delta": 1e-6, "rating_range": (1, 5)}
assert prepare(options).book is None
try:
    prepare(options | {"ledger": "new", "budget": (9, 1e-6)})
except InputError as error:
    print(error)
"""


def test_a_python_without_sqlite_fits_without_ledgers():
    told = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert told.stderr == ""
    assert told.stdout.startswith("A ledger needs the module sqlite3, which this Python was built")


# other processes


def enter(path, start, results):
    start.wait()
    results.put(entering(book(path, epsilon=2.0)))


def test_of_fits_at_once_only_those_that_fit_are_entered(path, monkeypatch):
    """Three of eight, each of which finds no ledger at first."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # by which the server finds this
    spawning = get_context("forkserver")
    spawning.set_forkserver_preload([__name__])  # imported once
    start, results = spawning.Barrier(8), spawning.Queue()
    racers = [spawning.Process(target=enter, args=(path, start, results)) for _ in range(8)]
    for each in racers:
        each.start()
    found = [results.get(timeout=300) for _ in racers]
    for each in racers:
        each.join()
    assert found.count("entered") == len(read(path).entries) == 3
    assert all("beyond its budget" in each for each in found if each != "entered")


def test_a_fit_waits_for_another_and_sees_its_entry(path):
    """A transaction that began without a lock would have read before, and be refused or worse."""
    book(path).enter()
    ended = []
    waiting = threading.Thread(target=lambda: ended.append(entering(book(path))))
    with opened(path, adding=True) as file:
        cost = dict(zip(file.fits[0].keys(), file.fits[0], strict=True)) | {"entry": 2}
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
        file.add("fits", **{name: cost[name] for name in cost if name not in ("at", "before")})
    waiting.join(60)
    (refusal,) = ended
    assert "beyond its budget of 7, of which 6 is spent" in refusal
    assert len(read(path).entries) == 2


@pytest.mark.parametrize("held", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "BEGIN"])
def test_a_lock_that_is_held_ends_in_a_sentence(written, held, monkeypatch):
    """The last one is what whoever may read the file can hold."""
    before = written.read_bytes()
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with closing(sqlite3.connect(written, isolation_level=None)) as other:
        other.execute(held)
        other.execute("SELECT * FROM fits").fetchone()
        words = "cannot be (read|written), because another process has had it locked for 0.2 s"
        late = book(written, epsilon=0.5)
        with pytest.raises(InputError, match=words):
            late.enter()
        assert late.entry == 0
    assert written.read_bytes() == before
    late.enter()
    assert late.entry == len(read(written).entries) == 4


@pytest.mark.parametrize(
    ("start", "time"),
    [
        ("PRAGMA synchronous", 2),
        ("INSERT", 1),
        ("COMMIT", 2),
    ],
)  # the first to be read
def test_a_file_that_is_replaced_meanwhile_is_not_taken_for_it(written, watched, start, time):
    other = written.with_name("other")
    shutil.copy(written, other)
    before = other.read_bytes()
    late = book(written, epsilon=0.5)

    def watch(connection, statement):
        told = [each for each in [*connection.told, statement] if each.startswith(start)]
        if len(told) == time and other.exists():
            os.replace(other, written)

    watched.watch = staticmethod(watch)
    with pytest.raises(InputError, match="was replaced meanwhile: look which file is the ledger"):
        late.enter()
    assert not other.exists()
    assert late.entry == 0
    assert written.read_bytes() == before


def test_a_model_is_named_in_the_ledger_that_it_was_entered_in(path, tmp_path):
    entered = book(path)
    entered.enter()
    path.unlink()
    (tmp_path / "model").touch()
    with pytest.raises(InputError, match="cannot be written: No such file"):
        entered.name(tmp_path / "model")
    assert not path.exists()
    book(path, epsilon=1.0).enter()
    with pytest.raises(InputError, match="was replaced meanwhile"):
        entered.name(tmp_path / "model")
    assert read(path).entries[0].model is None
