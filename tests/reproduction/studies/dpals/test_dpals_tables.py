"""The tables of DPALS hold the numbers of its results."""

import numpy as np
import pytest
from fake_results import dpals
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.dpals.speed import growth, slopes
from dpmc_studies.studies.dpals.tables import build_dpals_tables, error_cell

IDS = ["table_dpals_1_synthetic", "table_dpals_2_ratings", "table_dpals_3_recall",
       "table_dpals_4_side_by_side", "table_dpals_5_variants", "table_dpals_6_accounting",
       "table_dpals_7_iterations", "table_dpals_8_timing",
       "table_dpals_9_bounds", "table_dpals_9_rates", "dpals_claims"]  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return dpals.tables()


@pytest.fixture(scope="module")
def tables(frames):
    return {table.id: table for table in build_dpals_tables(frames)}


def rows_of(table, **keys):
    names = [key for key, _ in table.headings]
    found = [
        row
        for row in table.rows
        if all(row.keys[names.index(name)] == value for name, value in keys.items())
    ]
    columns = [column.key for column in table.columns]
    return {row.line: dict(zip(columns, row.cells, strict=True)) for row in found}


def test_every_table_is_made_in_order(tables):
    assert list(tables) == IDS


def test_errors_are_means_with_standard_errors_and_others_stand_below(tables, frames):
    rows = rows_of(tables[IDS[0]], dataset="synthetic-50k", method="dpals")
    assert list(rows) == ["ours", "prototype"]
    where = {"dataset": "synthetic-50k", "method": "dpals", "variant": "standard", "epsilon": 20}
    values = select(frames["trials"], **where)["rmse"]
    cell = rows["ours"]["epsilon_20"]
    assert (cell.value, cell.error) == pytest.approx((values.mean(), stats.sem(values)))
    assert rows["prototype"]["epsilon_20"].value == 0.038
    assert not rows["prototype"]["epsilon_5"].present
    assert list(rows_of(tables[IDS[0]], dataset="synthetic-50k", method="als")) == ["ours"]


def test_headings_that_never_change_are_left_out(tables):
    assert [key for key, _ in tables[IDS[0]].headings] == ["dataset", "method"]
    assert [key for key, _ in tables[IDS[2]].headings] == ["method"]
    assert [key for key, _ in tables[IDS[4]].headings] == ["dataset", "method", "variant"]


def test_a_part_of_the_users_is_named(tables):
    labels = {row.labels[0] for row in tables[IDS[1]].rows}
    assert "MovieLens 10M, top 400, part of the users" in labels


def test_recall_and_rse_have_tables_of_their_own(tables, frames):
    cell = rows_of(tables[IDS[2]], method="dpals")["ours"]["epsilon_5"]
    trials = frames["trials"]
    assert cell.value == trials.loc[trials["recall"].notna() & (trials["epsilon"] == 5)][
        "recall"
    ].mean()  # fmt: skip
    cell = rows_of(tables[IDS[3]], dataset="jester-5k", method="dp_altmin")["ours"]["epsilon_1"]
    where = {"dataset": "jester-5k", "method": "dp_altmin", "epsilon": 1}
    assert cell.value == pytest.approx(select(trials, **where)["rse"].mean())


def test_accounting(tables, frames):
    row = rows_of(tables[IDS[5]], epsilon=5.0, ratings_per_user=50, iterations=3)["δ = 1e-5"]
    assert row["epsilon_at_published"].value == 5.575
    assert row["mu"].value == frames["accounting"]["mu"][1]


def test_slopes_by_iteration(tables, frames):
    exact = frames["iterations"].assign(rse=lambda rows: 0.5 * 0.25 ** rows["iteration"])
    fits = slopes(exact)
    np.testing.assert_allclose(fits["factor"], 0.25)
    one = slopes(frames["iterations"])
    row = one[(one["method"] == "dpfw") & (one["epsilon"] == 1)].iloc[0]
    assert (row["best"], np.isnan(row["factor"])) == (1, True)
    cells = rows_of(tables[IDS[6]], method="als")["ours"]
    assert cells["factor"].value == pytest.approx(0.1, rel=0.05)
    assert cells["best"].value == 6


def test_slopes_have_t_intervals_over_trials(frames):
    part = frames["iterations"].query("method == 'dpals' and epsilon == 20")
    (row,) = slopes(part).itertuples()
    fitted = part[part["iteration"] <= row.best]
    each = [
        stats.linregress(one["iteration"], np.log(one["rse"])).slope
        for _, one in fitted.groupby("trial")
    ]
    half = stats.t.ppf(0.975, len(each) - 1) * stats.sem(each)
    assert np.log([row.factor, row.high]) == pytest.approx([np.mean(each), np.mean(each) + half])


def test_time(tables, frames):
    cells = rows_of(tables[IDS[7]], method="dpfw")["ours"]
    part = frames["timing"].query("method == 'dpfw' and users == 20000")
    assert cells["ratings_4000000"].value == part["seconds"].median()
    squared = frames["timing"].assign(seconds=lambda rows: rows["ratings"] ** 2.0)
    np.testing.assert_allclose(growth(squared), 2.0)
    assert growth(squared[squared["users"] == 5000]).isna().all()


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.04e-6, "2.0e-06"), (0.012345, "0.0123"), (0.98765, "0.988"), (1234.5, "1234"),
     (2e6, "2.0e+06"), (6, "6"),
     (np.inf, "∞"), (np.nan, "–")],
)  # fmt: skip
def test_numbers_in_cells(value, text):
    assert error_cell(value).number == text
