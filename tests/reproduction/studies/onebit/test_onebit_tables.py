"""The tables of the one-bit part hold the numbers of its results."""

import os

import numpy as np
import pandas as pd
import pytest
from fake_results import onebit
from scipy import stats

from dpmc_studies.frame.showing.claims_table import number_cell
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.table_formats import to_csv
from dpmc_studies.studies.onebit.bound_tables import link_constants_table
from dpmc_studies.studies.onebit.frames import NAMES
from dpmc_studies.studies.onebit.tables import build_onebit_tables

MIRROR = os.environ.get("DPMC_DATA_MIRROR")
IDS = ["table_onebit_1_are", "table_onebit_2_are_large", "table_onebit_3_accuracy",
       "table_onebit_4_guarantees", "table_onebit_5_constants",
       "table_onebit_7_steps", "onebit_claims"]  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return onebit.tables()


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
    assert list(tables) == IDS


def test_errors_are_means_with_standard_errors(tables, frames):
    where = {"dataset": "synthetic", "constraint": "both", "observed_fraction": 0.15,
             "link": "logistic", "mechanism": "inp", "epsilon": 4}  # fmt: skip
    trials = select(frames["trials"], **where)
    for stage in ("raw", "truncated"):
        cell = row_of(tables[IDS[0]], stage, link="logistic", mechanism="inp")["epsilon_4"]
        values = trials[f"are_{stage}"]
        assert cell.value == pytest.approx(values.mean())
        assert cell.error == pytest.approx(stats.sem(values))
        assert cell.trials == 8


def test_what_has_no_noise_stands_in_a_column_of_its_own(tables):
    cells = row_of(tables[IDS[0]], "raw", link="gaussian", mechanism="zero")
    assert cells["no_epsilon"].value == 1
    assert not any(cell.present for name, cell in cells.items() if name != "no_epsilon")
    assert not row_of(tables[IDS[0]], "raw", link="gaussian", mechanism="inp")["no_epsilon"].present


def test_headings_that_never_change_are_left_out(tables):
    assert [key for key, _ in tables[IDS[0]].headings] == ["link", "mechanism"]
    named = ["dataset", "constraint", "link", "mechanism"]
    assert [key for key, _ in tables[IDS[2]].headings] == named


def test_truncated_comes_before_raw(tables):
    lines = [row.line for row in tables[IDS[0]].rows]
    assert lines == ["truncated", "raw"] * (len(lines) // 2)


def test_accuracies_are_per_cent_of_both_constraints(tables, frames):
    cells = row_of(tables[IDS[2]], "truncated", dataset="ml-100k", constraint="both",
                   link="gaussian", mechanism="outp_paper")  # fmt: skip
    where = {"dataset": "ml-100k", "constraint": "both", "link": "gaussian",
             "mechanism": "outp_paper", "epsilon": 4}  # fmt: skip
    values = 100 * select(frames["trials"], **where)["accuracy_truncated"]
    assert cells["epsilon_4"].value == pytest.approx(values.mean())
    assert not cells["epsilon_5"].present


def test_guarantees(tables):
    table = tables[IDS[3]]
    place = {"dataset": "synthetic", "link": "gaussian"}
    outp = row_of(table, "δ = 0", mechanism="outp_paper", **place)
    assert (outp["actual_1"].value, outp["user_10"].value) == (1e4, 1e5)
    gaussian = row_of(table, "δ = 1e-5", mechanism="grap_gaussian", **place)
    assert gaussian["user_4"].value == pytest.approx(4 * np.sqrt(30))
    nuclear = row_of(table, "δ = 0", dataset="synthetic_large", link="gaussian",
                     mechanism="objp_paper")  # fmt: skip
    assert nuclear["actual_1"].number == "∞"
    labels = [row.labels[-1] for row in table.rows if row.keys[-1] == "objp_paper"]
    assert set(labels) == {"ObjP", "ObjP, as published"}  # logistic, Gaussian


def test_guarantees_are_those_of_one_share(tables, frames):
    trials = frames["trials"]
    more = trials["user_epsilon"].where(trials["observed_fraction"] != 0.5, 777.0)
    changed = {**dict.fromkeys(NAMES), "trials": trials.assign(user_epsilon=more)}
    assert to_csv(build_onebit_tables(changed)[-1]) == to_csv(tables[IDS[3]])


def test_other_budgets_are_shown_if_the_usual_ones_were_not_run(frames):
    few = frames["trials"][frames["trials"]["epsilon"].isin([0.25, 0.5])]
    table = build_onebit_tables({**dict.fromkeys(NAMES), "trials": few})[-1]
    assert {column.key for column in table.columns} == {
        "actual_0.25", "user_0.25", "actual_0.5", "user_0.5",
    }  # fmt: skip


def test_claims(tables, frames):
    claims = frames["claims"].assign(effect=[np.nan, np.inf, 0.5], n=[np.nan, 20, 40])
    table = build_onebit_tables({**dict.fromkeys(NAMES), "claims": claims})[0]
    assert [row.line for row in table.rows] == ["supported", "contradicted", "inconclusive"]
    assert [row.cells[0].number for row in table.rows] == ["–", "∞", "0.500"]
    assert [row.cells[3].number for row in table.rows] == ["–", "20", "40"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.23456, "1.235"), (1234.5, "1234"), (5.71e9, "5.7e+09"), (np.inf, "∞"), (np.nan, "–")],
)
def test_numbers_in_cells(value, text):
    cell = number_cell(value, error=value)
    assert cell.number == text
    assert cell.spread == (text if np.isfinite(value) else "")


def test_a_run_of_one_draw_has_no_standard_errors(frames):
    one = frames["trials"][frames["trials"]["trial"] == 0]
    table = build_onebit_tables({**dict.fromkeys(NAMES), "trials": one})[0]
    assert not any(cell.spread for row in table.rows for cell in row.cells)
    assert isinstance(pd.read_csv(pd.io.common.StringIO(to_csv(table))), pd.DataFrame)


def test_constants_as_printed_stand_beside_what_they_are(tables, frames):
    constants = frames["link_constants"]
    for line, column in (("as printed", "flatness_published"), ("as it is", "flatness")):
        cells = row_of(tables["table_onebit_5_constants"], line, link="gaussian",
                       constant="flatness")  # fmt: skip
        gaussian = constants[constants["link"] == "gaussian"]
        at_1 = gaussian.loc[gaussian["epsilon"] == 1.0, column]
        assert cells["epsilon_1"].value == at_1.item()
        assert cells["no_flips"].value == gaussian.loc[gaussian["epsilon"].isna(), column].item()
    few = link_constants_table(constants[constants["epsilon"].isna() | (constants["epsilon"] == 4)])
    assert [column.key for column in few.columns] == ["no_flips", "epsilon_4"]
