"""The figures show the numbers they should, legibly, with their data beside them."""

import committed
import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpmc.mechanisms import Huber, Laplace
from dpmc_studies.frame.showing.frames import select, trials_text
from dpmc_studies.frame.showing.style import BASELINES, MECHANISMS, RC, SERIES, draw_all
from dpmc_studies.statistics.tests import holm
from dpmc_studies.studies.huber.differences import differences
from dpmc_studies.studies.huber.figures import FIGURES, NEW_FIGURES
from dpmc_studies.studies.huber.figures.noise import SAMPLE_PARAMETER, SAMPLES
from dpmc_studies.studies.huber.statistics import cell_summary

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def inputs(trials, comparison):
    return {"trials": trials, "comparison": comparison}


@pytest.fixture(scope="module")
def drawings(inputs):
    with matplotlib.rc_context(RC):
        return {entry.id: entry.function(inputs) for entry in FIGURES}


@pytest.fixture(scope="module")
def folder(outputs):
    return outputs / "huber" / "figures"


def test_colours_come_with_markers_or_lines_of_their_own():
    for looks in (list(MECHANISMS.values()), SERIES):
        for part in ("color", "marker"):
            assert len({getattr(look, part) for look in looks}) == len(looks)
    assert len({str(look.line) for look in SERIES}) == len(SERIES)
    assert len({str(look.line) for look in BASELINES.values()}) == len(BASELINES)


def test_published_against_reproduced_draws_all_168_points(folder, comparison, drawings):
    data = pd.read_csv(folder / "published_reproduced.csv")
    rmse = comparison[comparison["metric"] != "epsilon"]
    assert len(data) == len(rmse) == 168
    for column in ("published", "mean", "standard_error", "trials"):
        np.testing.assert_array_equal(data[column], rmse[column].astype(float))
    # t quantile .975 with 9 degrees of freedom
    np.testing.assert_allclose(data["high"] - data["mean"], 2.2621571628 * data["standard_error"])
    left = drawings["published_reproduced"].figure.axes[0]
    points = np.concatenate([c.lines[0].get_xydata() for c in left.containers])
    drawn = set(map(tuple, points))
    assert drawn == set(zip(rmse["published"], rmse["mean"].astype(float), strict=True))
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")


def test_fractions_show_every_synthetic_cell_and_baseline(folder):
    data, trials = pd.read_csv(folder / "rmse_by_fraction.csv"), committed.table("huber", "trials")
    summary = cell_summary(trials[trials["dataset"] == "synthetic"])
    keys = ["rank", "variance", "observed_fraction", "method", "mechanism"]
    drawn = data.drop_duplicates(keys).set_index(keys).sort_index()
    expected = summary.set_index(keys).sort_index()
    assert len(drawn) == 126 + 36
    for column in ("mean", "low", "high", "trials"):
        np.testing.assert_allclose(drawn[column], expected[column], rtol=1e-12)
    # Each of the 12 panels shows 4 mechanisms and 4 baselines at 3 fractions.
    assert len(data) == 12 * 8 * 3


def test_differences_are_those_of_the_statistics(trials, comparison):
    frame = differences(trials, comparison)
    assert len(frame) == 2 * (36 + 4)
    np.testing.assert_allclose(frame["p_adjusted"], holm(_p_values(trials, frame)), rtol=1e-9)
    synthetic = trials[trials["dataset"] == "synthetic"]
    keys = ["rank", "variance", "observed_fraction", "method"]
    logs = synthetic.assign(log=np.log(synthetic["rmse_all"]))
    logs = logs.pivot(index=keys, columns=["mechanism", "trial"], values="log")
    logs = logs[logs["huber"].notna().any(axis=1)]
    for other in ("gaussian", "laplace"):
        expected = stats.ttest_1samp(logs["huber"] - logs[other], 0, axis=1)
        ours = select(frame, dataset="synthetic", other=other).sort_values(keys)
        np.testing.assert_allclose(ours["difference"], (logs["huber"] - logs[other]).mean(axis=1))
        np.testing.assert_allclose(ours["low"], expected.confidence_interval().low)
    movielens = select(frame, dataset="ml-100k").set_index("other")
    assert movielens["other_method"].to_dict() == {"gaussian": "als", "laplace": "irls"}
    assert movielens.loc["gaussian", "reported"] == pytest.approx(np.log(1.3755 / 1.3883))
    row = select(frame, rank=5, variance=2, observed_fraction=0.15, method="irls", other="gaussian")
    assert row["reported"].item() == pytest.approx(np.log(0.1947 / 0.2016))
    assert frame["reported"].notna().all()


def _p_values(trials, frame):
    values = []
    for row in frame.itertuples():
        place = {name: getattr(row, name) for name in ("dataset", "variance", "observed_fraction")}
        part = select(trials[trials["irls_iterations"] != 2], **place)
        part = part[part["rank"] == row.rank]
        metric = "rmse_all" if row.dataset == "synthetic" else "rmse_heldout"
        first = select(part, method=row.method, mechanism="huber")[metric].to_numpy()
        second = select(part, method=row.other_method, mechanism=row.other)[metric].to_numpy()
        values.append(stats.ttest_rel(np.log(first), np.log(second)).pvalue)
    return np.array(values)


def test_planted_differences_are_found_and_counted(trials, comparison):
    planted = trials.copy()
    better = (planted["mechanism"] == "huber") & (planted["rank"] == 10)
    planted.loc[better, ["rmse_all", "rmse_heldout"]] *= 0.5
    frame = differences(planted, comparison)
    found = frame[frame["rank"] == 10]
    assert (found["p_adjusted"] < 0.05).all()
    assert (found["difference"] < 0).all()


def test_densities_are_densities(drawings):
    for name in ("figure_2_5", "figure_2_6", "figure_4_1", "figure_4_2"):
        data = drawings[name].data
        areas = np.trapezoid(data.drop(columns="x"), data["x"], axis=0)
        assert (areas <= 1.001).all()
        assert areas.max() > 0.998
    at_two = drawings["figure_4_1"].data.set_index("x")
    assert at_two.loc[0.0, "Laplace"] == pytest.approx(0.5)
    assert at_two.loc[0.0, "Gaussian"] == pytest.approx(1 / np.sqrt(4 * np.pi))
    np.testing.assert_allclose(at_two["Huber"], Huber(1.075978).pdf(at_two.index), rtol=1e-6)
    scales = drawings["figure_2_5"].data
    np.testing.assert_allclose(scales["scale 2"], Laplace(2.0).pdf(scales["x"]))


def test_histogram_follows_the_density_and_the_reported_inverse_does_not(drawings):
    data = drawings["figure_4_3"].data
    assert data["count"].sum() == pytest.approx(
        SAMPLES * (1 - 2 * Huber(SAMPLE_PARAMETER).sf(6.0)), abs=5 * np.sqrt(SAMPLES)
    )
    gap = (data["histogram_density"] - data["mean_density_of_bin"]) / data["standard_error"]
    # 120 bins, |z| < 5: false alarm below 1e-4; the seed is fixed.
    assert gap.abs().max() < 5
    wrong = data["histogram_density_as_published"] - data["mean_density_of_bin"]
    assert wrong.abs().max() > 0.15
    assert (data.loc[data["bin_low"] > 1.01, "histogram_density_as_published"] == 0).all()


def test_variance_curve_passes_through_the_papers_points(drawings):
    data = drawings["figure_4_4"].data
    points = data[data["series"] == "papers"].set_index("variance")["a"]
    expected = {4: 0.720240, 3: 0.843268, 2: 1.075978}
    for variance, a in expected.items():
        assert points.iloc[np.argmin(abs(points.index - variance))] == pytest.approx(a, abs=1e-6)
    curve = data[data["series"] == "curve"]
    assert (np.diff(curve["variance"]) <= 0).all()
    assert curve["variance"].iloc[-1] == pytest.approx(1, abs=1e-9)


def test_a_reduced_run_with_one_trial_is_drawn(trials, comparison, tmp_path):
    few = trials[(trials["rank"] == 5) & (trials["trial"] == 0) & (trials["method"] != "irls")]
    inputs = {"trials": few, "comparison": comparison}
    draw_all(NEW_FIGURES, inputs, tmp_path)
    data = pd.read_csv(tmp_path / "rmse_by_fraction.csv")
    assert set(data["panel_method"]) == {"als"}
    assert data["low"].isna().all()


def test_differences_of_a_data_set_of_ones_own(trials, comparison):
    own = select(trials, rank=5, observed_fraction=0.1, variance=2).assign(dataset="mine")
    own = own[~((own["method"] == "als") & (own["mechanism"] == "laplace"))]
    frame = differences(own.assign(rmse_heldout=own["rmse_all"]), comparison)
    assert frame["reported"].isna().all()
    row = select(frame, method="als", other="laplace")
    assert row["other_method"].item() == "irls"
    alone = differences(own[own["mechanism"] == "huber"], comparison)
    assert alone.empty


def test_trials_are_counted_in_words():
    assert trials_text([10, 10.0, np.nan, 0]) == "10 trials"
    assert trials_text([1]) == "1 trial"
    assert trials_text([8, 10]) == "8 to 10 trials"
    assert trials_text([]) == "no trials"
