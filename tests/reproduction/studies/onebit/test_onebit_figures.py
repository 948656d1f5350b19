"""The figures of the one-bit part show the numbers of its results, legibly."""

import numpy as np
import pandas as pd
import pytest
from fake_results import onebit
from fake_results.onebit import BUDGETS, FRACTIONS, PAPER
from figure_checks import drawn
from matplotlib.colors import to_hex
from scipy import stats

from dpmc_studies.frame.showing.frames import number, select
from dpmc_studies.frame.showing.style import draw_all
from dpmc_studies.studies.onebit.figures import ONEBIT_FIGURES
from dpmc_studies.studies.onebit.figures.synthetic import shown_budgets
from dpmc_studies.studies.onebit.frames import LOOKS, main_constraint, read_onebit
from dpmc_studies.studies.onebit.real_epsilons import most_provable, real_epsilons

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return onebit.tables()


@pytest.fixture(scope="module")
def drawings(tables):
    return drawn(ONEBIT_FIGURES, tables)


def test_budgets_show_means_and_t_intervals(drawings, tables):
    for name, link in (("1_budgets_gaussian", "gaussian"), ("2_budgets_logistic", "logistic")):
        data = drawings[f"onebit_{name}"].data
        assert set(data["link"]) == {link}
        assert set(data["observed_fraction"]) == {0.15}
        for stage in ("raw", "truncated"):
            where = {"dataset": "synthetic", "link": link, "constraint": "both",
                     "observed_fraction": 0.15, "mechanism": "grap", "epsilon": 3}  # fmt: skip
            row = select(data[data["stage"] == stage], mechanism="grap", epsilon=3)
            values = select(tables["trials"], **where)[f"are_{stage}"]
            assert row["mean"].item() == pytest.approx(values.mean())
            half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
            assert (row["high"] - row["mean"]).item() == pytest.approx(half)


def _marked(axes, look):
    return [
        line
        for line in axes.lines
        if to_hex(line.get_color()) == look.color and line.get_marker() == look.marker
    ]


def test_raw_is_dashed_and_hollow_truncated_solid_and_filled(drawings):
    truncated, _, raw, _ = drawings["onebit_1_budgets_gaussian"].figure.axes
    for axes, line, face in ((truncated, "-", LOOKS["inp"].color), (raw, "--", "white")):
        curves = [one for one in _marked(axes, LOOKS["inp"]) if len(one.get_xdata()) == 10]
        assert len(curves) == 1
        assert curves[0].get_linestyle() == line
        assert curves[0].get_markerfacecolor() == face


def test_what_lies_far_above_is_named_and_the_rest_drawn(drawings):
    drawing = drawings["onebit_1_budgets_gaussian"]
    for axes, stage in zip(drawing.figure.axes[1::2], ("truncated", "raw"), strict=True):
        data = drawing.data[drawing.data["stage"] == stage]
        far = data.loc[data["mechanism"] == "outp", "mean"]
        shown = data.loc[data["mechanism"] != "outp", "mean"]
        low, high = axes.get_ylim()
        assert low < shown.min() < shown.max() < high < far.min()
        text = f"OutP, correct scale: {number(far.max(), 2)} to {number(far.min(), 2)} (above)"
        assert text in [one.get_text() for one in axes.texts]


def test_lines_without_noise_stand_in_every_panel(drawings):
    drawing = drawings["onebit_2_budgets_logistic"]
    for axes in drawing.figure.axes:
        flat = {line.get_ydata()[0] for line in axes.lines if len(set(line.get_ydata())) == 1}
        stage = "truncated" if "truncated" in axes.get_title(loc="left") else "raw"
        free = drawing.data[(drawing.data["stage"] == stage) & drawing.data["epsilon"].isna()]
        assert set(free["mean"]) <= flat
        assert 1.0 in flat


def test_shares_have_a_column_for_each_mechanism_and_all_budgets_in_the_csv(drawings):
    drawing = drawings["onebit_3_fractions_gaussian"]
    assert len(drawing.figure.axes) == 2 * len(PAPER)
    data = drawing.data
    assert set(data["epsilon"].dropna()) == {0.25, 0.5, *BUDGETS}
    assert set(data["observed_fraction"]) == {0.15, *FRACTIONS}
    first = drawing.figure.axes[0]
    budgets = shown_budgets(data["epsilon"].dropna().unique())
    row = select(data[data["stage"] == "truncated"], mechanism="inp", epsilon=budgets[-1])
    drawn = [line.get_ydata() for line in first.lines]
    assert any(
        len(values) == len(row)
        and np.allclose(values, row.sort_values("observed_fraction")["mean"])
        for values in drawn
    )


def test_budgets_that_are_shown():
    assert shown_budgets([1.0, 4.0]) == [1, 4]
    shown = shown_budgets([0.25, 0.5, *BUDGETS])
    assert len(shown) <= 6
    assert {0.25, 10.0} <= set(shown)


def test_accuracy_has_a_panel_for_each_data_set_link_and_stage(drawings):
    drawing = drawings["onebit_5_accuracy"]
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles == [
        f"{name}, {link} link, {stage}"
        for name in ("MovieLens 100K", "RC")
        for link in ("Gaussian", "logistic")
        for stage in ("truncated", "raw")
    ]
    for axes in drawing.figure.axes:  # no more than five intervals at a place
        assert len(axes.containers) <= 5
    # of the two constraints on MovieLens the one with more budgets
    movielens = drawing.data[drawing.data["dataset"] == "ml-100k"]
    assert set(movielens["constraint"]) == {"nuclear"}
    assert "zero" not in set(drawing.data["mechanism"])
    assert drawing.figure.axes[0].get_ylim()[1] < 100


def test_ranks_are_drawn_beside_outputs_that_are_not_cut(drawings, tables):
    drawing = drawings["onebit_5b_ranks"]
    assert [axes.get_title(loc="left") for axes in drawing.figure.axes] == [
        f"ε = {epsilon}, {link}" for link in ("Gaussian link", "logistic link")
        for epsilon in (1, 2, 4)
    ]  # fmt: skip
    data = drawing.data
    assert list(data["rank"].unique()) == ["1", "2", "3", "5", "8", "none"]
    assert set(data["constraint"]) == {"nuclear"}
    assert set(data["mechanism"]) == {*PAPER, "clear"}
    where = {"dataset": "ml-100k", "link": "gaussian", "constraint": "nuclear",
             "mechanism": "inp", "epsilon": 2.0}  # fmt: skip
    for rank, column in ((3, "accuracy"), ("none", "accuracy_raw")):
        row = select(data[data["rank"] == str(rank)], link="gaussian", mechanism="inp", epsilon=2)
        there = tables["trials"] if rank == "none" else select(tables["ranks"], rank=rank)
        values = select(there, **where)[column]
        assert row["mean"].item() == pytest.approx(values.mean())
        half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        assert (row["high"] - row["mean"]).item() == pytest.approx(half)


def test_real_epsilons_of_outp(drawings, tables):
    data = drawings["onebit_7_outp_privacy"].data
    guaranteed = data[data["kind"] == "guaranteed"]
    np.testing.assert_allclose(guaranteed["epsilon"], 1e4 * guaranteed["claimed_epsilon"])
    block = data[(data["kind"] == "true") & (data["instance"] == "block")]
    np.testing.assert_allclose(block["epsilon"], block["claimed_epsilon"] * 9999 / 2)
    change = tables["outp_change"]
    moved = change[(change["instance"] == "typical") & (change["link"] == "logistic")]["l1_change"]
    typical = data[(data["kind"] == "true") & (data["instance"] == "typical")]
    row = select(typical, link="logistic", claimed_epsilon=0.1).iloc[0]
    assert row["epsilon"] == pytest.approx(0.1 * moved.median() / 2)
    assert (row["low"], row["high"]) == pytest.approx((0.05 * moved.min(), 0.05 * moved.max()))
    axes = drawings["onebit_7_outp_privacy"].figure.axes
    assert [each.get_title(loc="left") for each in axes] == ["Gaussian link", "Logistic link"]
    proven = data[(data["kind"] == "proven") & (data["epsilon"] > 0)]
    for each, link in zip(axes, ("gaussian", "logistic"), strict=True):
        marked = [line for line in each.lines if line.get_marker() in ("s", "o")]
        markers = [line.get_ydata(orig=False) for line in marked]
        expected = proven.loc[proven["link"] == link, "epsilon"]
        np.testing.assert_allclose(np.sort(np.concatenate(markers)), np.sort(expected))
    alone = real_epsilons(None, tables["outp_attack"])
    assert set(alone.loc[alone["kind"] == "true", "instance"]) == {"block"}


def test_the_most_that_samples_can_prove():
    # half of 2,000 samples test the event: no error in 1,000, with .0005 on either side
    lowest = 0.0005 ** (1 / 1000)
    assert most_provable(2000, 0.999) == pytest.approx(np.log(lowest / (1 - lowest)))


def test_bounds_stand_beside_their_cells(drawings, tables):
    data = drawings["onebit_8_bounds"].data
    assert len(data) == len(tables["bounds"])
    row = select(data, theorem=4, link="gaussian", observed_fraction=0.5, epsilon=2).iloc[0]
    where = {"dataset": "synthetic", "link": "gaussian", "constraint": "both",
             "observed_fraction": 0.5, "mechanism": "outp_paper", "epsilon": 2}  # fmt: skip
    assert row["mean"] == pytest.approx(select(tables["trials"], **where)["are_raw"].mean())
    bound = {"theorem": 4, "link": "gaussian", "observed_fraction": 0.5, "epsilon": 2}
    assert row["published"] == select(tables["bounds"], **bound)["published"].item()
    endless = tables["bounds"].assign(corrected=np.inf)
    with pytest.raises(Exception, match="No mechanism with an error bound"):
        ONEBIT_FIGURES[-1].function({**tables, "bounds": endless})


def test_a_quick_run_of_one_link_and_one_draw_is_drawn(tables, tmp_path):
    trials = tables["trials"]
    few = trials[(trials["trial"] == 0) & (trials["link"] == "logistic")]
    few = few[few["dataset"] == "synthetic"]
    few = few[few["epsilon"].isna() | few["epsilon"].isin([1.0, 4.0])]
    draw_all(ONEBIT_FIGURES, {**dict.fromkeys(tables), "trials": few}, tmp_path)
    data = pd.read_csv(tmp_path / "onebit_2_budgets_logistic.csv")
    assert data["low"].isna().all()
    assert pd.read_csv(tmp_path / "onebit_1_budgets_gaussian.csv").empty
    assert pd.read_csv(tmp_path / "onebit_6_large.csv").empty
    assert len(pd.read_csv(tmp_path / "onebit_4_fractions_logistic.csv"))


def test_empty_tables_count_as_missing(tmp_path, tables):
    tables["trials"].head(0).to_csv(tmp_path / "trials.csv", index=False)
    tables["bounds"].to_csv(tmp_path / "bounds.csv", index=False)
    found = read_onebit(tmp_path)
    assert found["trials"] is None
    assert found["claims"] is None
    assert len(found["bounds"]) == len(tables["bounds"])


def test_the_main_constraint_is_the_one_with_most_budgets(tables):
    assert main_constraint(tables["trials"], "ml-100k") == "nuclear"
    assert main_constraint(tables["trials"], "synthetic") == "both"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0998, "0.0998"), (1.126, "1.13"), (30, "30.0"), (9999.4, "9,999"), (5.7e9, "5.7 · 10⁹"),
     (np.inf, "∞"), (0, "0")],
)  # fmt: skip
def test_numbers_are_formatted(value, text):
    assert number(value) == text
