"""The book of what fits have spent: it refuses to overspend, and counts what was released."""

import json
import math
import signal
import subprocess
import sys
import warnings

import pandas as pd
import pytest
from publication import small_tables
from publication.small_tables import ITEMS, refusal_of, rows_of, run, write_table

from dpmc import PrivateFactorization
from dpmc.errors import InputError
from dpmc.files import file_digest
from dpmc.fitting import ratings
from dpmc.fitting.book import Book, read, up
from dpmc.fitting.fit import prepare
from dpmc.mechanisms import Laplace
from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed
from dpmc.methods.released import fit_folder
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.release import GridNoise
from dpmc.privacy.spending import Cost

BUDGET = (45.0, 1e-9)
FIT = {"items-are-public": True, "method": "bias"}
NEW = FIT | {"budget": "45,1e-9"}
SILENT = {"ratings-per-user": 6, "mechanism": "gaussian"}  # no remarks on the ratings
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


def listed(*given, **changes):
    return small_tables.listed(*given, **{"epsilon": 30} | changes)


def refused(*arguments):
    """Return the sentence; remarks on so large a budget may stand before it."""
    return refusal_of(*arguments, remarks=None)[-1]


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
    assert read(path).digests[-1] in shown
    assert shown.count("bias") == 3
    told = json.loads(run("ledger", path, "--json").output)
    assert told["spent_epsilon"] == pytest.approx(read(path).spent()[0])
    assert told["spent_epsilon"] < 35  # by composition, not by addition
    assert [each["epsilon"] for each in told["entries"]] == [30, 5]
    assert 10 < told["left_epsilon"] < 45
    assert told["digests"] == [*read(path).digests]
    assert told["digest"] == told["digests"][-1]


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

    for place, before in ((ratings, "read_lines"), (Keyed, "fresh"), (Ledger, "_spend")):
        with monkeypatch.context() as patch:
            patch.setattr(place, before, interrupt)
            with pytest.raises(InputError, match=f"^Stopped. Nothing was spent of {path}.$"):
                run(*asked)
        assert not path.exists()

    def after_a_trial(self, query, *_):
        return query if query.size == 1 else interrupt()

    monkeypatch.setattr(GridNoise, "add", after_a_trial)
    with pytest.raises(InputError, match=f"^Stopped. {path}, entry 1, counts as spent.$"):
        run(*asked)
    assert len(read(path).entries) == 1
    assert not (tmp_path / "one").exists()


FULL = "the disk is full; make room there, then run this again."


def fail(error):
    def failing(*_, **__):
        raise error

    return failing


def begun(path, epsilon=1.0):
    """Begin a ledger with one entry, for the fits of these tests."""
    cost = Cost(epsilon, 0.0, Laplace(1 / epsilon))
    Book(path, USER_ADD_REMOVE, "bias", cost, BUDGET).enter()


@pytest.mark.parametrize(
    ("place", "when", "error", "said"),
    [
        (fit_folder, "write", OSError(28, "No space", "model"), f"model cannot be written: {FULL}"),
        (Ledger, "close", MemoryError(3), "This needs more memory than there is; ask for fewer "),
        (PrivateMethod, "_guarantee", InputError("It is so."), "It is so. "),
        (Book, "name", InputError("No."), "No."),
    ],
)
def test_a_fit_that_fails_after_its_entry_says_that_it_counts(
    place, when, error, said, table, path, tmp_path, monkeypatch
):
    begun(path)
    monkeypatch.setattr(place, when, fail(error))
    sentence = refused(*listed("fit", table, tmp_path / "one", ledger=path, **FIT | SILENT))
    assert sentence.startswith(f"dpmc: {said}")
    assert sentence.endswith(f" {path}, entry 2, counts as spent.\n")
    assert len(read(path).entries) == 2
    model = PrivateFactorization(
        epsilon=3, delta=1e-9, rating_range=(1, 5), items=ITEMS, method="bias", ledger=path
    )
    if place is not fit_folder:
        with pytest.raises(type(error)) as caught:
            model.fit(pd.read_csv(table))
        assert caught.value.__notes__[-1] == f"{path}, entry 3, counts as spent."


def test_a_private_choice_that_lists_nothing_counts(table, path, tmp_path):
    more = {"items-privately": 0.1, "method": "bias", "epsilon": 1} | SILENT
    begun(path)
    sentence = refused(*listed("fit", table, tmp_path / "one", ledger=path, **more))
    assert "No item was rated by enough users" in sentence
    assert sentence.endswith(f" {path}, entry 2, counts as spent.\n")
    assert read(path).entries[1].cost.epsilon == 1


UNSPENT = {
    "user_regularization must be at least": {"method": "als", "user-regularization": 1e-9},
    "share of the budget": {"items-are-public": None, "items-privately": 2, "method": "bias"},
    "where users are protected leave out": {
        "items-are-public": None, "items-privately": 0.1, "mechanism": "laplace", "method": "bias"
    },
    "names no items": {"items-are-public": None, "items": "/dev/null"},
    "Say where the list of items is from": {"items-are-public": None},
    "--report-error": {"method": "bayes", "report-error": 1.5, "ratings-per-user": None},
    "is refused: the guarantee": {"write": "user-factors"},
    "none.csv cannot be read": {
        "method": "bayes", "item-features": "none.csv", "ratings-per-user": None
    },
}  # fmt: skip


@pytest.mark.parametrize(("said", "options"), UNSPENT.items())
def test_nothing_is_spent_of_a_fit_that_is_refused(said, options, table, path, tmp_path):
    """By settings, lists and what else is public: before any noise."""
    given = NEW | SILENT | options
    sentence = refused(*listed("fit", table, tmp_path / "one", ledger=path, **given))
    assert said in sentence
    assert "counts as spent" not in sentence
    assert not path.exists()
    assert not (tmp_path / "one").exists()


def test_a_book_that_is_begun_says_so(path, capsys):
    """One that was lost, or whose name is misspelt, is begun too."""
    new = f"dpmc: {path} is a new ledger: no earlier fit of these ratings is in it.\n"
    book(path).enter()
    assert capsys.readouterr().err == new
    book(path).enter()
    assert capsys.readouterr().err == ""


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


def test_refusals(path, tmp_path):
    book(path).enter()
    with pytest.raises(InputError, match="cannot be changed: leave out budget"):
        book(path, budget=(8.0, 0.0)).check(simulated=True)
    with pytest.raises(InputError, match="such guarantees do not add up"):
        book(path, relation="user_replace").check(simulated=True)
    with pytest.raises(InputError, match=r"There is no ledger .* yet: give budget too"):
        book(tmp_path / "new", budget=None).check(simulated=True)
    with pytest.raises(InputError, match=r"There is no folder .*no for a new ledger: make it"):
        book(tmp_path / "no" / "new").check(simulated=False)
    assert not (tmp_path / "no").exists()
