"""The figures of the one-bit part show the numbers of its results, legibly."""

import numpy as np
import pandas as pd
import pytest
from committed import tables as committed_tables
from figure_checks import drawn
from matplotlib.colors import to_hex
from scipy import stats

from dpmc_studies.frame.showing.frames import number, select
from dpmc_studies.frame.showing.style import draw_all
from dpmc_studies.studies.onebit.figures import ONEBIT_FIGURES
from dpmc_studies.studies.onebit.figures.outp import most_provable
from dpmc_studies.studies.onebit.frames import LOOKS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return committed_tables("onebit", trials=5)


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


def test_raw_is_dashed_and_hollow_truncated_solid_and_filled(drawings):
    truncated, _, raw, _ = drawings["onebit_1_budgets_gaussian"].figure.axes
    inp = LOOKS["inp"]
    for axes, line, face in ((truncated, "-", inp.color), (raw, "--", "white")):
        curves = [each for each in axes.lines if to_hex(each.get_color()) == inp.color]
        (curve,) = [each for each in curves if len(each.get_xdata()) == 10]
        assert (curve.get_linestyle(), curve.get_markerfacecolor()) == (line, face)


def test_what_lies_far_above_is_named_and_the_rest_drawn(drawings):
    drawing = drawings["onebit_1_budgets_gaussian"]
    for axes, stage in zip(drawing.figure.axes[1::2], ("truncated", "raw"), strict=True):
        far = select(drawing.data, stage=stage, mechanism="outp")["mean"]
        assert axes.get_ylim()[1] < far.min()
        text = f"OutP, correct scale: {number(far.max(), 2)} to {number(far.min(), 2)} (above)"
        assert text in [one.get_text() for one in axes.texts]


def test_real_data_are_judged_by_right_signs_under_the_constraint_with_most_budgets(drawings):
    data = drawings["onebit_5_accuracy"].data
    assert set(data["dataset"]) == {"ml-100k", "restaurant"}
    assert set(data.loc[data["dataset"] == "ml-100k", "constraint"]) == {"nuclear"}
    assert "zero" not in set(data["mechanism"])


def test_real_epsilons_of_outp(drawings, tables):
    data = drawings["onebit_7_outp_privacy"].data
    guaranteed = data[data["kind"] == "guaranteed"]
    np.testing.assert_allclose(guaranteed["epsilon"], 1e4 * guaranteed["claimed_epsilon"])
    moved = tables["outp_change"].set_index(["instance", "link"])["l1_change"].sort_index()
    block = select(data, kind="true", instance="block", link="logistic")
    expected = block["claimed_epsilon"] * moved["block", "logistic"].item() / 2
    np.testing.assert_allclose(block["epsilon"], expected)
    drawn = select(data, kind="true", instance="typical", link="logistic", claimed_epsilon=0.1)
    typical = moved["typical", "logistic"]
    found = drawn[["low", "epsilon", "high"]].to_numpy()[0]
    np.testing.assert_allclose(found, 0.05 * typical.quantile([0, 0.5, 1]))


def test_the_most_that_samples_can_prove():
    # half of 2,000 samples test the event: no error in 1,000, with .0005 on either side
    lowest = 0.0005 ** (1 / 1000)
    assert most_provable(2000, 0.999) == pytest.approx(np.log(lowest / (1 - lowest)))


def test_a_quick_run_of_one_link_and_one_draw_is_drawn(tables, tmp_path):
    trials = tables["trials"]
    few = trials[(trials["trial"] == 0) & (trials["link"] == "logistic")]
    few = few[few["dataset"] == "synthetic"]
    few = few[few["epsilon"].isna() | few["epsilon"].isin([1.0, 4.0])]
    draw_all(ONEBIT_FIGURES, {**dict.fromkeys(tables), "trials": few}, tmp_path)
    data = pd.read_csv(tmp_path / "onebit_2_budgets_logistic.csv")
    assert data["low"].isna().all()
    assert pd.read_csv(tmp_path / "onebit_1_budgets_gaussian.csv").empty
    assert len(pd.read_csv(tmp_path / "onebit_4_fractions_logistic.csv"))
