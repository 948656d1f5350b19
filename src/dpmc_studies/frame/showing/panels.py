"""Drawing of panels of curves and levels with intervals, side by side.

A figure is a list of panels, and a panel states what its axes show. This module alone decides how
means, intervals, references and legends look. Axes are in :mod:`dpmc_studies.frame.showing.scales`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from dpmc_studies.frame.showing.frames import present
from dpmc_studies.frame.showing.scales import Axis, set_horizontal, set_logarithmic, set_scale
from dpmc_studies.frame.showing.style import GREY, PAGE, Drawing, Look, NothingToDraw, new_figure

WIDE = 1.1  # factor from the lower to the upper end of an interval, above which it is no band
EDGE, BESIDE = 0.99, 0.008  # of a panel's width: where intervals stand that are no bands, and how
# far from each other
OF_LEVEL = "_interval"  # name, which no legend shows, of such a bar
BELOW, ABOVE = (0.02, 0.02, "left", "bottom"), (0.99, 0.99, "right", "top")  # where notes stand


@dataclass(frozen=True)
class Curve:
    """Means along the horizontal axis, with 95 % intervals as bars or, without markers, a band."""

    rows: pd.DataFrame  # columns `x`, `mean` and, as far as there are intervals, `low` and `high`
    look: Look
    label: str = ""  # its name in the legend; "" for none
    # curves of one place, by default of one label, stand on each other, those of others beside
    # them. Curves without markers stay where they are.
    place: str = ""
    # size, width: of the markers and of the line, in points
    size: float = 4.0
    width: float = 0.9
    # the first row with a marker, and how many rows on the next one has it: of long curves, whose
    # interval is a band. Nor are they shifted.
    every: tuple[int, int] | None = None


@dataclass(frozen=True)
class Level:
    """A horizontal line for a constant along the axis, with its interval as a band.

    ``label`` names it in the legend, or ``note`` below the line.
    """

    mean: float
    look: Look
    label: str = ""
    low: float = np.nan
    high: float = np.nan
    note: str = ""


@dataclass(frozen=True)
class Panel:
    """The contents of one pair of axes."""

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve] = ()
    levels: Sequence[Level] = ()
    # distance of curves that stand side by side: of log10 if the axis is logarithmic
    dodge: float = 0.0
    notes: Sequence[str] = ()  # lines of text, for what lies off the panel
    notes_at: tuple = BELOW  # `BELOW` or `ABOVE`
    legend: str = ""  # where the panel has a legend of its own; "" if the figure has one for all
    more: Callable | None = None  # `more(axes)` draws what the kit does not know

    def values(self, *names: str) -> np.ndarray:
        """Return the positive values of some columns of the curves, and the means of levels."""
        parts = [curve.rows[name] for curve in self.curves for name in names if name in curve.rows]
        found = np.concatenate([*parts, [level.mean for level in self.levels]]).astype(float)
        return found[np.isfinite(found) & (found > 0) & (found <= self.y.most)]


def curves(
    table: pd.DataFrame, by: str, x: str, looks: Mapping[str, Look], label: Callable = str
) -> list[Curve]:
    """Return a curve for each value of a column, in the order of the looks."""
    return [
        Curve(
            part.sort_values(x).rename(columns={x: "x"}),
            looks.get(name, Look(GREY, ".")),
            label(name),
        )
        for name in present(table[by], looks)
        for part in [table[table[by] == name]]
    ]


def levels(
    table: pd.DataFrame, by: str, looks: Mapping[str, Look], label: Callable = str
) -> list[Level]:
    """Return a level from the first row of each value of a column, in the order of the looks."""
    found = []
    for name in present(table[by], looks):
        row = table[table[by] == name].iloc[0]
        look = looks.get(name, Look(GREY, ""))
        found.append(Level(row["mean"], look, label(name), row["low"], row["high"]))
    return found


def hollow(look: Look) -> Look:
    """Return a look for the second form of the same thing: dashed, with hollow markers."""
    return replace(look, line="--", face="white")


def draw_panels(
    panels: Sequence[Panel],
    data: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    columns: int = 3,
    height: float = 2.4,
    head: float = 1.1,
    legend: Mapping[str, object] | None = None,
    handles: Sequence[Line2D] = (),
    order: Sequence[str] = (),
    inside: bool = False,
    sharex: bool | str = False,
    sharey: bool | str = False,
    width: float = PAGE,
) -> Drawing:
    """Draw panels in rows, with one legend for all.

    ``data`` are the numbers in the figure; several tables are concatenated. ``height``, ``head``
    and ``width`` are inches: of a row, of the space above all rows, and of the figure. The legend,
    with the arguments ``legend``, has three columns above, or is ``inside`` the place that panels
    leave free. It shows ``handles`` after the curves, and sorts labels by ``order``. Without
    panels NothingToDraw is raised.
    """
    if not panels:
        raise NothingToDraw
    panels = [_as_drawn(panel) for panel in panels]
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(width, head + height * rows)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey)
    places, free = list(grid.flat[: len(panels)]), list(grid.flat[len(panels) :])
    place = free.pop() if inside and free else None
    for axes in free:
        axes.remove()
    for axes, panel in zip(places, panels, strict=True):
        _draw(axes, panel)
    _labels_once(figure, places, panels, columns)
    for group in _sharing(len(panels), columns, sharey):
        _vertical_axes([places[n] for n in group], [panels[n] for n in group])
    entries = first_of_each(_handles(panels), order) + list(handles)
    if place is not None:
        place.set_axis_off()
        place.legend(handles=entries, loc="center", labelspacing=0.35, borderaxespad=0)
    elif entries:
        shown = {"loc": "outside upper center", "ncols": 3, **(legend or {})}
        figure.legend(handles=entries, **shown)
    if not isinstance(data, pd.DataFrame):
        data = pd.concat(data, ignore_index=True)
    return Drawing(figure, data)


def _labels_once(figure, places: Sequence, panels: Sequence[Panel], columns: int) -> None:
    """Take away titles that the panel above, and labels that the one beside or below has too."""
    for number, (axes, panel) in enumerate(zip(places, panels, strict=True)):
        if number >= columns and panel.title == panels[number - columns].title:
            axes.set_title("", loc="left")
        if number % columns and panel.y.label == panels[number - 1].y.label:
            axes.set_ylabel("")
        below = panels[number + columns : number + columns + 1]
        if below and panel.x.label == below[0].x.label:
            axes.set_xlabel("")
    if columns > 3 and len({panel.x.label for panel in panels}) == 1:  # panels are too narrow
        figure.supxlabel(panels[0].x.label, fontsize=8)
        for axes in places:
            axes.set_xlabel("")


def first_of_each(entries: Iterable[Line2D], order: Sequence[str] = ()) -> list[Line2D]:
    """Return the first entry of each label, with labels in ``order`` first."""
    found: dict[str, Line2D] = {}
    for each in entries:
        found.setdefault(each.get_label(), each)
    return [found.pop(label) for label in order if label in found] + list(found.values())


def _sharing(count: int, columns: int, sharey: bool | str) -> list[list[int]]:
    """Return the panels that share a vertical axis."""
    if sharey is True:
        return [list(range(count))]
    key = {"row": lambda n: n // columns, "col": lambda n: n % columns}.get(sharey, lambda n: n)
    groups: dict[int, list[int]] = {}
    for number in range(count):
        groups.setdefault(key(number), []).append(number)
    return list(groups.values())


def on_log_axis(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means with intervals for a logarithmic axis.

    An interval that is symmetric about its mean becomes symmetric in the logarithm, by the delta
    method: a factor on either side, which stays above zero. Others, such as ranges, do not change.
    """
    if "low" not in rows:
        return rows
    mean, half = rows["mean"].astype(float), (rows["high"] - rows["mean"]).astype(float)
    symmetric = np.isclose(half, rows["mean"] - rows["low"], rtol=1e-6) & (mean > 0)
    factor = np.exp((half / mean).where(symmetric))
    low, high = (mean / factor).fillna(rows["low"]), (mean * factor).fillna(rows["high"])
    return rows.assign(low=low, high=high)


def _as_drawn(panel: Panel) -> Panel:
    """Return a panel with its intervals as its vertical axis asks for them."""
    if not panel.y.log:
        return panel
    drawn = [replace(curve, rows=on_log_axis(curve.rows)) for curve in panel.curves]
    ends = [
        on_log_axis(pd.DataFrame({name: [getattr(each, name)] for name in ("mean", "low", "high")}))
        for each in panel.levels
    ]
    flat = [
        replace(level, low=float(rows["low"].iloc[0]), high=float(rows["high"].iloc[0]))
        for level, rows in zip(panel.levels, ends, strict=True)
    ]
    return replace(panel, curves=drawn, levels=flat)


def _draw(axes, panel: Panel) -> None:
    bars = _levels(axes, panel)
    marked = [curve for curve in panel.curves if curve.look.marker and curve.every is None]
    names = list(dict.fromkeys(curve.place or curve.label for curve in marked))
    alone = len({place for curve in panel.curves for place in curve.rows["x"]}) == 1
    for curve in panel.curves:
        x, shift = curve.rows["x"].to_numpy(dtype=float), 0.0
        if any(curve is each for each in marked):
            place = names.index(curve.place or curve.label)
            shift = panel.dodge * (place - (len(names) - 1) / 2)
        _curve(axes, x * 10**shift if panel.x.log else x + shift, curve, alone)
    if panel.more is not None:
        panel.more(axes)
    axes.set_title(panel.title, loc="left")
    axes.set(xlabel=panel.x.label, ylabel=panel.y.label)
    if panel.notes:
        x, y, horizontal, vertical = panel.notes_at
        text = {"xycoords": "axes fraction", "ha": horizontal, "va": vertical}
        axes.annotate("\n".join(panel.notes), (x, y), **text)
    if panel.legend:
        axes.legend(handles=list(_handles([panel], own=True)), loc=panel.legend)
    places = np.concatenate([curve.rows["x"] for curve in panel.curves] or [[]]).astype(float)
    set_horizontal(axes, panel.x, places, 1 / (1 - BESIDE * bars))


def _levels(axes, panel: Panel) -> int:
    """Draw levels; intervals that are wide, or lie on each other, are bars at the right edge.

    Return how many bars there are.
    """
    bars, spread = 0, [level for level in panel.levels if level.low < level.high]
    for level in panel.levels:
        look = level.look
        axes.axhline(level.mean, color=look.color, linestyle=look.line, linewidth=1.1, zorder=2)
        if level.note:
            where = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
            axes.annotate(level.note, (0.02, level.mean), xytext=(0, -2), va="top", **where)
        if level not in spread:
            continue
        on_another = any(
            each.low < level.high and level.low < each.high for each in spread if each is not level
        )
        if on_another or (panel.y.log and level.high > WIDE * level.low):
            side = {"transform": axes.get_yaxis_transform(), "color": look.color, "linewidth": 1.1}
            place = EDGE - BESIDE * bars
            axes.plot([place, place], [level.low, level.high], label=OF_LEVEL, zorder=2, **side)
            bars += 1
        else:
            band = {"color": look.color, "alpha": 0.12, "linewidth": 0, "zorder": 1}
            axes.axhspan(level.low, level.high, **band)
    return bars


def _curve(axes, x: np.ndarray, curve: Curve, alone: bool) -> None:
    """Draw a curve; ``alone`` says that the panel has no other place on its horizontal axis."""
    rows, look = curve.rows, curve.look
    style = {"color": look.color, "marker": look.marker, "markerfacecolor": look.face or look.color}
    style |= {"linestyle": look.line, "linewidth": curve.width}
    style |= {"markersize": curve.size, "markeredgewidth": 0.8}
    if len(rows) == 1 and not look.marker:  # of a single point a line would not be seen
        line = {"color": look.color, "linestyle": look.line, "linewidth": curve.width}
        if alone:
            axes.axhline(rows["mean"].iloc[0], 0.3, 0.7, zorder=3, **line)
            return
        style |= {"marker": "_", "markersize": 14, "markeredgewidth": 1.4}
    if look.marker and "low" in rows and curve.every is None:
        error = np.vstack([rows["mean"] - rows["low"], rows["high"] - rows["mean"]])
        axes.errorbar(x, rows["mean"], np.nan_to_num(error), elinewidth=0.9, zorder=4, **style)
    else:
        axes.plot(x, rows["mean"], zorder=3, markevery=curve.every, **style)
        if "low" in rows:
            band = {"color": look.color, "alpha": 0.2, "linewidth": 0}
            axes.fill_between(x, rows["low"], rows["high"], **band)


def _vertical_axes(places: Sequence, panels: Sequence[Panel]) -> None:
    """Scale the axes of panels that share theirs, with room for their notes."""
    axis, means = panels[0].y, np.concatenate([panel.values("mean") for panel in panels])
    if axis.log and means.size:
        ends = np.concatenate([panel.values("mean", "low", "high") for panel in panels])
        below = max(len(panel.notes) * (panel.notes_at is BELOW) for panel in panels)
        below = max(below, any(level.note for panel in panels for level in panel.levels))
        above = max(len(panel.notes) * (panel.notes_at is ABOVE) for panel in panels)
        set_logarithmic(places, axis, means, ends, below, above)
    for each in places:
        set_scale(each, "y", axis)
        _mark_cut(each)


def _mark_cut(axes) -> None:
    """End intervals in an arrow where they go on beyond the panel."""
    bottom, top = axes.get_ylim()
    cut = [
        (axes.get_xaxis_transform(), each.lines[0].get_color(), line)
        for each in axes.containers
        for bar in each.lines[2]
        for line in bar.get_segments()
    ]
    cut += [
        (axes.transAxes, line.get_color(), line.get_xydata())
        for line in axes.lines
        if line.get_label() == OF_LEVEL
    ]
    for place, color, ((x, low), (_, high)) in cut:
        for beyond, edge, marker in ((low < bottom, 0, "v"), (high > top, 1, "^")):
            if beyond:
                style = {"color": color, "markersize": 4, "clip_on": False, "zorder": 5}
                axes.plot(x, edge, marker, transform=place, **style)


def _handles(panels: Iterable[Panel], *, own: bool = False) -> Iterator[Line2D]:
    """Yield what the legend says: curves, then levels; of panels with their own legend or not."""
    chosen = [panel for panel in panels if bool(panel.legend) == own]
    for curve in (curve for panel in chosen for curve in panel.curves):
        if curve.label:
            yield handle(curve.label, curve.look, markersize=curve.size)
    for level in (level for panel in chosen for level in panel.levels):
        if level.label:
            yield handle(level.label, level.look)


def handle(label: str, look: Look, **style: object) -> Line2D:
    """Return an entry of a legend."""
    shown = {"color": look.color, "marker": look.marker, "linestyle": look.line, "linewidth": 1.0}
    shown |= {"markerfacecolor": look.face or look.color, "markersize": 4, **style}
    return Line2D([], [], label=label, **shown)
