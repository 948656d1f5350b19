"""Axes of panels: their scales, limits and labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from dpmc_studies.frame.showing.style import value_axis

ROOM = 0.06  # of the height of a logarithmic panel, above and below what is drawn
LINE = 0.085  # of the same, for a line of text
NEAR_ZERO = 0.7  # of the room of a factor of ten, for what is linear of an axis on either side
ALONE = 2.0  # times as much room beside the only value of an axis
REACH = 0.2  # usual share of the height between means by which intervals widen a panel


@dataclass(frozen=True)
class Axis:
    """One axis of a panel."""

    label: str = ""
    log: bool = False
    # where the axis is labelled, and nowhere else
    ticks: Sequence[float] | Mapping[float, str] | None = None
    # how far the axis goes beyond its values: a factor if it is logarithmic
    margin: float | None = None
    # where it begins and ends; None where its values say so
    limits: tuple[float | None, float | None] | None = None
    # it is linear up to so much on either side of zero, and logarithmic beyond
    linear: float | None = None
    whole: bool = False  # whether only whole numbers are labelled
    most: float = np.inf  # what is larger is off the panel
    # how far beyond the means, in shares of their height, intervals widen the panel
    reach: float = REACH


def set_horizontal(axes, axis: Axis, values: np.ndarray, room: float) -> None:
    """Scale and label the x axis by its values; ``room`` is a factor of its length."""
    if axis.log and values.size:
        axes.set_xscale("log")
    if values.size and axis.margin is not None:
        low, high, by = values.min(), values.max(), axis.margin
        if low == high:
            by = by**ALONE if axis.log else by * ALONE
        if axis.log:
            axes.set_xlim(low / by, low / by * (by * by * high / low) ** room)
        else:
            axes.set_xlim(low - by, low - by + (2 * by + high - low) * room)
    set_scale(axes, "x", axis)
    if axis.ticks is not None:
        return
    if axis.whole:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True))
    elif axis.log and values.size:
        value_axis(axes.xaxis, np.log10(max(values.max() / values.min(), 1.5)), long=2.5)


def set_logarithmic(
    places: Sequence, axis: Axis, means: np.ndarray, ends: np.ndarray, below: int, above: int
) -> None:
    """Scale the y axis that some panels share, by its means and the ends of their intervals.

    ``below`` and ``above`` are the numbers of lines of text to leave room for.
    """
    low, high = means.min(), means.max()
    reach = max(high / low, 1.05) ** axis.reach
    low, high = max(ends.min(), low / reach), min(ends.max(), high * reach)
    span = max(high / low, 1.05)
    for each in places:
        each.set_yscale("log")
    places[0].set_ylim(low / span ** (ROOM + LINE * below), high * span ** (ROOM + LINE * above))
    if axis.ticks is None:
        value_axis(places[0].yaxis, np.log10(span) * (1 + 2 * ROOM + LINE * (below + above)))


def set_scale(axes, which: str, axis: Axis) -> None:
    """Set an axis's linear part, limits and labels."""
    if axis.linear is not None:
        scale = axes.set_xscale if which == "x" else axes.set_yscale
        scale("symlog", linthresh=axis.linear, linscale=NEAR_ZERO)
    if axis.limits is not None:
        axes.set(**{f"{which}lim": axis.limits})
    if axis.ticks is not None:
        set_ticks(axes.xaxis if which == "x" else axes.yaxis, axis.ticks)


def set_ticks(axis, values: Sequence[float] | Mapping[float, str]) -> None:
    """Label an axis at these values alone."""
    named = (
        values
        if isinstance(values, Mapping)
        else {value: f"{value:g}".replace("-", "−") for value in values}
    )
    axis.set_major_locator(FixedLocator(sorted(named)))
    labels = {float(value): label for value, label in named.items()}
    axis.set_major_formatter(FuncFormatter(lambda value, _: labels.get(float(value), "")))
    axis.set_minor_locator(NullLocator())


def signed_ticks(values: Iterable[float]) -> dict[float, str]:
    """Return labels of ticks with their signs."""
    return {value: f"{value:+g}".replace("-", "−") if value else "0" for value in values}
