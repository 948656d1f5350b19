"""The book of what fits have spent: it refuses to overspend, whatever dies, races or edits it."""

import fcntl
import json
import math
import os
import signal
import subprocess
import sys
import warnings
from multiprocessing import get_context

import pandas as pd
import pytest
from publication.small_tables import ITEMS, listed, refused, rows_of, run, write_table

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.files import file_digest
from dpmc.fitting import book as module
from dpmc.fitting import ratings
from dpmc.fitting.book import Book, down, read, up
from dpmc.fitting.fit import prepare
from dpmc.mechanisms import Laplace
from dpmc.methods.private_choice import Keyed
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.spending import Cost

BUDGET = (45.0, 1e-9)
FIT = {"items-are-public": True, "method": "bias"}
NEW = FIT | {"budget": "45,1e-9"}
DYING = """
import os, signal, sys
from dpmc import cli
from dpmc.privacy.release import GridNoise

def die(self, query, *_):
    if query.size > 1:  # the first is a trial, before the ratings are read
        os.kill(os.getpid(), signal.SIGKILL)
    return query

GridNoise.add = die
sys.argv[0] = "dpmc"
cli.main()
"""


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "mine.csv", rows_of())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mine.ledger"


def book(path, epsilon=3.0, budget=(7.0, 0.0), relation=USER_ADD_REMOVE):
    return Book(path, relation, "bias", Cost(epsilon, 0.0, Laplace(1 / epsilon)), budget)


def test_fits_are_entered_and_the_one_too_many_is_refused(table, path, tmp_path):
    first = run(*listed("fit", table, tmp_path / "one", ledger=path, **NEW))
    assert "mine.ledger, entry 1: spent so far epsilon 30 of 45 at delta 1e-09" in first.output
    (entry,) = read(path).entries
    assert entry.model == file_digest(tmp_path / "one" / "guarantee.json")
    assert (entry.method, entry.cost.epsilon, entry.cost.delta) == ("bias", 30, 1e-9)
    run(*listed("fit", table, tmp_path / "two", ledger=path, epsilon=5, **FIT))
    before = path.read_bytes()
    # no such table: it is refused before any rating is read
    sentence = refused(*listed("fit", "none.csv", tmp_path / "three", ledger=path, **FIT))
    assert "beyond its budget of 45" in sentence
    assert "Nothing was spent" in sentence
    assert path.read_bytes() == before
    assert not (tmp_path / "three").exists()
    shown = run("ledger", path).output
    assert read(path).digest in shown
    assert shown.count("bias") == 3
    told = json.loads(run("ledger", path, "--json").output)
    assert told["spent_epsilon"] == pytest.approx(read(path).spent()[0])
    assert told["spent_epsilon"] < 35  # by composition, not by addition
    assert [each["epsilon"] for each in told["entries"]] == [30, 5]
    assert 10 < told["left_epsilon"] < 45


def test_what_is_left_may_be_spent(table, path, tmp_path):
    run(*listed("fit", table, tmp_path / "one", ledger=path, **NEW))
    left = down(read(path).left())
    run(*listed("fit", table, tmp_path / "two", ledger=path, epsilon=left, **FIT))
    assert float(down(read(path).left())) < 1


def test_simulated_noise_is_not_entered(table, path, tmp_path):
    told = run(*listed("fit", table, tmp_path / "one", ledger=path, simulate=1, **NEW)).output
    assert "not entered" in told
    assert "to epsilon 30 at delta 1e-09, within the budget of 45" in told
    assert not path.exists()
    run(*listed("fit", table, tmp_path / "two", ledger=path, **NEW))
    before = path.read_bytes()
    told = run(*listed("fit", table, tmp_path / "three", ledger=path, simulate=1, **FIT)).output
    assert "beyond the budget of 45" in told
    assert path.read_bytes() == before


def test_a_ranking_and_a_private_list_cost_what_they_state():
    options = {"epsilon": 5, "delta": 1e-6, "ledger": "new", "budget": (5, 1e-6)}
    rated = options | {"rating_range": (1, 5)}
    for each in (
        options | {"purpose": "ranking"},
        rated | {"items_privately": 0.2},
        rated | {"method": "als"},
        rated | {"relation": "entry", "mechanism": "laplace", "method": "als"},
    ):
        assert prepare(each).book.cost.epsilon == 5
        with pytest.raises(InputError, match=r"beyond its budget of 4\.99"):
            prepare(each | {"budget": "4.99,1e-6"})


def test_the_same_in_python(table, path, tmp_path):
    frame = pd.read_csv(table)
    common = {"epsilon": 30, "delta": 1e-9, "rating_range": (1, 5), "items": ITEMS}
    model = PrivateFactorization(**common, method="bias", ledger=path, budget=BUDGET)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame)
    assert "entry 1: spent so far epsilon 30 of 45" in model.spent_
    model.save(tmp_path / "model")
    assert read(path).entries[0].model == file_digest(tmp_path / "model" / "guarantee.json")
    with pytest.raises(InputError, match="beyond its budget"):
        model.fit(frame)
    assert not hasattr(model, "guarantee_")


def test_a_fit_that_is_killed_before_its_noise_has_spent(table, path, tmp_path):
    command = listed("fit", table, tmp_path / "one", ledger=path, **NEW)
    died = subprocess.run([sys.executable, "-c", DYING, *map(str, command)], timeout=300)
    assert died.returncode == -signal.SIGKILL
    (entry,) = read(path).entries
    assert entry.model is None
    assert not (tmp_path / "one").exists()
    assert "beyond" in refused(*listed("fit", table, tmp_path / "one", ledger=path, **FIT))
    assert "none" in run("ledger", path).output


def test_a_fit_that_is_interrupted_says_what_it_has_spent(table, path, tmp_path, monkeypatch):
    asked = listed("fit", table, tmp_path / "one", ledger=path, **NEW)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ratings, "read_lines", interrupt)
        with pytest.raises(InputError, match=f"^Stopped. Nothing was spent of {path}.$"):
            run(*asked)
    assert not path.exists()
    monkeypatch.setattr(Keyed, "fresh", interrupt)
    with pytest.raises(InputError, match=f"^Stopped. {path}, entry 1, counts as spent.$"):
        run(*asked)
    assert len(read(path).entries) == 1
    assert not (tmp_path / "one").exists()


def test_a_book_that_is_begun_says_so(path, capsys):
    """One that was lost, or whose name is misspelt, is begun too; and one that was emptied."""
    new = f"dpmc: {path} is a new ledger: no earlier fit of these ratings is in it.\n"
    book(path).enter()
    assert capsys.readouterr().err == new
    book(path).enter()
    assert capsys.readouterr().err == ""
    path.write_bytes(b"")
    book(path).enter()
    assert capsys.readouterr().err == new
    assert path.stat().st_mode & 0o777 == 0o600


def enter(path, start, results):
    start.wait()
    try:
        book(path).enter()
        results.put(True)
    except InputError:
        results.put(False)


def test_of_fits_at_once_only_those_that_fit_are_entered(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # by which the server finds this
    spawning = get_context("forkserver")
    spawning.set_forkserver_preload([__name__])  # imported once
    start, results = spawning.Barrier(4), spawning.Queue()
    racers = [spawning.Process(target=enter, args=(path, start, results)) for _ in range(4)]
    for each in racers:
        each.start()
    found = [results.get(timeout=300) for _ in racers]
    for each in racers:
        each.join()
    assert sorted(found) == [False, False, True, True]
    assert len(read(path).entries) == 2


@pytest.mark.parametrize(
    "edit",
    [
        lambda lines: [
            *lines[:1],
            lines[1].replace(b'"epsilon": 3.0', b'"epsilon": 0.1'),
            *lines[2:],
        ],
        lambda lines: [lines[0].replace(b'"epsilon": 7.0', b'"epsilon": 70.0'), *lines[1:]],
        lambda lines: lines[:1] + lines[2:],
        lambda lines: [lines[0], lines[2], lines[1]],
        lambda lines: [*lines[:2], b"\n", *lines[2:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines, b"{}\n"],
    ],
    ids=["epsilon", "budget", "left out", "order", "empty", "twice", "put in"],
)
def test_what_was_edited_is_refused(path, edit):
    book(path).enter()
    book(path).enter()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    path.write_bytes(b"".join(edit(lines)))
    before = path.read_bytes()
    for do in (lambda: read(path), book(path).enter, lambda: book(path).check(simulated=True)):
        with pytest.raises(InputError, match="is not as dpmc wrote it, or a line before it is"):
            do()
    assert path.read_bytes() == before


def test_a_line_that_was_cut_off_was_before_any_noise_and_does_not_count(path):
    book(path).enter()
    book(path).enter()
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert len(read(path).entries) == 1
    book(path).enter()
    assert len(read(path).entries) == 2
    assert path.read_bytes().startswith(whole[: whole[:-1].rfind(b"\n")])
    path.write_bytes(whole[: whole.index(b"\n") + 9])
    assert "Left: all." in run("ledger", path).output


def test_half_a_first_line_is_a_new_book_and_half_of_something_else_is_not(path):
    book(path).enter()
    path.write_bytes(path.read_bytes()[:20])
    book(path).check(simulated=False)
    book(path).enter()
    assert len(read(path).entries) == 1
    path.write_bytes(b"a will")  # no line ends
    with pytest.raises(InputError, match="is no ledger of dpmc fit"):
        book(path).enter()
    assert path.read_bytes() == b"a will"


def test_a_line_that_lacks_its_end_alone_counts(path):
    """Editors may take the last end of a file, of a fit that was published."""
    book(path).enter()
    book(path).enter()
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip())
    assert len(read(path).entries) == 2
    with pytest.raises(InputError, match="beyond its budget"):
        book(path).enter()
    book(path, epsilon=1.0).enter()
    assert path.read_bytes().startswith(whole)
    assert len(read(path).entries) == 3


def test_who_may_only_read_a_book_keeps_no_fit_waiting_for_ever(path, monkeypatch):
    book(path).enter()
    before = path.read_bytes()
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with open(path, "rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        held = rf"not written, because (process {os.getpid()}|another process) has had it locked"
        with pytest.raises(InputError, match=held):
            book(path).enter()
        assert path.read_bytes() == before
        monkeypatch.setattr(module, "PATIENCE", 100.0)
        monkeypatch.setattr(module.time, "sleep", lambda _: fcntl.flock(stream, fcntl.LOCK_UN))
        book(path).enter()
    assert len(read(path).entries) == 2


def test_a_book_that_is_replaced_while_a_fit_waits_for_it_is_not_written(path, monkeypatch):
    book(path).enter()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    lock = fcntl.flock

    def late(descriptor, how):
        lock(descriptor, how)
        if other.exists():
            os.replace(other, path)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(InputError, match="was replaced by another just now"):
        book(path).enter()
    book(path).enter()
    assert len(read(path).entries) == 2


def test_a_model_is_named_in_the_book_that_it_was_entered_in(path, tmp_path):
    entered = book(path)
    entered.enter()
    path.unlink()
    book(path, epsilon=1.0).enter()
    (tmp_path / "model").touch()
    with pytest.raises(InputError, match="was replaced by another while the fit ran"):
        entered.name(tmp_path / "model")
    assert read(path).entries[0].model is None


def test_the_folder_of_a_book_behind_a_link_reaches_the_disk(path, tmp_path, monkeypatch):
    (tmp_path / "place").mkdir()
    path.symlink_to(tmp_path / "place" / "book")
    flushed = []
    monkeypatch.setattr(module, "flush", flushed.append)
    book(path).enter()
    assert flushed == [tmp_path.resolve() / "place"]


def test_a_book_may_be_a_file_that_can_only_grow(path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "ftruncate", refuse)  # as chattr +a has it
    book(path).enter()
    book(path).enter()
    assert len(read(path).entries) == 2


def test_what_was_spent_is_rounded_up(path):
    book(path, epsilon=3.1412).enter()
    assert "epsilon 3.142 of 7" in read(path).sentence()
    with pytest.raises(InputError, match=r"to epsilon 7\.001 at .* of which 3\.142 is spent"):
        book(path, epsilon=3.8589).enter()
    assert [up(each) for each in (0.0, 5 * (1 + 1e-10), 12345.6, math.inf)] == [
        "0", "5", "1.235e+04", "inf",
    ]  # fmt: skip


@pytest.mark.parametrize("place", ["model", "model/mine.ledger"])
def test_a_book_is_not_kept_where_the_model_will_be(place, tmp_path):
    asked = listed("fit", "none.csv", tmp_path / "model", ledger=tmp_path / place, **NEW)
    assert "--ledger must be kept outside of --output" in refused(*asked)
    assert not (tmp_path / "model").exists()


def test_an_entry_that_does_not_reach_the_disk_leaves_the_book_as_it_was(path, monkeypatch):
    book(path).enter()
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        book(path).enter()
    assert path.read_bytes() == before


def test_refusals(path, tmp_path):
    book(path).enter()
    with pytest.raises(InputError, match="cannot be changed: leave out budget"):
        book(path, budget=(8.0, 0.0)).check(simulated=True)
    with pytest.raises(InputError, match="such guarantees do not add up"):
        book(path, relation="user_replace").check(simulated=True)
    with pytest.raises(InputError, match=r"There is no ledger .* yet: give budget too"):
        book(tmp_path / "new", budget=None).check(simulated=True)
    with pytest.raises(InputError, match="cannot be written: No such file"):
        book(tmp_path / "no" / "new").enter()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "new")
    (tmp_path / "other").write_text("user,item,rating\n")
    with pytest.raises(InputError, match="other is no ledger of dpmc fit"):
        book(tmp_path / "other").enter()
    assert (tmp_path / "other").read_text() == "user,item,rating\n"
    entered = book(path)
    entered.enter()
    path.unlink()
    with pytest.raises(InputError, match="cannot be written: No such file"):
        entered.name(tmp_path / "other")
    assert not path.exists()


@pytest.mark.parametrize(
    "budget", ["10", "10,1e-6,1", "x,1e-6", (0, 0), (1, 1), (float("nan"), 0), 5]
)
def test_a_budget_is_an_epsilon_and_a_delta(budget):
    with pytest.raises(InputError, match="budget must be an epsilon above 0 and a delta"):
        prepare({"epsilon": 1, "rating_range": (1, 5), "ledger": "new", "budget": budget})


def test_a_budget_needs_a_ledger():
    with pytest.raises(InputError, match="budget is that of a ledger: give its file too"):
        prepare({"epsilon": 1, "rating_range": (1, 5), "budget": (10, 1e-6)})
