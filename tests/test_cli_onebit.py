"""`dpmc onebit`: what it writes, what it refuses, and that numbers and guarantees are right."""

import csv
import functools
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from dp_accounting import get_epsilon_gaussian, get_sigma_gaussian
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from refusals import refusal
from scipy.special import expit, ndtr
from threadpoolctl import threadpool_info, threadpool_limits

from dpmc import cli
from dpmc.fitting import onebit as completing
from dpmc.fitting.onebit import AS_PUBLISHED, RELEASED
from dpmc.methods.onebit import private
from dpmc.methods.onebit.solve import Ball, solve
from dpmc.methods.released import onebit_folder
from dpmc.ratings import Ratings

USERS, ITEMS = 60, 40
PER_USER = 30
CASES = [
    (mechanism, link)
    for mechanism in (*RELEASED, *AS_PUBLISHED)
    for link in ("logistic", "gaussian")
    if (mechanism, link) != ("objp", "gaussian")  # needs epsilon above 4.2 at alpha = 3
]
FILES = ["factors.npz", "guarantee.json", "predictions.csv"]


@pytest.fixture(scope="module")
def truth():
    """A matrix of rank 1 with entries +-3, and signs of it: 30 a user, wrong in 5 of 100."""
    rng = np.random.default_rng(1)
    matrix = 3 * np.outer(rng.choice([-1, 1], USERS), rng.choice([-1, 1], ITEMS))
    users = np.repeat(np.arange(USERS), PER_USER)
    items = np.concatenate([rng.permutation(ITEMS)[:PER_USER] for _ in range(USERS)])
    signs = np.where(rng.random(users.size) < expit(matrix[users, items]), 1, -1)
    return matrix, Ratings(users, items, signs, USERS, ITEMS)


@pytest.fixture(scope="module")
def table(truth, tmp_path_factory):
    path = tmp_path_factory.mktemp("ratings") / "mine.csv"
    write_table(path, truth[1], truth[1].values)
    return path


def write_table(path, ratings, values):
    with open(path, "w") as stream:
        stream.write("userId,movieId,rating\n")
        for user, item, value in zip(ratings.users, ratings.items, values, strict=True):
            stream.write(f"u{user:02},{100 + item},{float(value)!r}\n")


def arguments(path, output, **changes):
    options = {"ratings": path, "output": output, "epsilon": 3, "alpha": 3}
    options |= {"items-are-public": True, "users-are-public": True, **changes}
    listed = []
    for name, value in options.items():
        if value is True:
            listed.append(f"--{name}")
        elif value is not None:
            listed += [f"--{name}", str(value)]
    return listed


def onebit(path, output, **changes):
    listed = ["onebit", *arguments(path, output, **changes)]
    result = CliRunner().invoke(cli.cli, listed, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def guarantee(folder, prefix=""):
    return json.loads((folder / f"{prefix}guarantee.json").read_text())


def factors(folder, prefix=""):
    with np.load(folder / f"{prefix}factors.npz") as stored:
        return dict(stored)


def predictions(folder, prefix=""):
    with open(folder / f"{prefix}predictions.csv", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["user", "item", "sign", "probability", "probability_truncated"]
    columns = (np.array([row[k] for row in rows], float) for k in (2, 3, 4))
    return [row[:2] for row in rows], *(column.reshape(USERS, ITEMS) for column in columns)


# -- what is written ----------------------------------------------------------------------------


def test_likes_of_everybody_with_exact_flips(table, truth, tmp_path):
    result = onebit(table, tmp_path / "out")
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == FILES
    stated = guarantee(tmp_path / "out")
    assert stated["sentence"] in result.output
    assert all(each in result.output for each in stated["assumed_public"].values())
    assert stated["assumed_public"]["pairs"] == "which user rated which item"
    assert "lists of items and users were known without the ratings" in stated["sentence"]
    for what, count in (("users", USERS), ("items", ITEMS)):
        assert stated["lists"][what]["origin"] == "said to be public"
        assert stated["lists"][what]["count"] == count
    assert stated["format"] == "dpmc-onebit-1"
    assert sorted(stated["files"]) == ["factors.npz", "predictions.csv"]
    assert result.stderr == ""
    assert (stated["relation"], stated["mechanism"]) == ("entry_change", "inp")
    assert (stated["claimed_epsilon"], stated["actual_epsilon"]) == (3, 3)
    assert stated["user_epsilon"] == pytest.approx(3 * PER_USER)
    assert not stated["simulated"]
    assert "random bits of the operating system" in stated["noise"]
    pairs, signs, probabilities, truncated = predictions(tmp_path / "out")
    wanted = [[f"u{user:02}", str(100 + item)] for user in range(USERS) for item in range(ITEMS)]
    assert pairs == wanted
    # 9 of 100 signs are wrong after the flips, 30 of each user are known: the fit has nearly all
    # right, and by chance less than .9 less often than once in 1e9 runs
    assert np.mean(signs == np.sign(truth[0])) > 0.9
    assert np.mean((truncated > 0.5) == (truth[0] > 0)) > 0.9
    assert ((probabilities > 0.5) == (signs > 0)).all()
    for found in (probabilities, truncated):
        assert found.min() >= expit(-3)
        assert found.max() <= expit(3)


@pytest.mark.parametrize(("mechanism", "link"), CASES)
@pytest.mark.parametrize("constraint", ["both", "nuclear"])
def test_written_are_the_matrix_and_the_nearest_one_of_that_rank(
    table, truth, tmp_path, mechanism, link, constraint
):
    """Recomputed from the library's matrix, by numpy's singular value decomposition."""
    chosen = {"mechanism": mechanism, "link": link, "constraint": constraint, "rank": 2}
    onebit(table, tmp_path / "out", simulate=7, **chosen)
    matrix = simulated(truth[1], seed=7, **chosen)
    left, values, right = np.linalg.svd(matrix)
    entries = (left[:, :2] * values[:2]) @ right[:2]
    found = factors(tmp_path / "out", "simulated_")
    product = found["user_factors"] @ found["item_factors"].T
    np.testing.assert_allclose(product, entries, rtol=0, atol=1e-9 * np.abs(entries).max())
    for name in ("user_factors", "item_factors"):
        norms = np.linalg.norm(found[name], axis=0)
        np.testing.assert_allclose(norms**2, values[:2], rtol=0, atol=1e-6 * values[0])
    assert found["user_labels"].tolist() == [f"u{user:02}" for user in range(USERS)]
    assert found["item_labels"].tolist() == [str(100 + item) for item in range(ITEMS)]
    _, signs, *probabilities = predictions(tmp_path / "out", "simulated_")
    assert (signs == np.sign(matrix)).all()
    in_box = constraint == "both" or mechanism.startswith("outp")
    cdf = {"logistic": expit, "gaussian": ndtr}[link]
    for found, completed in zip(probabilities, (matrix, product), strict=True):
        expected = cdf(np.clip(completed, -3, 3) if in_box else completed)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    bound = guarantee(tmp_path / "out", "simulated_")["constants"]["entry_bound"]
    assert bound == (3 if in_box else None)


def simulated(signs, *, seed, mechanism, link, constraint, rank):
    signs = signs.take(np.argsort(signs.users * ITEMS + signs.items))
    tau = 3 * math.sqrt(USERS * ITEMS * rank)
    ball = Ball(tau, 3.0 if constraint == "both" else None)
    problem = private.Problem(signs, link, ball, 3.0)
    delta = 1e-5 if mechanism == "grap_gaussian" else None
    randomness = private.Simulated(np.random.default_rng(seed))
    return private.complete(mechanism, problem, 3.0, randomness=randomness, delta=delta).matrix


def test_what_each_mechanism_really_guarantees(table, tmp_path):
    """Entry level and user level, from formulas and dp-accounting, not from the library."""
    entries, k = USERS * ITEMS, PER_USER
    wanted = {
        "inp": (3, 3 * k),
        "objp": (3, 3 * k),
        "objp_paper": (3, 3 * k),
        "objp_literal": (6, 6 * k),
        "grap": (3, 3 * k),
        "grap_paper": (6, 6 * k),
        "outp": (3, 3),
        "outp_paper": (3 * entries, 3 * entries),
        "private_item_bias": (3, 3 * k),
    }
    for mechanism, (actual, user) in wanted.items():
        onebit(table, tmp_path / mechanism, mechanism=mechanism, simulate=1)
        stated = guarantee(tmp_path / mechanism, "simulated_")
        assert stated["claimed_epsilon"] == 3
        assert stated["actual_epsilon"] == pytest.approx(actual)
        assert stated["user_epsilon"] == pytest.approx(user)
        assert ("is not proven" in stated["sentence"]) == (actual > 3)
    onebit(table, tmp_path / "gaussian", mechanism="grap_gaussian", delta=1e-6)
    stated = guarantee(tmp_path / "gaussian")
    assert (stated["actual_epsilon"], stated["actual_delta"]) == (3, 1e-6)
    sigma = get_sigma_gaussian(3, 1e-6)
    by_user = get_epsilon_gaussian(sigma / math.sqrt(k), 1e-6)
    assert stated["user_epsilon"] == pytest.approx(by_user, rel=1e-6)


def test_a_loss_without_bound_is_valid_json(table, tmp_path):
    unbounded = {"mechanism": "objp_paper", "link": "gaussian", "constraint": "nuclear"}
    onebit(table, tmp_path / "out", simulate=1, **unbounded)
    text = (tmp_path / "out" / "simulated_guarantee.json").read_text()
    stated = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert (stated["claimed_epsilon"], stated["actual_epsilon"]) == (3, "infinite")
    assert "is not proven" in stated["sentence"]


@pytest.mark.parametrize("mechanism", RELEASED)
def test_nothing_but_the_matrix_depends_on_the_ratings(table, truth, tmp_path, mechanism):
    """All ratings turned round: the same bytes of messages and, but for digests, of the guarantee;
    files of one size."""
    write_table(tmp_path / "other.csv", truth[1], -truth[1].values)
    runs = [
        onebit(path, tmp_path / "out", mechanism=mechanism, force=True)
        for path in (table, tmp_path / "other.csv")
    ]
    assert runs[0].stdout == runs[1].stdout
    texts, sizes = [], []
    for path in (table, tmp_path / "other.csv"):
        onebit(path, tmp_path / "out", mechanism=mechanism, force=True)
        text = (tmp_path / "out" / "guarantee.json").read_text()
        for name, digest in json.loads(text)["files"].items():
            text = text.replace(digest, f"digest of {name}")
        texts.append(text)
        sizes.append((tmp_path / "out" / "factors.npz").stat().st_size)
    assert texts[0] == texts[1]
    assert sizes[0] == sizes[1]


def test_randomness_is_new_each_time_unless_simulated(table, tmp_path):
    found = []
    for name, seed in (("a", None), ("b", None), ("c", 3), ("d", 3), ("e", 4)):
        onebit(table, tmp_path / name, simulate=seed)
        prefix = "" if seed is None else "simulated_"
        found.append(factors(tmp_path / name, prefix)["user_factors"])
        stated = guarantee(tmp_path / name, prefix)
        assert stated["simulated"] == bool(prefix)
        assert ("not for publication" in stated["sentence"]) == bool(prefix)
        assert all(each.name.startswith(prefix) for each in (tmp_path / name).iterdir())
    a, b, c, d, e = found
    assert (c == d).all()
    assert not (a == b).any()
    assert not (c == e).any()


def test_codes_and_thresholds_give_the_same_signs(table, truth, tmp_path):
    ratings = truth[1]
    stars = np.where(ratings.values > 0, 3.5, 3.0)
    written = []
    for name, values, threshold in (
        ("signs", ratings.values, None),
        ("bits", (ratings.values + 1) / 2, None),
        ("stars", stars, 3),
        ("negative", stars - 9, -6),
    ):
        write_table(tmp_path / f"{name}.csv", ratings, values)
        onebit(tmp_path / f"{name}.csv", tmp_path / name, threshold=threshold, simulate=1)
        written.append((tmp_path / name / "simulated_predictions.csv").read_bytes())
        stated = guarantee(tmp_path / name, "simulated_")
        assert stated["constants"]["threshold"] == (threshold or 0)
    assert written == written[:1] * 4


@pytest.mark.parametrize("mechanism", RELEASED)
def test_the_order_of_rows_leaves_no_trace(table, truth, tmp_path, mechanism):
    """A file may be sorted by its ratings; the same noise must give the same bytes."""
    ratings = truth[1].take(np.argsort(truth[1].values, kind="stable"))
    write_table(tmp_path / "sorted.csv", ratings, ratings.values)
    options = {"mechanism": mechanism, "constraint": "nuclear", "simulate": 1}
    for path, name in ((table, "a"), (tmp_path / "sorted.csv", "b")):
        onebit(path, tmp_path / name, **options)
    a, b = (factors(tmp_path / name, "simulated_") for name in "ab")
    assert all((a[name] == b[name]).all() for name in a)


@pytest.mark.parametrize("mechanism", ["objp", "outp"])
def test_solved_on_one_thread(table, tmp_path, monkeypatch, mechanism):
    found = []

    def watched(*arguments, **options):
        found.extend(each["num_threads"] for each in threadpool_info() if blas(each))
        return solve(*arguments, **options)

    def blas(library):
        return library["user_api"] == "blas"

    monkeypatch.setattr(private, "solve", watched)
    with threadpool_limits(2, user_api="blas"):
        assert 2 in [each["num_threads"] for each in threadpool_info() if blas(each)]
        onebit(table, tmp_path / "out", mechanism=mechanism)
    assert set(found) == {1}


@pytest.mark.parametrize(
    ("values", "signs"),
    [([0, 1, 0], [-1, 1, -1]), ([-1, 1, 1], [-1, 1, 1]), ([0, 0, 0], [-1] * 3), ([1] * 3, [1] * 3)],
)
def test_codes(tmp_path, values, signs):
    result, found = signs_written(tmp_path, values)
    assert found == signs
    assert ("all ratings lie on one side of the threshold 0" in result.stderr) == (
        len(set(values)) == 1
    )
    assert "more than likes and dislikes" not in result.stderr


@pytest.mark.parametrize("values", [[-1, 0, 1], [-1, 0, 0], [1, 2, 1], [0, 0.5, 1]])
def test_other_values_are_remarked_and_what_is_above_0_is_liked(tmp_path, values):
    """To refuse them would tell one rating from another."""
    result, found = signs_written(tmp_path, values)
    assert "those above 0 are +1, unless --threshold says otherwise (not private" in result.stderr
    assert found == [1 if value > 0 else -1 for value in values]
    assert "likes" not in (tmp_path / "out" / "guarantee.json").read_text()
    result, found = signs_written(tmp_path, values, threshold=0.5)
    assert "likes" not in result.stderr
    assert found == [1 if value > 0.5 else -1 for value in values]


def signs_written(tmp_path, values, **changes):
    """Three ratings, at a budget at which one is flipped less often than once in 1e12 runs."""
    path = tmp_path / "mine.csv"
    rows = zip("aab", "xyx", values, strict=True)
    path.write_text("user,item,rating\n" + "".join(f"{u},{i},{v}\n" for u, i, v in rows))
    result = onebit(path, tmp_path / "out", epsilon=30, force=True, **changes)
    with open(tmp_path / "out" / "predictions.csv", newline="") as stream:
        found = {(row["user"], row["item"]): row["sign"] for row in csv.DictReader(stream)}
    return result, [int(found[pair]) for pair in zip("aab", "xyx", strict=True)]


def test_many_pairs_are_written_as_parquet(table, tmp_path, monkeypatch):
    monkeypatch.setattr(onebit_folder, "MOST_ROWS", USERS * ITEMS)
    onebit(table, tmp_path / "out", simulate=1)
    assert (tmp_path / "out" / "simulated_predictions.csv").exists()
    _, signs, probabilities, truncated = predictions(tmp_path / "out", "simulated_")
    monkeypatch.setattr(onebit_folder, "MOST_ROWS", USERS * ITEMS - 1)
    onebit(table, tmp_path / "out", simulate=1, force=True)
    assert not (tmp_path / "out" / "simulated_predictions.csv").exists()
    found = parquet.read_table(tmp_path / "out" / "simulated_predictions.parquet")
    assert found.column_names == ["user", "item", *onebit_folder.COLUMNS]
    assert found["user"].to_pylist()[:ITEMS] == ["u00"] * ITEMS
    assert found["item"].to_pylist() == [str(100 + item) for item in range(ITEMS)] * USERS
    assert found["sign"].to_pylist() == signs.ravel().tolist()
    assert found["probability"].to_pylist() == probabilities.ravel().tolist()
    assert found["probability_truncated"].to_pylist() == truncated.ravel().tolist()


def test_how_the_solver_fared_goes_to_the_terminal_only(table, tmp_path, monkeypatch, recwarn):
    monkeypatch.setattr(private, "solve", functools.partial(solve, max_iterations=2))
    result = onebit(table, tmp_path / "out", mechanism="outp", simulate=1)
    assert "the solver stopped after 2 iterations, unfinished" in result.stderr
    assert "stopped" not in result.stdout
    stated = guarantee(tmp_path / "out", "simulated_")
    assert not {"iterations", "converged", "value"} & (stated.keys() | stated["constants"].keys())
    assert not recwarn


def test_a_large_delta_is_remarked(table, tmp_path):
    result = onebit(table, tmp_path / "out", mechanism="grap_gaussian", delta=1e-3)
    assert f"delta 0.001 is not below 1 / {USERS * PER_USER} ratings" in result.stderr
    assert "is not below" not in (tmp_path / "out" / "guarantee.json").read_text()


def test_in_a_process_of_its_own(table, tmp_path):
    listed = [str(each) for each in arguments(table, tmp_path / "out", mechanism="objp")]
    run = subprocess.run(
        [sys.executable, "-m", "dpmc", "onebit", *listed],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert guarantee(tmp_path / "out")["mechanism"] == "objp"


def test_columns_are_detected_or_named(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("who\tfilm\tnote\nann\tup\t1\nann\talien\t-1\nbob\tup\t1\n")
    onebit(path, tmp_path / "out", user="who", rating="note")
    assert factors(tmp_path / "out")["item_labels"].tolist() == ["alien", "up"]


@given(
    matrix=st.integers(1, 6).flatmap(
        lambda rows: st.integers(1, 6).flatmap(
            lambda columns: st.lists(
                st.lists(st.integers(-3, 3), min_size=columns, max_size=columns),
                min_size=rows,
                max_size=rows,
            )
        )
    ),
    rank=st.integers(1, 6),
)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_factors_are_a_best_approximation(matrix, rank):
    """Of any shape and rank, zeros included: its distance is that of the values left out."""
    matrix = np.array(matrix, dtype=float)
    rank = min(rank, *matrix.shape)
    users, items = onebit_folder.factorise(matrix, rank)
    assert users.shape == (matrix.shape[0], rank)
    assert items.shape == (matrix.shape[1], rank)
    values = np.linalg.svd(matrix, compute_uv=False)
    distance = np.linalg.norm(matrix - users @ items.T)
    # singular values from the Gram matrix: those that are 0 come out as up to 1e-7
    assert distance == pytest.approx(np.linalg.norm(values[rank:]), abs=1e-6)


# -- what is refused ----------------------------------------------------------------------------

REFUSALS = {
    "mechanism": ({"mechanism": "outq"}, "one-bit mechanism 'outq' (did you mean 'outp'?)"),
    "no privacy": ({"mechanism": "clear"}, "There is no one-bit mechanism 'clear'"),
    "objp as published": (
        {"mechanism": "objp_paper"},
        "with --simulate only; release objp instead",
    ),
    "half a guarantee": ({"mechanism": "objp_literal"}, "does not guarantee the epsilon"),
    "grap as published": (
        {"mechanism": "grap_paper"},
        "with --simulate only; release grap instead",
    ),
    "outp as published": (
        {"mechanism": "outp_paper"},
        "with --simulate only; release outp instead",
    ),
    "exact minimiser": (
        {"mechanism": "objp", "link": "gaussian", "alpha": 1},
        "objp with the gaussian link is for simulation only",
    ),
    "least epsilon": (
        {"mechanism": "objp", "link": "gaussian", "epsilon": 0.7, "alpha": 1, "simulate": 1},
        "needs epsilon above 0.77",
    ),
    "epsilon 0": ({"epsilon": 0}, "--epsilon must be a positive finite number, got 0.0"),
    "epsilon nan": ({"epsilon": "nan"}, "--epsilon must be a positive finite number, got nan"),
    "epsilon for nothing": ({"epsilon": 1e6}, "epsilon must be at most 700"),
    "alpha": ({"alpha": "inf"}, "--alpha must be a positive finite number, got inf"),
    "alpha 31": ({"alpha": 31}, "--alpha must lie between 1e-06 and 30, got 31"),
    # so small that the Gaussian link bends by less than a rounding error
    "alpha 1e-16": (
        {"alpha": 1e-16, "mechanism": "objp", "link": "gaussian"},
        "--alpha must lie between 1e-06 and 30, got 1e-16",
    ),
    "delta of inp": ({"delta": 1e-6}, "--delta is an option of the mechanism grap_gaussian; inp"),
    "delta 1": ({"delta": 1, "mechanism": "grap_gaussian"}, "--delta must lie in [0, 1), got 1.0"),
    "delta 0": ({"delta": 0, "mechanism": "grap_gaussian"}, "delta"),
    "link": ({"link": "probit"}, "There is no link 'probit'"),
    "threshold mean": ({"threshold": "mean"}, "their mean, for example, is not covered by the"),
    "threshold nan": ({"threshold": "nan"}, "must be a number that is known without the ratings"),
    "rank 0": ({"rank": 0}, "--rank must be at least 1, got 0"),
    "rank": ({"rank": 41}, "--rank must be at most 40 for 60 users and 40 items, got 41"),
    "missing column": ({"user": "who"}, "there is no column 'who' (--user)"),
    "missing file": ({"ratings": "nowhere.csv"}, "nowhere.csv cannot be read: No such file"),
    "kind of file": (
        {"ratings": "mine.xlsx"},
        "The table of ratings must be a file that ends in .csv",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_one_sentence_and_leave_nothing(table, tmp_path, case, capsys, monkeypatch):
    changes, sentence = REFUSALS[case]
    listed = arguments(table, tmp_path / "out", **changes)
    assert sentence in refusal(capsys, monkeypatch, "onebit", listed)
    assert list(tmp_path.iterdir()) == []


def test_ratings_that_are_stars_are_remarked(truth, tmp_path):
    write_table(tmp_path / "mine.csv", truth[1], truth[1].values + 3)
    result = onebit(tmp_path / "mine.csv", tmp_path / "out")
    assert "ratings are more than likes and dislikes" in result.stderr
    assert "all ratings lie on one side of the threshold 0" in result.stderr
    for line in result.stderr.splitlines():
        assert line.endswith(" (not private, and not in the files).")
    text = (tmp_path / "out" / "guarantee.json").read_text()
    assert not any(words in text for words in ("dislikes", "one side"))


def test_a_matrix_that_does_not_fit_is_refused(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(completing, "MOST_ENTRIES", USERS * ITEMS - 1)
    listed = arguments(table, tmp_path / "out")
    assert "60 users and 40 items are 2400 entries" in refusal(
        capsys, monkeypatch, "onebit", listed
    )


def test_an_output_that_exists_is_replaced_only_by_force(table, tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    onebit(table, out)
    before = (out / "predictions.csv").read_bytes()
    assert f"{out} exists" in refusal(capsys, monkeypatch, "onebit", arguments(table, out))
    assert (out / "predictions.csv").read_bytes() == before
    onebit(table, out, force=True, simulate=1)
    assert sorted(each.name for each in out.iterdir()) == [f"simulated_{name}" for name in FILES]
    (out / "item_factors.csv").write_text("of dpmc fit")
    sentence = refusal(capsys, monkeypatch, "onebit", arguments(table, out, force=True))
    assert "something else than an earlier onebit" in sentence
    assert (out / "item_factors.csv").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_nothing_is_half_written(table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(onebit_folder, "write_pairs", full)
    result = CliRunner().invoke(cli.cli, ["onebit", *arguments(table, tmp_path / "out")])
    assert str(result.exception) == "disk full"
    assert list(tmp_path.iterdir()) == []
