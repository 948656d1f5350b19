"""`dpmc fit` and `dpmc complete`: what they write, what they refuse, and that numbers are right."""

import csv
import io
import json
import math
import pty
import re
import shlex
import termios
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from dp_accounting import get_sigma_gaussian
from dp_accounting.dp_event import LaplaceDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from publication.small_tables import listed
from pyarrow import parquet
from refusals import refusal

from dpmc import PrivateFactorization, cli
from dpmc.datasets.synthetic import generate
from dpmc.errors import InputError
from dpmc.fitting.compiling import NOTICE
from dpmc.fitting.fit import Fit
from dpmc.publication.folder import whole_folder

LOW, HIGH = 0.0, 2.5


@pytest.fixture(scope="module")
def truth():
    return generate(np.random.default_rng(1), users=1500, items=30, rank=2, observed_fraction=0.4)


@pytest.fixture(scope="module")
def table(truth, tmp_path_factory):
    """A CSV file of about 18,000 ratings, users u0, u1, ... and items 100, 101, ..."""
    path = tmp_path_factory.mktemp("ratings") / "mine.csv"
    write_table(path, truth.observed)
    return path


def write_table(path, ratings, users=None):
    with open(path, "w") as stream:
        stream.write("userId,movieId,rating\n")
        for user, item, value in zip(ratings.users, ratings.items, ratings.values, strict=True):
            if users is None or user < users:
                stream.write(f"u{user},{100 + item},{float(value)!r}\n")


DEFAULTS = {
    "delta": 1e-6, "rating-range": (LOW, HIGH), "ratings-per-user": 12, "method": "als",
    "rank": None,
}  # fmt: skip


def arguments(path, output, **changes):
    lists = {"items-are-public": "items" not in changes or None}
    if str(changes.get("relation")).startswith("entry"):
        lists["users-are-public"] = True
    return list(map(str, listed("fit", path, output, **DEFAULTS | lists | changes)))[1:]


def fit(path, output, **changes):
    result = CliRunner().invoke(
        cli.cli, ["fit", *arguments(path, output, **changes)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result


def guarantee(folder, prefix=""):
    return json.loads((folder / f"{prefix}guarantee.json").read_text())


def factors(path):
    with open(path, newline="") as stream:
        header, *rows = csv.reader(stream)
    return header, [row[0] for row in rows], np.array([row[1:] for row in rows], float)


# -- what is written ----------------------------------------------------------------------------


def test_user_level_from_csv_to_every_users_own_predictions(table, truth, tmp_path):
    result = fit(table, tmp_path / "out")
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "guarantee.json",
        "item_factors.csv",
    ]
    stated = guarantee(tmp_path / "out")
    assert stated["sentence"] in result.output
    assert all(each in result.output for each in stated["assumed_public"].values())
    assert stated["lists"]["items"]["origin"] == "the ratings"
    assert stated["format"] == "dpmc-fit-2"
    assert list(stated["files"]) == ["item_factors.csv"]
    assert (stated["relation"], stated["publishable"]) == ("user_add_remove", ["item_factors"])
    assert not stated["simulated"]
    # Gaussian DP, by another implementation: n releases at sensitivity 1 are one at sqrt(n)
    sigma = get_sigma_gaussian(20, 1e-6) * math.sqrt(stated["releases"])
    assert stated["noise_multiplier"] == pytest.approx(sigma, rel=1e-6)
    assert stated["releases"] == 2 + 2 * stated["constants"]["iterations"]
    header, labels, found = factors(tmp_path / "out" / "item_factors.csv")
    # the first factor is the constant that user offsets are coefficients of
    assert header == ["item", "offset", "factor_1", "factor_2", "factor_3", "factor_4"]
    assert labels == [str(100 + item) for item in range(30)]
    assert found.shape == (30, 5)
    assert np.isfinite(found).all()

    completed = CliRunner().invoke(
        cli.cli,
        [
            "complete",
            *("--model", str(tmp_path / "out"), "--ratings", str(table)),
            *("--output", str(tmp_path / "mine.csv")),
        ],
        catch_exceptions=False,
    )
    assert completed.exit_code == 0
    with open(tmp_path / "mine.csv", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["user", "item", "prediction"]
    assert len(rows) == 1500 * 30
    matrix = truth.matrix()
    wanted = [matrix[int(user[1:]), int(item) - 100] for user, item, _ in rows]
    predicted = np.array([float(row[2]) for row in rows])
    error = np.sqrt(np.mean((predicted - wanted) ** 2))
    by_centre = np.sqrt(np.mean((np.mean([LOW, HIGH]) - np.array(wanted)) ** 2))
    assert error < 0.8 * by_centre  # about 0.5 of it, at this generous budget


def test_entry_level_from_parquet_with_everything_published(truth, tmp_path):
    observed = truth.observed
    path = tmp_path / "mine.parquet"
    columns = {"who": observed.users, "what": observed.items, "stars": observed.values}
    parquet.write_table(pa.table(columns), path)
    fit(
        path,
        tmp_path / "out",
        relation="entry_change",
        mechanism="laplace",
        delta=1e-4,
        user="who",
        item="what",
        **{"ratings-per-user": None, "write": "user-factors"},
    )
    stated = guarantee(tmp_path / "out")
    assert stated["publishable"] == ["item_factors", "user_factors", "predictions"]
    assert stated["assumed_public"]["pairs"] == "which user rated which item"
    assert stated["key"] is None  # all ratings count
    n = stated["releases"]
    assert n >= 2 * stated["constants"]["iterations"]
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    scale = stated["noise_multiplier"] / math.sqrt(2)
    accountant.compose(SelfComposedDpEvent(LaplaceDpEvent(scale), n))
    assert accountant.get_epsilon(1e-4) == pytest.approx(20, rel=1e-3)

    _, users, user_factors = factors(tmp_path / "out" / "user_factors.csv")
    _, items, columns = factors(tmp_path / "out" / "item_factors.csv")
    assert user_factors.shape[1] == columns.shape[1] - 1  # less the offset
    # labels are text, in the order of their code points, whatever they look like
    assert users == sorted(map(str, range(1500)))
    assert items == sorted(map(str, range(30)))


# -- what is said -------------------------------------------------------------------------------


def test_at_the_end_there_is_a_summary_with_the_next_commands(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = fit(table, "my model", user="userId", **{"rating-range": (-20, 20)})
    lines = result.stdout.splitlines()
    assert lines[0] == guarantee(tmp_path / "my model")["sentence"]
    start = lines.index("") + 1
    facts = dict(line.split(":", 1) for line in lines[start:])
    assert {name: value.strip() for name, value in facts.items()} == {
        "relation": "user_add_remove: one user with all ratings is added or removed",
        "epsilon": "20",
        "delta": "1e-06",
        "method": "als, rank 3, gaussian noise",
        "may be published": "item_factors.csv, guarantee.json in my model, if there are at most "
        "100000 users (0.1 / delta)",
        "next": "dpmc verify 'my model'",
        "then": f"dpmc complete --model 'my model' --ratings {table} --user userId --top 10",
    }
    verified, completed = (
        CliRunner().invoke(cli.cli, shlex.split(facts[each])[1:], catch_exceptions=False)
        for each in ("next", "then")
    )
    assert verified.exit_code == 0
    assert completed.stdout.count("\n") == 1 + 1500 * 10


def test_held_out_ratings_tell_the_error(table, tmp_path):
    """Of ratings without noise of their own there is none above the noise of privacy."""
    options = {"method": None, "ratings-per-user": None, "report-error": 0.2, "epsilon": 100}
    said = fit(table, tmp_path / "out", **options).stdout
    worth = guarantee(tmp_path / "out")["worth"]
    assert (worth["told"], worth["rmse"], worth["bias_rmse"]) == ("nothing", None, None)
    alone = worth["rmse_deviation"]
    assert f"error:            cannot be told: noise alone amounts to {alone:.2g}. A la" in said
    assert 0 < alone < 0.1
    rng, rows = np.random.default_rng(0), [line.split(",") for line in table.read_text().split()]
    noisy = [f"{u},{i},{float(r) + 0.4 * rng.standard_normal()}" for u, i, r in rows[1:]]
    (tmp_path / "noisy.csv").write_text("\n".join(["userId,movieId,rating", *noisy]))
    told = fit(tmp_path / "noisy.csv", tmp_path / "noisy", **options).stdout
    worth = guarantee(tmp_path / "noisy")["worth"]
    assert f"error:            {worth['rmse']:.4g} (deviation " in told
    assert 0.2 < worth["rmse"] < 0.6  # some are clipped to the range
    assert 0 < worth["rmse_deviation"] < 0.05
    options_of_verify = ["verify", str(tmp_path / "out"), "--max-epsilon", "100"]
    verified = CliRunner().invoke(cli.cli, options_of_verify)
    assert verified.exit_code == 0, verified.output
    silent = fit(table, tmp_path / "b", **options | {"report-error": None}).stdout
    assert "error:" not in silent


def test_one_json_object(table, tmp_path):
    out = tmp_path / "out"
    result = fit(table, out, json=True, delta=1e-3)
    assert "the model must not be published: delta 0.001 is small enough for at most 100 users" in (
        result.stderr
    )
    stated, said = guarantee(out), json.loads(result.stdout)
    for name in ("relation", "epsilon", "delta", "mechanism", "sentence", "assumed_public"):
        assert said[name] == stated[name]
    assert (said["method"], said["rank"], said["folder"]) == ("als", 3, str(out))
    assert said["files"] == said["may_be_published"] == ["item_factors.csv", "guarantee.json"]
    verify, complete = said["next_commands"]
    assert verify == f"dpmc verify {out}"
    assert complete.startswith(f"dpmc complete --model {out} --ratings {table}")
    simulated = fit(table, tmp_path / "b", json=True, simulate=1, method="bias")
    said = json.loads(simulated.stdout)
    assert (said["rank"], said["may_be_published"]) == (None, [])
    assert said["must_not_be_published"] == ["it was simulated"]
    assert (said["outcome"], said["outcome_in_words"]) == (None, None)
    assert said["files"] == ["simulated_item_factors.csv", "simulated_guarantee.json"]
    spoken = fit(table, tmp_path / "c", simulate=1).stdout
    assert "may be published: nothing: it was simulated\n" in spoken


def test_noise_that_is_not_named_is_what_dpmc_noise_says(table, tmp_path):
    for relation, budget, expected in (
        ("entry", {"epsilon": 20}, "laplace"),
        ("entry", {"epsilon": 0.5, "delta": 1e-4}, "gaussian"),
        ("user", {"epsilon": 20}, "gaussian"),
        ("entry", {"epsilon": 0.5, "delta": 0}, "laplace"),
    ):
        out = tmp_path / f"{relation} {budget}"
        per_user = {} if relation == "user" else {"ratings-per-user": None}
        fit(table, out, relation=relation, **per_user, **budget)
        stated = guarantee(out)
        assert stated["mechanism"] == expected
        plan = ["--method", "als", "--relation", relation]
        plan += [] if per_user else ["--ratings-per-user", "12"]
        spent = ["--epsilon", str(stated["epsilon"]), "--delta", str(stated["delta"]), "--json"]
        asked = CliRunner().invoke(cli.cli, ["noise", *plan, *spent], catch_exceptions=False)
        answer = json.loads(asked.stdout)
        assert (answer["best"], answer["releases"]) == (expected, stated["releases"])


def test_a_bar_is_for_a_terminal_and_not_for_the_quiet(table, tmp_path):
    bar = on_terminal(*arguments(table, tmp_path / "out"))
    assert re.search(r"statistics: +0%.* 0/6 .*", bar)
    assert bar.split("\r")[-1] == "", "the bar is not cleared"
    assert "statistics:" in on_terminal(*arguments(table, tmp_path / "json", json=True))
    sound = {"rating-range": (-20, 20), "ratings-per-user": 30, "epsilon": 10}
    assert on_terminal(*arguments(table, tmp_path / "quiet", quiet=True, **sound)) == ""


def on_terminal(*listed):
    """Return what `dpmc fit` writes to a standard error that is a terminal."""
    ours, terminal = pty.openpty()  # which keeps 4,096 bytes until they are read
    termios.tcsetwinsize(terminal, (24, 80))
    with open(terminal, "w") as stream, redirect_stderr(stream), redirect_stdout(io.StringIO()):
        cli.cli.main(["fit", *map(str, listed)], standalone_mode=False)
    written = b""
    with suppress(OSError), open(ours, "rb", buffering=0) as stream:  # EIO: nobody writes
        while more := stream.read(1024):
            written += more
    return written.decode()


def test_noise_is_new_each_time_unless_simulated(table, tmp_path):
    found = []
    for name, seed in (("a", None), ("b", None), ("c", 3), ("d", 3), ("e", 4)):
        fit(table, tmp_path / name, simulate=seed)
        prefix = "" if seed is None else "simulated_"
        found.append(factors(tmp_path / name / f"{prefix}item_factors.csv")[2])
        assert guarantee(tmp_path / name, prefix)["simulated"] == bool(prefix)
        assert ("not for publication" in guarantee(tmp_path / name, prefix)["sentence"]) == bool(
            prefix
        )
        assert all(each.name.startswith(prefix) for each in (tmp_path / name).iterdir())
    a, b, c, d, e = (np.delete(each, 1, axis=1) for each in found)  # but for the constant
    assert (c == d).all()
    assert not (a == b).any()
    assert not (c == e).any()


def test_remarks_go_to_the_terminal_only(table, tmp_path):
    items = tmp_path / "items.txt"
    items.write_text("".join(f"{100 + item}\n" for item in range(20)))
    result = fit(table, tmp_path / "out", items=items, delta=1e-3, **{"rating-range": (1, 1.5)})
    for remark in (
        "are of items that are not in the list, and do not count",
        "are outside of the range 1 to 1.5, and clipped to it",
        "the model must not be published: delta 0.001 is small enough for at most 100 users",
    ):
        assert remark in result.stderr
        assert remark not in result.stdout
        assert remark not in (tmp_path / "out" / "guarantee.json").read_text()
    for line in result.stderr.replace(f"{NOTICE}\n", "").splitlines():
        assert line.startswith("dpmc: ")
        assert line.endswith(" (for your eyes only; it is in no file).")
    calm = {"rating-range": (-20, 20), "ratings-per-user": 30, "epsilon": 10}
    assert fit(table, tmp_path / "calm", **calm).stderr == ""
    again = fit(table, tmp_path / "again", items=items, quiet=True, **{"rating-range": (-20, 20)})
    assert again.stdout == ""
    assert "are of items that are not in the list, and do not count" in again.stderr


def test_what_verify_will_say_of_a_budget_is_said_before_it_is_spent(table, tmp_path):
    """In the same words, by the command and by the class; and at the end nothing else is said."""
    calm = {"rating-range": (-20, 20), "ratings-per-user": 30}
    for number, (budget, weak, against) in enumerate(
        [
            ({"epsilon": 20.5, "delta": 1e-6}, True, "epsilon 20.5 is above the limit of 20"),
            ({"epsilon": 5, "delta": 7e-5}, False, "delta 7e-05 is small enough for at most 1428"),
        ]
    ):
        out = tmp_path / str(number)
        result = fit(table, out, **calm, **budget)
        assert ("so the guarantee is called weak" in result.stderr) == weak
        assert (f"dpmc: the model must not be published: {against}" in result.stderr) == bool(
            against
        )
        model = PrivateFactorization(
            **budget,
            method="als",
            rating_range=(-20, 20),
            ratings_per_user=30,
            items=range(100, 131),  # one that nobody rated: no remark on the list
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(str(table))
        aside = " (for your eyes only; "
        said = [str(each.message).partition(aside)[0] for each in caught]
        assert said == [each[6:].partition(aside)[0] for each in result.stderr.splitlines()]
        verified = CliRunner().invoke(cli.cli, ["verify", str(out), "--users-about", "1500"])
        remarks = [line[8:-1] for line in verified.stdout.splitlines() if line[:8] == "Remark: "]
        assert [each for each in said if "called weak" in each] == remarks
        last = verified.stdout.splitlines()[-1]
        refusals = [each for each in said if "must not be published" in each]
        assert refusals == [last[:-1].replace("It must", "the model must")] * bool(against)
        assert verified.exit_code == (3 if against else 0)
        # of the number of users, which is private, the end says a condition alone
        publishable = not against or "small enough" in against.partition(";")[0]
        assert ("may be published: item" in result.stdout) == publishable


def test_remarks_on_a_budget_come_before_any_noise(table, tmp_path, monkeypatch):
    def stop(*given, **named):
        raise InputError("stopped before the fit")

    monkeypatch.setattr(Fit, "run", stop)
    given = arguments(table, tmp_path / "out", epsilon=30)
    result = CliRunner().invoke(cli.cli, ["fit", *given])
    assert "stopped before the fit" in str(result.exception)
    assert "the model must not be published: epsilon 30 is above the limit of 20" in result.stderr


# -- what is refused ----------------------------------------------------------------------------

REFUSALS = {
    "no range": ({"rating-range": None}, "a range read off the data would not be covered"),
    "epsilon 0": ({"epsilon": 0}, "epsilon must be a number above 0, got 0"),
    "pure gaussian": (
        {"delta": 0, "mechanism": "gaussian", "relation": "entry", "ratings-per-user": None},
        "Gaussian noise gives no guarantee at delta = 0",
    ),
    "pure for users": (
        {"delta": 0},
        "Where users are protected the noise is gaussian, which needs a --delta above 0",
    ),
    "rank of biases": ({"rank": 2, "method": "bias"}, "--rank is an option of the method als only"),
    "biases without shrinkage": (
        {"shrinkage": 0, "method": "bias"},
        "shrinkage must be a number above 0, got 0.0",
    ),
    "bayes of entries": (
        {"relation": "entry", "method": "bayes", "ratings-per-user": None},
        "The method bayes protects users with all of their ratings",
    ),
    "laplace noise for users": (
        {"mechanism": "laplace"},
        "Laplace noise is for the relations of single ratings, entry and entry_change: where users "
        "are protected leave out --mechanism, and the noise is gaussian.",
    ),
    "all held out": (
        {"report-error": 1, "method": "bayes"},
        "--report-error must be a share of each user's ratings between 0 and 1, such as 0.1",
    ),
    "quiet and loud": ({"quiet": True, "json": True}, "Give one of --quiet and --json alone."),
    "relation": (
        {"relation": "users"},
        "There is no neighbouring relation 'users' (did you mean 'user'?)",
    ),
    "per user at entry level": ({"relation": "entry"}, "has no meaning with the relation"),
    "user factors": (
        {"write": "user-factors"},
        "(user_add_remove) covers what is learnt of the items only",
    ),
    "missing column": ({"user": "who"}, "there is no column 'who' (--user)"),
    "missing item list": ({"items": "nowhere.txt"}, "nowhere.txt cannot be read: No such file"),
    "kind of file": (
        {"format": "xlsx"},
        "--format must be one of csv, tsv, txt, data, dat, inter, jsonl, ndjson, json, parquet",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_one_sentence_and_leave_nothing(table, tmp_path, case, capsys, monkeypatch):
    changes, sentence = REFUSALS[case]
    listed = arguments(table, tmp_path / "out", **changes)
    assert sentence in refusal(capsys, monkeypatch, "fit", listed)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_default_is_asked_for(table, tmp_path):
    result = CliRunner().invoke(cli.cli, ["fit", *arguments(table, tmp_path / "out", epsilon=None)])
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: Missing option '--epsilon'.\n")


def test_an_output_that_exists_is_replaced_only_by_force(table, tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    fit(table, out)
    before = (out / "item_factors.csv").read_text()
    sentence = refusal(capsys, monkeypatch, "fit", arguments(table, out))
    assert f"{out} exists" in sentence
    assert (out / "item_factors.csv").read_text() == before
    fit(table, out, force=True, simulate=1)
    assert sorted(each.name for each in out.iterdir()) == [
        "simulated_guarantee.json",
        "simulated_item_factors.csv",
    ]
    (out / "thesis.tex").write_text("years of work")
    sentence = refusal(capsys, monkeypatch, "fit", arguments(table, out, force=True))
    assert "something else than an earlier fit" in sentence
    assert (out / "thesis.tex").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_written_whole_or_not_at_all(tmp_path):
    def write(text, fault=None):
        with whole_folder(tmp_path / "out") as folder:
            (folder / "file").write_text(text)
            if fault:
                raise fault

    with pytest.raises(KeyboardInterrupt):
        write("half", KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []
    write("first")
    with pytest.raises(OSError, match="disk full"):
        write("half", OSError("disk full"))
    assert (tmp_path / "out" / "file").read_text() == "first"
    write("second")
    assert (tmp_path / "out" / "file").read_text() == "second"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


# -- one user's own completion ------------------------------------------------------------------
