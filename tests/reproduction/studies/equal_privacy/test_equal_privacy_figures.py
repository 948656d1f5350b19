"""The figures at equal privacy show the numbers of its results, legibly."""

import matplotlib
import pytest
from scipy import stats

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.style import RC
from dpmc_studies.studies.equal_privacy.figures import FIGURES

pytestmark = pytest.mark.slow
BY_ID = {entry.id: entry.function for entry in FIGURES}


def draw(name, calibrated):
    with matplotlib.rc_context(RC):
        return BY_ID[name]({"calibrated": calibrated})


@pytest.mark.parametrize(
    ("name", "relations", "panels"),
    [
        ("privacy_equal_entry", ["entry_change"], 5),
        ("privacy_equal_user", ["user_add_remove"], 5),
        ("privacy_equal_other", ["entry_add_remove", "user_replace"], 2),
    ],
)
def test_equal_privacy_shows_means_and_intervals(calibrated, name, relations, panels):
    drawing = draw(name, calibrated)
    assert len([axes for axes in drawing.figure.axes if axes.axison]) == panels
    data = drawing.data
    assert set(data["relation"]) == set(relations)
    where = {"relation": relations[0], "dataset": "synthetic", "epsilon": 5,
             "method": "private_irls", "mechanism": "huber"}  # fmt: skip
    row, values = select(data, **where), select(calibrated, **where)["rmse_all"]
    assert row["mean"].item() == pytest.approx(values.mean())
    half = stats.t.ppf(0.975, 9) * stats.sem(values)
    assert (row["high"] - row["mean"]).item() == pytest.approx(half)
    baselines = data[data["method"] == "private_item_bias"]
    assert len(baselines) == panels * 6  # with their best mechanism each


def test_what_privacy_costs_is_the_best_of_each_kind(calibrated):
    cost = draw("privacy_cost", calibrated).data
    every = draw("privacy_equal_user", calibrated).data
    shown = cost[cost["relation"].notna()]
    assert not shown.duplicated(["dataset", "epsilon", "kind"]).any()
    place = {"dataset": "sweetrs", "epsilon": 5}
    factors = select(every, **place)
    factors = factors[factors["method"].isin(["private_als", "private_irls"])]
    best = select(shown, **place, kind="factors")
    assert best["mean"].item() == factors["mean"].min()
