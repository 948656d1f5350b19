"""The figures at equal privacy show the numbers of its results, legibly."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fake_results import equal_privacy
from fake_results.equal_privacy import EPSILONS
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.style import RC, draw_all
from dpmc_studies.studies.equal_privacy.figures import FIGURES
from dpmc_studies.studies.equal_privacy.frames import describe_frontier

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results():
    return equal_privacy.tables()


@pytest.fixture(scope="module")
def drawings(results):
    with matplotlib.rc_context(RC):
        return {entry.id: entry.function(results) for entry in FIGURES}


@pytest.mark.parametrize(
    ("name", "relations", "panels"),
    [
        ("privacy_equal_entry", ["entry_change"], 5),
        ("privacy_equal_user", ["user_add_remove"], 5),
        ("privacy_equal_other", ["entry_add_remove", "user_replace"], 2),
    ],
)
def test_equal_privacy_shows_means_and_intervals(drawings, results, name, relations, panels):
    drawing = drawings[name]
    assert len([axes for axes in drawing.figure.axes if axes.axison]) == panels
    data = drawing.data
    assert set(data["relation"]) == set(relations)
    row = select(data, relation=relations[0], dataset="synthetic", epsilon=5,
                 method="private_irls", mechanism="huber")  # fmt: skip
    values = select(results["calibrated"], relation=relations[0], dataset="synthetic", epsilon=5,
                    method="private_irls", mechanism="huber")["rmse_all"]  # fmt: skip
    assert row["mean"].item() == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, 5) * stats.sem(values)
    assert (row["high"] - row["mean"]).item() == pytest.approx(half)
    baselines = data[data["method"] == "private_item_bias"]
    keys = ["relation", "dataset", "epsilon"]
    assert not baselines.duplicated(keys).any()
    assert len(baselines) == panels * len(EPSILONS)


def test_what_privacy_costs_is_the_best_of_each_kind(drawings):
    cost, every = drawings["privacy_cost"].data, drawings["privacy_equal_user"].data
    shown = cost[cost["relation"].notna()]
    assert not shown.duplicated(["dataset", "epsilon", "kind"]).any()
    place = {"dataset": "sweetrs", "epsilon": 5}
    factors = select(every, **place)
    factors = factors[factors["method"].isin(["private_als", "private_irls"])]
    best = select(shown, **place, kind="factors")
    assert best["mean"].item() == factors["mean"].min()
    kinds = set(shown["kind"])
    assert {"factors", "averages"} <= kinds <= {"factors", "averages", "untuned"}


def test_what_is_far_worse_than_a_constant_leaves_the_panel(results):
    calibrated = results["calibrated"].copy()
    bad = select(calibrated, dataset="jester", relation="entry_change", epsilon=0.5,
                 method="private_als", mechanism="laplace").index  # fmt: skip
    calibrated.loc[bad, "rmse_heldout"] *= 1000
    with matplotlib.rc_context(RC):
        drawing = FIGURES[1].function({"calibrated": calibrated})
    jester = next(axes for axes in drawing.figure.axes if axes.get_title(loc="left") == "Jester 5k")
    assert jester.get_ylim()[1] < 15


def test_a_reference_far_below_is_a_number_and_no_line(results):
    calibrated = results["calibrated"].copy()
    free = select(calibrated, dataset="jester", method="als", mechanism="none").index
    calibrated.loc[free, "rmse_heldout"] = 0.0123
    with matplotlib.rc_context(RC):
        drawing = FIGURES[1].function({"calibrated": calibrated})
    panels = {axes.get_title(loc="left"): axes for axes in drawing.figure.axes}
    texts = {title: [text.get_text() for text in axes.texts] for title, axes in panels.items()}
    assert texts["Jester 5k"] == ["No noise: 0.012 (below)"]
    assert texts["SweetRS"] == ["ALS, no noise"]
    assert panels["Jester 5k"].get_ylim()[0] > 1


def test_a_run_of_one_data_set_one_trial_and_one_method_is_drawn(results, tmp_path):
    calibrated = results["calibrated"]
    few = calibrated[(calibrated["trial"] == 0) & (calibrated["dataset"] == "sweetrs")]
    few = few[few["method"].isin(["private_als", "private_item_bias"])]
    draw_all(FIGURES, {**dict.fromkeys(results), "calibrated": few}, tmp_path)
    data = pd.read_csv(tmp_path / "privacy_equal_user.csv")
    assert set(data["dataset"]) == {"sweetrs"}
    assert data["low"].isna().all()


def test_the_map_outlines_where_huber_wins(drawings):
    drawing = drawings["privacy_frontier"]
    left, right = drawing.figure.axes[:2]
    wins = drawing.data["best"] == "huber"
    saved = [text.get_text() for text in left.texts]
    assert len(saved) == int(wins.sum())
    letters = [text.get_text() for text in right.texts]
    assert letters.count("H") == int(wins.sum())
    assert len(letters) == len(drawing.data)
    rest = drawing.data[~wins]
    assert letters.count("L") == int((rest["laplace"] <= rest["gaussian"]).sum())
    assert f"wins at {int(wins.sum())} of 120 points" in describe_frontier(drawing.data)
    nowhere = describe_frontier(drawing.data.assign(best="gaussian"))
    assert nowhere == "Huber noise wins nowhere on these 120 points."


def test_the_outline_closes_around_the_region(drawings, results):
    # every border between a cell inside and one outside is drawn once, and nothing else
    best = results["frontier"].pivot(index="releases", columns="epsilon", values="best")
    wins = best == "huber"
    padded = np.pad(wins.to_numpy(), 1).astype(int)
    borders = np.abs(np.diff(padded, axis=0)).sum() + np.abs(np.diff(padded, axis=1)).sum()
    left = drawings["privacy_frontier"].figure.axes[0]
    black = [line for line in left.lines if line.get_color() == "#000000"]
    assert len(black) == borders
