"""Forest plots: where rows, points, intervals and notes stand, and what the legend says."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from dpmc_studies.frame.showing.forest import GAP, Forest, Notes, Points, draw_forest
from dpmc_studies.frame.showing.panels import Axis
from dpmc_studies.frame.showing.style import RC, Look, shaded

ROWS = pd.DataFrame({"row": [0, 2, 1], "x": [1.0, 2.0, 3.0], "low": 0.5, "high": 4.0, "below": 0.1})
FOREST = Forest(
    "Effects",
    ["a", "b", "c"],
    [
        Points(ROWS, Look("#0072b2", "o"), "ours"),
        Points(ROWS[["row", "x"]].head(1), Look("#000000", "", "--"), "theirs", across=True),
    ],
    groups=["one", "one", "two"],
    notes=[Notes(["yes", "no", "yes"], "held")],
    reference=0.0,
)


@pytest.fixture
def axes():
    axis = Axis("Effect", linear=1, ticks={-10: "−10", 0: "0", 10: "10"}, limits=(-20, 20))
    with matplotlib.rc_context(RC):
        figure = draw_forest([FOREST, FOREST], ROWS, axis, row=0.3).figure
        figure.draw_without_rendering()
    assert figure.get_supxlabel() == "Effect"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ours", "theirs"]
    return figure.axes[0]


def test_rows_go_down_with_a_gap_between_groups(axes):
    heights = [0, 1, 2 + GAP]
    assert list(axes.get_yticks()) == pytest.approx(heights)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    (points,) = [line for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(points.get_xdata(), ROWS["x"])
    np.testing.assert_allclose(points.get_ydata(), np.take(heights, ROWS["row"]) + 0.1)


def test_intervals_lie_on_their_points_and_lines_across_rows(axes):
    intervals, across = (
        np.array([path.vertices for path in lines.get_paths()]) for lines in axes.collections
    )
    np.testing.assert_allclose(intervals[:, :, 0], [[0.5, 4.0]] * 3)
    np.testing.assert_allclose(intervals[:, 0, 1], np.array([0, 2 + GAP, 1]) + 0.1)
    np.testing.assert_allclose(across, [[[1, -0.42], [1, 0.42]]])


def test_notes_end_the_rows(axes):
    assert [text.get_text() for text in axes.texts] == ["yes", "no", "yes", "held"]


def test_an_axis_is_linear_around_zero(axes):
    assert (axes.get_xscale(), axes.get_xlim()) == ("symlog", (-20, 20))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["−10", "0", "10"]


def test_looks_from_dark_to_light():
    looks = shaded([1, 2, 5])
    assert list(looks) == [1, 2, 5]
    assert len({(look.color, look.marker) for look in looks.values()}) == 3
    light = [sum(matplotlib.colors.to_rgb(look.color)) for look in looks.values()]
    assert light == sorted(light)
    assert shaded([]) == {}
