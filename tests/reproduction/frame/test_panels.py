"""The drawing kit draws what a panel says, where it says it."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from dpmc_studies.frame.showing.panels import (
    ABOVE,
    Axis,
    Curve,
    Level,
    Panel,
    curves,
    draw_panels,
    hollow,
    levels,
    on_log_axis,
)
from dpmc_studies.frame.showing.scales import REACH, ROOM
from dpmc_studies.frame.showing.style import BLUE, GREEN, RC, Look

LOOKS = {"a": Look(BLUE, "s"), "b": Look(GREEN, "^", "--"), "line": Look("#000000", "")}
TABLE = pd.DataFrame(
    {
        "name": ["b", "b", "a", "a", "line", "line"],
        "at": [10.0, 1.0] * 3,
        "mean": [2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        "low": [1.9, 2.9, 3.9, 4.9, 5.9, 6.9],
        "high": [2.1, 3.1, 4.1, 5.1, 6.1, 7.1],
    }
)
X, Y = Axis("x", log=True), Axis("y", log=True)


@pytest.fixture(autouse=True)
def style():
    with matplotlib.rc_context(RC):
        yield


def drawn(*panels, **options):
    figure = draw_panels(panels, TABLE, **options).figure
    return figure, figure.axes


def shown(legend):
    return [text.get_text() for text in legend.get_texts()]


def bars(axes):
    """The means of each curve with bars, by colour."""
    return {
        container.lines[0].get_color(): container.lines[0].get_xydata()
        for container in axes.containers
    }


def test_curves_stand_side_by_side_in_the_order_of_looks_and_lines_stay():
    found = curves(TABLE, "name", "at", LOOKS, str.upper)
    assert [curve.label for curve in found] == ["A", "B", "LINE"]
    _, (axes,) = drawn(Panel("t", X, Y, found, dodge=0.1))
    for color, shift, means in ((BLUE, -0.05, [5, 4]), (GREEN, 0.05, [3, 2])):
        expected = np.transpose([np.array([1, 10]) * 10**shift, means])
        np.testing.assert_allclose(bars(axes)[color], expected)
    line = next(each for each in axes.lines if each.get_color() == "#000000")
    np.testing.assert_allclose(line.get_xydata(), [[1, 7], [10, 6]])
    assert len(axes.collections) == 2 + 1  # intervals as bars, and as a band


def arrows(axes):
    """The markers at the edges of a panel, by colour."""
    ends = [
        line for line in axes.lines if line.get_marker() in ("^", "v") and not line.get_clip_on()
    ]
    return {(line.get_color(), line.get_marker(), line.get_ydata()[0]) for line in ends}


def test_an_interval_that_goes_on_beyond_the_panel_ends_in_an_arrow():
    wide = TABLE[TABLE["name"] == "a"].assign(low=[0.01, 4.9], high=[100.0, 5.1])
    pair = curves(pd.concat([wide, TABLE[TABLE["name"] == "b"]]), "name", "at", LOOKS)
    _, (axes,) = drawn(Panel("t", X, Y, pair))
    assert arrows(axes) == {(BLUE, "v", 0), (BLUE, "^", 1)}
    _, (axes,) = drawn(Panel("t", X, Y, pair, [Level(3.0, LOOKS["b"], "", 0.01, 3.5)]))
    assert arrows(axes) == {(BLUE, "v", 0), (BLUE, "^", 1), (GREEN, "v", 0)}
    _, (axes,) = drawn(Panel("t", X, Axis("y", log=True, reach=9.0), pair))
    assert not arrows(axes)


def test_curves_of_one_place_stand_on_each_other_and_other_axes_shift_by_addition():
    rows = TABLE[TABLE["name"] == "a"].assign(x=[2.0, 1.0])
    pair = [Curve(rows, LOOKS["a"], "A"), Curve(rows, hollow(LOOKS["b"]), place="A")]
    _, (axes,) = drawn(Panel("t", Axis("x"), Y, [*pair, Curve(rows, LOOKS["b"], "C")], dodge=0.2))
    places = [container.lines[0].get_xdata()[0] for container in axes.containers]
    assert places == pytest.approx([1.9, 1.9, 2.1])
    dashed = axes.containers[1].lines[0]
    assert (dashed.get_linestyle(), dashed.get_markerfacecolor()) == ("--", "white")


def test_intervals_widen_a_panel_but_only_so_far():
    rows = TABLE[TABLE["name"] == "a"].assign(x=[2.0, 1.0], low=1e-9, high=5.2)
    _, (axes,) = drawn(Panel("t", X, Y, [Curve(rows, LOOKS["a"], "A")]))
    low, high = 4 / 1.25**REACH, 5.2
    assert axes.get_ylim() == pytest.approx(
        (low / (high / low) ** ROOM, high * (high / low) ** ROOM)
    )
    most = Axis("y", log=True, most=4.5)
    _, (axes,) = drawn(Panel("t", X, most, [Curve(rows, LOOKS["a"], "A")]))
    assert axes.get_ylim()[1] < 4.5


def test_levels_are_lines_with_bands_and_notes_have_room():
    found = levels(TABLE[TABLE["at"] == 1], "name", LOOKS, str.upper)
    assert [(level.mean, level.low) for level in found] == [(5, 4.9), (3, 2.9), (7, 6.9)]
    plain = Panel("t", X, Y, curves(TABLE, "name", "at", LOOKS), found[:1])
    noted = Panel("t", X, Y, plain.curves, plain.levels, notes=["far"], notes_at=ABOVE)
    below = Panel("t", X, Y, plain.curves, [Level(2.0, LOOKS["line"], note="below")])
    _, (first,) = drawn(plain)
    _, (second,) = drawn(noted)
    _, (third,) = drawn(below)
    assert second.get_ylim()[1] > first.get_ylim()[1]
    assert third.get_ylim()[0] < first.get_ylim()[0]
    assert [text.get_text() for axes in (second, third) for text in axes.texts] == ["far", "below"]


@pytest.mark.parametrize(("sharey", "ranges"), [(False, 3), ("row", 2), ("col", 2), (True, 1)])
def test_panels_that_share_an_axis_have_one_range(sharey, ranges):
    numbers = ["mean", "low", "high"]
    parts = [TABLE.assign(**factor * TABLE[numbers]) for factor in (1, 10, 100)]
    panels = [Panel("t", X, Y, curves(part, "name", "at", LOOKS)) for part in parts]
    _, axes = drawn(*panels, columns=2, sharey=sharey)
    assert len({each.get_ylim() for each in axes}) == ranges


def test_intervals_of_means_on_a_logarithmic_axis_are_factors():
    rows = pd.DataFrame({"mean": [1.0, 1.0], "low": [-0.5, 0.2], "high": [2.5, 1.1]})
    shown = on_log_axis(rows)
    assert shown["low"].tolist() == pytest.approx([np.exp(-1.5), 0.2])  # a range stays one
    assert shown["high"].tolist() == pytest.approx([np.exp(1.5), 1.1])
    assert on_log_axis(rows[["mean"]]).equals(rows[["mean"]])


def test_a_line_with_one_point_is_seen():
    def drawn(*parts):
        shown = [Curve(part.assign(x=part["at"]), LOOKS["line"], "line") for part in parts]
        axes = draw_panels([Panel("", X, Y, shown)], TABLE).figure.axes[0]
        return [(line.get_marker(), len(line.get_xdata())) for line in axes.lines]

    line = TABLE[TABLE["name"] == "line"].drop(columns=["low", "high"])
    assert drawn(line.head(1)) == [("None", 2)]  # across the panel, in its own style
    assert drawn(line.head(1), line) == [("_", 1), ("", 2)]
    assert drawn(line) == [("", 2)]


def test_intervals_of_levels_that_are_wide_or_lie_on_each_other_are_bars_side_by_side():
    def found(y, *ends):
        shown = [Level(np.mean(each), LOOKS["line"], "line", *each) for each in ends]
        axes = draw_panels([Panel("", X, y, levels=shown)], TABLE).figure.axes[0]
        bars = [
            line for line in axes.lines if len(set(line.get_xdata())) == 1 < len(line.get_xdata())
        ]
        return len(axes.patches), [line.get_xdata()[0] for line in bars]

    assert found(Y, (0.98, 1.02)) == (1, [])
    assert found(Y, (0.98, 1.9)) == (0, [0.99])
    assert found(Axis("y"), (0.5, 1.9)) == (1, [])
    bands, bars = found(Axis("y"), (1.0, 2.0), (1.5, 2.5), (3.0, 3.1))
    assert bands == 1
    assert bars == pytest.approx([0.99, 0.982])


@pytest.mark.parametrize(("log", "end"), [(True, 10.0), (False, 10.5)])
def test_bars_at_the_edge_have_room_of_their_own(log, end):
    x = Axis("x", log=log, margin=1.0 if log else 0.5)
    shown = [Level(2.0, LOOKS["line"], "line", 1.0, 3.0), Level(2.5, LOOKS["line"], "", 2.0, 3.0)]
    rows = curves(TABLE, "name", "at", LOOKS)
    _, (plain,) = drawn(Panel("", x, Y, rows))
    _, (noted,) = drawn(Panel("", x, Y, rows, shown))
    assert plain.get_xlim()[1] == pytest.approx(end)
    assert noted.get_xlim()[0] == plain.get_xlim()[0]
    place = noted.transAxes.inverted().transform(noted.transData.transform((end, 1)))
    assert place[0] == pytest.approx(1 - 2 * 0.008)
