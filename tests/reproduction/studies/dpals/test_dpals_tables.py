"""The tables and figures of DPALS hold the numbers of its results."""

import numpy as np
import pandas as pd
import pytest
from fake_results import dpals
from figure_checks import drawn
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.style import draw_all
from dpmc_studies.studies.dpals.claims.evidence import SIZES
from dpmc_studies.studies.dpals.figures import DPALS_FIGURES
from dpmc_studies.studies.dpals.figures.budgets import told_apart
from dpmc_studies.studies.dpals.frames import LOOKS, METHODS, number
from dpmc_studies.studies.dpals.tables import build_dpals_tables, error_cell
from dpmc_studies.studies.dpals.theory import growth
from dpmc_studies.studies.dpals.variant_names import (
    in_variant_order,
    named_settings,
    variant_label,
)

IDS = ["table_dpals_1_synthetic", "table_dpals_2_ratings", "table_dpals_3_recall",
       "table_dpals_4_variants", "table_dpals_5_accounting", "dpals_claims"]  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return dpals.tables()


@pytest.fixture(scope="module")
def tables(frames):
    return {table.id: table for table in build_dpals_tables(frames)}


@pytest.fixture(scope="module")
def drawings(frames):
    return drawn(DPALS_FIGURES, frames)


def rows_of(table, **keys):
    names = [key for key, _ in table.headings]
    found = [
        row
        for row in table.rows
        if all(row.keys[names.index(name)] == value for name, value in keys.items())
    ]
    columns = [column.key for column in table.columns]
    return {row.line: dict(zip(columns, row.cells, strict=True)) for row in found}


def test_errors_are_means_with_standard_errors(tables, frames):
    assert list(tables) == IDS
    where = {"dataset": "synthetic-50k", "method": "dpals"}
    rows = rows_of(tables[IDS[0]], **where)
    values = select(frames["trials"], variant="standard", epsilon=20, **where)["rmse"]
    cell = rows["ours"]["epsilon_20"]
    assert (cell.value, cell.error) == pytest.approx((values.mean(), stats.sem(values)))
    # headings that never change are left out
    assert [key for key, _ in tables[IDS[0]].headings] == ["dataset", "method"]
    assert [key for key, _ in tables[IDS[2]].headings] == ["method"]


def test_accounting(tables, frames):
    row = rows_of(tables[IDS[4]], epsilon=5.0, ratings_per_user=50, iterations=3)["δ = 1e-5"]
    assert row["epsilon_at_published"].value == pytest.approx(5.575, abs=5e-4)
    assert row["mu"].value == frames["accounting"]["mu"][1]


def test_growth_of_seconds(frames):
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


@pytest.mark.slow
def test_users_show_means_and_t_intervals(drawings, frames):
    drawing = drawings["dpals_3_users"]
    row = select(drawing.data, method="dpals", epsilon=5, users=50_000)
    where = {"dataset": "synthetic-50k", "method": "dpals", "variant": "standard", "epsilon": 5}
    values = select(frames["trials"], **where)["rmse"]
    assert row["mean"].item() == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    assert (row["high"] - row["mean"]).item() == pytest.approx(half)
    axes, look = drawing.figure.axes[2], LOOKS["dpals"]
    curves = [line for line in axes.lines if line.get_marker() == look.marker
              and line.get_linestyle() == "-" and len(line.get_xdata()) > 1]  # fmt: skip
    shown = select(drawing.data, method="dpals", epsilon=5).sort_values("users")
    np.testing.assert_allclose(curves[0].get_ydata(orig=False), shown["mean"])
    # what ran at one size has no curve over sizes
    assert set(drawing.data["users"]) == set(SIZES.values())


@pytest.mark.slow
def test_what_is_far_off_is_named_and_not_in_the_legend(drawings):
    drawing = drawings["dpals_4_synthetic"]
    texts = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert any("ALS: " in text and "(off the scale)" in text for text in texts)
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert "ALS, no noise" not in labels
    assert "Global mean, no noise" in labels
    free = pd.DataFrame({"method": list("abcd"), "mean": [0.02, 0.03, 3.9, 4.1]})
    private = pd.DataFrame({"method": "dpals", "epsilon": 1.0, "mean": [0.1, 1.0]})
    assert list(told_apart(pd.concat([private, free]))[1]["method"]) == ["b", "c"]


@pytest.mark.slow
def test_large_data_show_recall_and_the_part_of_the_users(drawings):
    drawing = drawings["dpals_2_large"]
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    part = "23 % of the users of MovieLens 10M, top 400"
    assert titles == ["MovieLens 10M, top 400", part, "MovieLens 10M", "MovieLens 20M"]
    recall = drawing.data[drawing.data["metric"] == "recall"]
    assert set(recall["dataset"]) == {"ml-20m"}
    # variants stand in figures of their own
    assert set(drawing.data["variant"]) == {"standard"}
    items = drawings["dpals_5_items"]
    labels = [text.get_text() for text in items.figure.legends[0].get_texts()]
    assert sum(label.startswith("ALS") and "k ratings" not in label for label in labels) == 1
    assert {"DPALS, ε = 1, uniform", "DPALS, ε = 10, adaptive"} <= set(labels)


@pytest.mark.slow
def test_a_quick_run_of_one_trial_is_drawn(frames, tmp_path):
    trials = frames["trials"]
    few = trials[(trials["trial"] == 0) & trials["dataset"].isin(["synthetic-5k", "synthetic-10k"])]
    few = few[few["epsilon"].isna() | few["epsilon"].isin([1.0, 20.0])]
    # a method that nobody knows is drawn and named as it is
    few = pd.concat([few, few[few["method"] == "dpals"].assign(method="new_method")])
    tables = {**dict.fromkeys(frames), "trials": few}
    draw_all(DPALS_FIGURES, tables, tmp_path)
    data = pd.read_csv(tmp_path / "dpals_3_users.csv")
    assert len(data)
    assert data["low"].isna().all()
    assert pd.read_csv(tmp_path / "dpals_7_ratings.csv").empty
    assert "new_method" in set(pd.read_csv(tmp_path / "dpals_4_synthetic.csv")["method"])


def test_looks_tell_methods_apart():
    private = [look for look in LOOKS.values() if look.marker]
    assert len({(look.color, look.marker) for look in private}) == len(private)
    free = [look for look in LOOKS.values() if not look.marker]
    assert len({(look.color, str(look.line)) for look in free}) == len(free)
    assert set(LOOKS) == set(METHODS)


@pytest.mark.parametrize(
    ("name", "said", "label"),
    [
        ("adaptive_0.2", {"item_share": 0.2, "sampling": "adaptive", "projection": True},
         "adaptive, 20 % of the items"),
        ("uniform_1_no_projection",
         {"item_share": 1.0, "sampling": "uniform", "projection": False},
         "uniform, 100 % of the items, not projected"),
        ("projected_0.1", {"item_regularization": 0.1, "projection": True}, "λ = 0.1"),
        ("none_30", {"item_regularization": 30.0, "projection": False}, "λ = 30, not projected"),
        ("long", {}, "long"),
    ],
)  # fmt: skip
def test_names_of_variants(name, said, label):
    assert named_settings(name) == said
    assert variant_label(name) == label
    names = ["none_3", "projected_30", "projected_3", "standard", "projected_10"]
    ordered = ["standard", "projected_3", "projected_10", "projected_30", "none_3"]
    assert in_variant_order(names) == ordered


@pytest.mark.parametrize(
    ("value", "text"), [(2.04e-6, "2.0 · 10⁻⁶"), (0.0012345, "0.00123"), (0, "0"), (12.34, "12.3")]
)
def test_numbers_are_formatted_small_ones_with_an_exponent(value, text):
    assert number(value) == text
