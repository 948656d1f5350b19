"""The tables of the one-bit part hold the numbers of its results."""

import pytest
from committed import tables as committed_tables
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.onebit.frames import NAMES
from dpmc_studies.studies.onebit.tables import build_onebit_tables

ARE, LARGE, ACCURACY, GUARANTEES, STEPS, CLAIMS = (
    "table_onebit_1_are", "table_onebit_2_are_large", "table_onebit_3_accuracy",
    "table_onebit_4_guarantees", "table_onebit_7_steps", "onebit_claims",
)  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return committed_tables("onebit", trials=5)


@pytest.fixture(scope="module")
def tables(frames):
    return {table.id: table for table in build_onebit_tables(frames)}


def row_of(table, line, **keys):
    names = [key for key, _ in table.headings]
    (found,) = [
        row
        for row in table.rows
        if row.line == line
        and all(row.keys[names.index(name)] == value for name, value in keys.items())
    ]
    return dict(zip((column.key for column in table.columns), found.cells, strict=True))


def test_every_table_is_made_in_order(tables):
    assert list(tables) == [ARE, LARGE, ACCURACY, GUARANTEES, STEPS, CLAIMS]


def test_errors_are_means_with_standard_errors(tables, frames):
    where = {"dataset": "synthetic", "constraint": "both", "observed_fraction": 0.15,
             "link": "logistic", "mechanism": "inp", "epsilon": 4}  # fmt: skip
    trials = select(frames["trials"], **where)
    for stage in ("raw", "truncated"):
        cells = row_of(tables[ARE], stage, link="logistic", mechanism="inp")
        values = trials[f"are_{stage}"]
        assert cells["epsilon_4"].value == pytest.approx(values.mean())
        assert cells["epsilon_4"].error == pytest.approx(stats.sem(values))
        assert cells["epsilon_4"].trials == len(values)
        assert not cells["no_epsilon"].present
    cells = row_of(tables[ARE], "raw", link="gaussian", mechanism="zero")
    assert cells["no_epsilon"].value == 1


def test_accuracies_are_per_cent_of_both_constraints(tables, frames):
    where = {"dataset": "ml-100k", "constraint": "both", "link": "gaussian",
             "mechanism": "outp_paper"}  # fmt: skip
    cells = row_of(tables[ACCURACY], "truncated", **where)
    values = 100 * select(frames["trials"], epsilon=4, **where)["accuracy_truncated"]
    assert cells["epsilon_4"].value == pytest.approx(values.mean())
    assert not cells["epsilon_5"].present


def test_guarantees(tables):
    place = {"dataset": "synthetic", "link": "gaussian"}
    outp = row_of(tables[GUARANTEES], "δ = 0", mechanism="outp_paper", **place)
    assert (outp["actual_1"].value, outp["user_10"].value) == (1e4, 1e5)
    nuclear = row_of(tables[GUARANTEES], "δ = 0", dataset="synthetic_large", link="gaussian",
                     mechanism="objp_paper")  # fmt: skip
    assert nuclear["actual_1"].number == "∞"
    labels = [row.labels[-1] for row in tables[GUARANTEES].rows if row.keys[-1] == "objp_paper"]
    assert set(labels) == {"ObjP", "ObjP, as published"}  # logistic, Gaussian


def test_steps_have_a_row_for_each_k_truncated_to_the_least_rank(tables, frames):
    where = {"dataset": "ml-100k", "link": "logistic", "epsilon": 4, "steps": 2, "rank": 1}
    values = 100 * select(frames["gradient_steps"], **where)["accuracy_truncated"]
    cells = row_of(tables[STEPS], "truncated", dataset="ml-100k", link="logistic",
                   mechanism="GraP, K = 2")  # fmt: skip
    assert cells["epsilon_4"].value == pytest.approx(values.mean())


def test_other_budgets_are_shown_if_the_usual_ones_were_not_run(frames):
    few = frames["trials"][frames["trials"]["epsilon"].isin([0.25, 0.5])]
    table = build_onebit_tables({**dict.fromkeys(NAMES), "trials": few})[-1]
    assert {column.key for column in table.columns} == {
        "actual_0.25", "user_0.25", "actual_0.5", "user_0.5",
    }  # fmt: skip
