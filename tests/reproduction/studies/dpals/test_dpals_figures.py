"""The figures of DPALS show the numbers of its results, legibly."""

import numpy as np
import pandas as pd
import pytest
from fake_results import dpals
from fake_results.dpals import BUDGETS, SIZES
from figure_checks import drawn
from matplotlib.colors import to_hex
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.style import draw_all
from dpmc_studies.studies.dpals.figures import DPALS_FIGURES
from dpmc_studies.studies.dpals.figures.lines import far_off
from dpmc_studies.studies.dpals.frames import LOOKS, METHODS, format_range, number, read_dpals
from dpmc_studies.studies.dpals.variant_names import (
    Variant,
    in_variant_order,
    variant_label,
    variant_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return dpals.tables()


@pytest.fixture(scope="module")
def drawings(tables):
    return drawn(DPALS_FIGURES, tables)


def _marked(axes, name):
    look = LOOKS[name]
    return [
        line
        for line in axes.lines
        if to_hex(line.get_color()) == look.color and line.get_marker() == look.marker
    ]


def test_users_show_means_and_t_intervals(drawings, tables):
    drawing = drawings["dpals_3_users"]
    row = select(drawing.data, method="dpals", epsilon=5, users=50_000)
    where = {"dataset": "synthetic-50k", "method": "dpals", "variant": "standard", "epsilon": 5}
    values = select(tables["trials"], **where)["rmse"]
    assert row["mean"].item() == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    assert (row["high"] - row["mean"]).item() == pytest.approx(half)
    assert [axes.get_title(loc="left") for axes in drawing.figure.axes] == [
        f"ε = {epsilon:g}" for epsilon in BUDGETS
    ]
    curves = [
        line for line in _marked(drawing.figure.axes[2], "dpals") if len(line.get_xdata()) > 1
    ]
    assert len(curves) == 1
    drawn = select(drawing.data, method="dpals", epsilon=5).sort_values("users")
    np.testing.assert_allclose(curves[0].get_ydata(orig=False), drawn["mean"])
    # a method of one size has no curve over sizes
    assert "dp_svd" not in set(drawing.data["method"])


def test_numbers_from_elsewhere_are_large_and_hollow(drawings):
    first = drawings["dpals_3_users"].figure.axes[0]
    hollow = [line for line in first.lines if line.get_markerfacecolor() == "none"]
    assert sorted(value for line in hollow for value in line.get_ydata()) == [0.19, 0.48]
    labels = [text.get_text() for text in drawings["dpals_3_users"].figure.legends[0].get_texts()]
    assert "hollow: from elsewhere" in labels


def test_what_is_far_off_is_named_and_not_in_the_legend(drawings):
    drawing = drawings["dpals_4_synthetic"]
    assert len(drawing.figure.axes) == len(SIZES)
    texts = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert any("ALS: 2.0 · 10⁻⁶ (off the scale)" in text for text in texts)
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert "ALS, no noise" not in labels
    assert "Global mean, no noise" in labels
    others = pd.Series([0.1, 1.0])
    assert [far_off(value, others) for value in (0.02, 0.03, 3.9, 4.1)] == [
        True,
        False,
        False,
        True,
    ]


def test_users_are_drawn_where_nothing_is_published_of_the_sizes_that_ran(tables):
    """As in a quick run, whose sizes are its own."""
    other = tables["published"].assign(dataset="synthetic-6k")
    drawing = drawn(DPALS_FIGURES, tables | {"published": other})["dpals_3_users"]
    assert len(drawing.data)


def test_large_data_show_recall_and_the_part_of_the_users(drawings):
    drawing = drawings["dpals_2_large"]
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles == ["MovieLens 10M, top 400", "MovieLens 10M", "MovieLens 20M"]
    recall = drawing.data[drawing.data["metric"] == "recall"]
    assert set(recall["dataset"]) == {"ml-20m"}
    assert drawing.figure.axes[2].get_ylim()[0] == 0
    part = drawing.data[drawing.data["method"] == "dpals_part"]
    assert set(part["dataset"]) == {"ml-10m-top400"}
    assert len(part) == 4
    # variants stand in figures of their own
    assert set(drawing.data["variant"]) == {"standard"}


def test_items_have_a_line_for_each_sampling_but_of_als(drawings, tables):
    drawing = drawings["dpals_5_items"]
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert sum(label.startswith("ALS") and "k ratings" not in label for label in labels) == 1
    assert {"DPALS, ε = 1, uniform", "DPALS, ε = 10, adaptive"} <= set(labels)
    assert "adaptive_0.2_no_projection" in set(tables["trials"]["variant"])
    row = select(drawing.data, method="dpals", epsilon=10, sampling="adaptive", item_share=0.2)
    where = {"method": "dpals", "variant": "adaptive_0.2", "epsilon": 10}
    assert row["mean"].item() == select(tables["trials"], **where)["rmse"].item()


def test_projection_is_solid_and_its_absence_dashed(drawings):
    drawing = drawings["dpals_6_projection"]
    wide = drawing.data.pivot(index="regularization", columns="projection", values="mean")
    assert wide[False][0.1] > 4 * wide[True][0.1]


def test_side_by_side_has_both_errors(drawings):
    drawing = drawings["dpals_9_side_by_side"]
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles[0] == "Rank one, 20,000 users, RSE"
    assert titles[-1] == "Jester 5k, RMSE"
    assert set(drawing.data["metric"]) == {"rse", "rmse"}
    small = drawings["dpals_8_ratings"].data
    assert set(small["dataset"]) == {"ml-100k", "jester"}


def test_iterations_have_a_panel_without_noise(drawings):
    drawing = drawings["dpals_7_iterations"]
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles[0] == "Synthetic, 20,000 users, no noise"
    assert len(titles) == 4


def test_a_quick_run_of_one_trial_is_drawn(tables, tmp_path):
    trials = tables["trials"]
    few = trials[(trials["trial"] == 0) & trials["dataset"].isin(["synthetic-5k", "synthetic-10k"])]
    few = few[few["epsilon"].isna() | few["epsilon"].isin([1.0, 20.0])]
    draw_all(DPALS_FIGURES, {**dict.fromkeys(tables), "trials": few}, tmp_path)
    data = pd.read_csv(tmp_path / "dpals_3_users.csv")
    assert data["low"].isna().all()
    assert len(data)
    assert pd.read_csv(tmp_path / "dpals_8_ratings.csv").empty
    # a method that nobody knows is drawn and named as it is
    other = few.assign(method=few["method"].replace("dpals", "new_method"))
    draw_all(DPALS_FIGURES[3:4], {**dict.fromkeys(tables), "trials": other}, tmp_path)
    assert "new_method" in set(pd.read_csv(tmp_path / "dpals_4_synthetic.csv")["method"])


def test_empty_tables_count_as_missing(tmp_path, tables):
    tables["timing"].head(0).to_csv(tmp_path / "timing.csv", index=False)
    tables["trials"].to_csv(tmp_path / "trials.csv", index=False)
    found = read_dpals(tmp_path, None)
    assert found["timing"] is found["claims"] is found["published"] is None
    assert found["trials"]["epsilon"].isna().sum() == tables["trials"]["epsilon"].isna().sum()
    assert len(read_dpals(tmp_path)["published"])


def test_looks_tell_methods_apart():
    private = [look for look in LOOKS.values() if look.marker]
    assert len({(look.color, look.marker) for look in private}) == len(private)
    free = [look for look in LOOKS.values() if not look.marker]
    assert len({(look.color, str(look.line)) for look in free}) == len(free)
    assert set(LOOKS) == set(METHODS)


@pytest.mark.parametrize(
    ("name", "said", "label"),
    [
        ("adaptive_0.2", Variant(0.2, "adaptive"), "adaptive, 20 % of the items"),
        ("uniform_1", Variant(1.0, "uniform"), "uniform, 100 % of the items"),
        ("adaptive_0.2_no_projection", Variant(0.2, "adaptive", projection=False),
         "adaptive, 20 % of the items, not projected"),
        ("projected_0.1", Variant(regularization=0.1), "λ = 0.1"),
        ("none_30", Variant(regularization=30.0, projection=False), "λ = 30, not projected"),
        ("long", Variant(), "long"), ("standard", Variant(), "standard"),
    ],
)  # fmt: skip
def test_names_of_variants(name, said, label):
    assert variant_of(name) == said
    assert variant_label(name) == label


def test_variants_are_ordered_by_what_they_say():
    names = ["none_3", "projected_30", "projected_3", "standard", "projected_10"]
    ordered = ["standard", "projected_3", "projected_10", "projected_30", "none_3"]
    assert in_variant_order(names) == ordered


@pytest.mark.parametrize(
    ("value", "text"), [(2.04e-6, "2.0 · 10⁻⁶"), (0.0012345, "0.00123"), (0, "0"), (12.34, "12.3")]
)
def test_numbers_are_formatted_small_ones_with_an_exponent(value, text):
    assert number(value) == text
    assert format_range([value, value, np.nan]) == text
