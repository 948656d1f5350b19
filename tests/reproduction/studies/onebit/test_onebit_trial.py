"""Trials of one-bit completion: shared data, own noise, metrics, one solve of a fixed split."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit import private
from dpmc_studies.studies.onebit import trial as onebit_trial
from dpmc_studies.studies.onebit.cells import ONEBIT_COLUMNS, OneBitCell
from dpmc_studies.studies.onebit.sample import BY_RANK, Sample, accuracy, relative_error
from dpmc_studies.studies.onebit.trial import (
    make_sample,
    run_clear,
    run_curve,
)

SMALL = {"seed": 3, "trials": 2, "users": 20, "items": 16, "rank": 1, "alpha": 1}
PAPER = {"seed": 3, "trials": 40, "users": 100, "items": 100, "rank": 1, "alpha": 1}
STARS = {"seed": 3, "trials": 3, "rank": 2, "alpha": 1, "threshold": "mean"}
BASELINES = {"baselines": ["zero", "majority", "item_bias"]}
NOT_COMPARED = ("seconds",)


def cell(mechanism="clear", epsilon=None, **others):
    given = {"dataset": "synthetic", "link": "gaussian", "constraint": "both"}
    given |= {"observed_fraction": 0.15} | others
    return OneBitCell(**given, mechanism=mechanism, epsilon=epsilon)


def star_cell(mechanism="clear", epsilon=None, **others):
    others = {"dataset": "stars", "constraint": "nuclear", "observed_fraction": 0.75} | others
    return cell(mechanism, epsilon, **others)


@pytest.fixture
def stars():
    rng = np.random.default_rng(8)
    order = rng.permutation(120)[:80]
    users, items = np.divmod(np.arange(120), 10)
    values = rng.integers(1, 6, 80)
    return Ratings(users[order], items[order], values, 12, 10, "stars", (1, 5))


def comparable(row):
    return {name: value for name, value in row.items() if name not in NOT_COMPARED}


def signs_of(values):
    index = np.arange(len(values))
    return Ratings(index, index, np.array(values, dtype=float), len(values), len(values))


# -- metrics ------------------------------------------------------------------------------------


def test_the_relative_error_is_that_of_squares():
    truth = np.array([[1.0, -2.0], [2.0, 0.0]])
    assert relative_error(truth, truth) == 0
    assert relative_error(np.zeros((2, 2)), truth) == 1
    assert relative_error(truth + np.diag([0.0, 3.0]), truth) == pytest.approx(1)
    assert relative_error(-truth, truth) == pytest.approx(4)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.sampled_from([-2.0, 0.0, 0.3])), min_size=1))
def test_accuracy_counts_half_for_an_entry_of_zero(pairs):
    signs, entries = zip(*pairs, strict=True)
    points = [0.5 if x == 0 else float(x * y > 0) for y, x in pairs]
    found = accuracy(np.diag(entries), signs_of(signs))
    assert found == pytest.approx(sum(points) / len(points))
    assert found + accuracy(-np.diag(entries), signs_of(signs)) == pytest.approx(1)


def test_truncation_comes_after_the_noise():
    rng = np.random.default_rng(0)
    truth = np.outer(rng.random(30), rng.random(20))
    noisy = truth + 0.3 * rng.standard_normal(truth.shape)
    u, s, vt = np.linalg.svd(noisy)
    best = s[0] * np.outer(u[:, 0], vt[0])
    found = Sample(signs_of([1]), matrix=truth).errors(noisy, rank=1)
    assert found["are_raw"] == pytest.approx(relative_error(noisy, truth))
    assert found["are_truncated"] == pytest.approx(relative_error(best, truth), rel=1e-6)
    assert found["accuracy_raw"] is found["accuracy_truncated"] is None


# -- data ---------------------------------------------------------------------------------------


def test_all_but_data_set_share_and_trial_share_the_data():
    one = make_sample(cell(), SMALL, 0)
    for other in (
        cell(link="logistic"),
        cell(constraint="nuclear"),
        cell("inp", 1.0),
        cell("grap", 2.0),
    ):
        same = make_sample(other, SMALL, 0)
        assert np.array_equal(same.matrix, one.matrix)
        assert np.array_equal(same.training.users, one.training.users)
        assert np.array_equal(same.training.items, one.training.items)
        if other.link == "gaussian":
            assert np.array_equal(same.training.values, one.training.values)
    for differing in (
        make_sample(cell(), SMALL, 1),
        make_sample(cell(dataset="other"), SMALL, 0),
        make_sample(cell(observed_fraction=0.2), SMALL, 0),
        make_sample(cell(), SMALL | {"seed": 4}, 0),
    ):
        assert not np.allclose(differing.matrix, one.matrix)


def test_real_data_are_split_at_random_or_at_the_start_of_the_file(stars):
    signs = np.where(stars.values > stars.values.mean(), 1.0, -1.0)
    drawn = [make_sample(star_cell(), STARS, trial, stars) for trial in (0, 0, 1)]
    assert all((len(each.training), len(each.test)) == (60, 20) for each in drawn)
    assert np.array_equal(drawn[0].test.users, drawn[1].test.users)
    assert not np.array_equal(drawn[0].test.users, drawn[2].test.users)
    fixed = [make_sample(star_cell(), STARS | {"test_ratings": 20}, t, stars) for t in (0, 1)]
    for each in fixed:
        assert np.array_equal(each.test.users, stars.users[:20])
        assert np.array_equal(each.test.values, signs[:20])
        assert np.array_equal(each.training.values, signs[20:])


def test_a_fixed_split_must_have_the_share_of_the_cell(stars):
    with pytest.raises(InputError, match=r"share of 0\.8 for training"):
        make_sample(star_cell(), STARS | {"test_ratings": 16}, 0, stars)


# -- rows ---------------------------------------------------------------------------------------


def test_the_clear_job_makes_its_rows_those_of_baselines_and_the_matrices():
    settings = SMALL | BASELINES
    rows, matrices = run_clear(cell(), settings)
    names = ["clear", *settings["baselines"]]
    assert [(row["mechanism"], row["trial"]) for row in rows] == [
        (name, trial) for trial in (0, 1) for name in names
    ]
    assert all(tuple(row) == ONEBIT_COLUMNS for row in rows)
    for row in rows:
        truth = make_sample(cell(), settings, row["trial"]).matrix
        if row["mechanism"] == "clear":
            assert row["converged"]
            assert row["iterations"] > 1
            assert row["are_raw"] == relative_error(matrices[row["trial"]], truth)
        else:
            assert row["objective"] is row["iterations"] is row["converged"] is None
        if row["mechanism"] == "zero":
            assert row["are_raw"] == row["are_truncated"] == 1
            assert row["actual_epsilon"] == 0
        else:
            assert row["actual_epsilon"] == row["claimed_epsilon"] == float("inf")
        assert row["epsilon"] is row["accuracy_raw"] is None
    assert len(matrices) == 2
    assert not np.allclose(*matrices)


def test_ranks_are_of_the_same_completion(stars):
    settings = STARS | {"ranks": [1, 2, 7, 100], "baselines": ["zero"], "trials": 2}
    rows, matrices = run_clear(star_cell(), settings, ratings=stars)
    without, _ = run_clear(star_cell(), {**settings, "ranks": []}, ratings=stars)
    assert [comparable({name: row[name] for name in ONEBIT_COLUMNS}) for row in rows] == [
        comparable(row) for row in without
    ]
    for row, matrix in zip(rows[::2], matrices, strict=True):
        test = make_sample(star_cell(), settings, row["trial"], stars).test
        u, s, vt = np.linalg.svd(matrix)
        expected = {
            rank: accuracy((u[:, :rank] * s[:rank]) @ vt[:rank], test) for rank in (1, 2, 7, 10)
        }
        expected[100] = expected.pop(10)  # it has no more
        assert row[BY_RANK] == pytest.approx(expected)
        assert row[BY_RANK][2] == row["accuracy_truncated"]  # the rank of the settings
        assert row[BY_RANK][100] == row["accuracy_raw"]
        assert len(set(expected.values())) > 1
    assert rows[1][BY_RANK] == dict.fromkeys(settings["ranks"], 0.5)


def test_a_fixed_split_is_solved_once_and_repeated_as_rows(stars, monkeypatch):
    asked = []

    def counting(mechanism, *arguments, **options):
        asked.append(mechanism)
        return private.complete(mechanism, *arguments, **options)

    monkeypatch.setattr(onebit_trial, "complete", counting)
    settings = STARS | {"test_ratings": 20, "baselines": ["majority"]}
    rows, matrices = run_clear(star_cell(), settings, ratings=stars)
    assert asked == ["clear", "majority"]
    assert len(matrices) == 1
    assert [row["trial"] for row in rows] == [0, 0, 1, 1, 2, 2]
    first, last = rows[0], rows[-2]
    assert first | {"trial": 2} == last
    assert first["are_raw"] is None
    assert 0 <= first["accuracy_raw"] <= 1
    noised = list(run_curve([star_cell("outp", 1e9)], settings, ratings=stars, clear=matrices))
    assert [row["trial"] for row in noised] == [0, 1, 2]
    # almost no noise: what is left is the shared solution, clipped
    test = make_sample(star_cell(), settings, 0, stars).test
    clipped = accuracy(np.clip(matrices[0], -1, 1), test)
    assert {row["accuracy_raw"] for row in noised} == {clipped}


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("inp", {}),
        ("objp_paper", {}),
        ("objp", {}),
        ("grap", {"clip": 0.5, "iterations": 2, "step": 1.0}),
        ("grap_gaussian", {"clip": 0.5, "iterations": 1, "step": 1.0, "delta": 1e-5}),
        ("outp", {}),
        ("outp_paper", {}),
        ("private_item_bias", {}),
    ],
)
@pytest.mark.parametrize("data", ["drawn", "split", "fixed split"])
def test_a_curve_is_its_cells_run_one_by_one(data, mechanism, options, stars):
    """What the epsilons share changes no bit of any row; a cell alone does not know of others."""
    if data == "drawn":
        make, settings, ratings = cell, SMALL | options, None
    else:
        fixed = {"test_ratings": 20} if data == "fixed split" else {}
        make, settings, ratings = star_cell, STARS | fixed | options, stars
    cells = [make(mechanism, epsilon, constraint="both") for epsilon in (1.0, 4.0, 0.9)]
    _, matrices = run_clear(cells[0].clear(), settings | {"baselines": []}, ratings=ratings)
    rows = run_curve(cells, settings, ratings=ratings, clear=matrices)
    alone = [
        row
        for each in cells
        for row in run_curve([each], settings, ratings=ratings, clear=matrices)
    ]
    assert list(map(comparable, rows)) == list(map(comparable, alone))
    assert [(row["epsilon"], row["trial"]) for row in rows] == [
        (each.epsilon, trial) for each in cells for trial in range(settings["trials"])
    ]


def test_noise_depends_on_trial_and_constraint(stars):
    settings = STARS | {"test_ratings": 20, "trials": 8}
    objectives = {
        constraint: [
            row["objective"]
            for row in run_curve(
                [star_cell("inp", 1.0, constraint=constraint)], settings, ratings=stars
            )
        ]
        for constraint in ("both", "nuclear")
    }
    assert all(len(set(values)) == 8 for values in objectives.values())


# -- numbers ------------------------------------------------------------------------------------


def test_errors_at_15_percent_are_those_of_an_independent_implementation():
    # 40 draws of standard deviation .126: .08 is four standard errors; the seed is fixed
    rows, _ = run_clear(cell(), PAPER | {"baselines": []})
    assert np.mean([row["are_raw"] for row in rows]) == pytest.approx(1.649, abs=0.08)
    assert all(row["converged"] for row in rows)
    rows = list(run_curve([cell("inp", 1.0)], PAPER))
    assert np.mean([row["are_raw"] for row in rows]) == pytest.approx(1.947, abs=0.08)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_error_of_published_output_perturbation_is_the_variance_of_its_noise(epsilon):
    settings = PAPER | {"trials": 10}
    clear, matrices = run_clear(cell(), settings | {"baselines": []})
    noised = list(run_curve([cell("outp_paper", epsilon)], settings, clear=matrices))
    for one, other in zip(clear, noised, strict=True):
        truth = make_sample(cell(), settings, one["trial"]).matrix
        expected = 8 / (epsilon**2 * np.square(truth).mean())
        # the mean of 10,000 squares of Laplace noise has a standard deviation of 2.2 %
        assert other["are_raw"] - one["are_raw"] == pytest.approx(expected, rel=0.12)
