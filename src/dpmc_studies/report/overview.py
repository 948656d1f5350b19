"""The one figure of the whole answer: verdicts by study, and published numbers beside ours."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib.ticker
import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import (
    AGREES,
    CONTRADICTED,
    DEVIATES,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_RUN,
    SUPPORTED,
    VERDICTS,
)
from dpmc_studies.frame.showing.chapter import Chapter
from dpmc_studies.frame.showing.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    LIGHT,
    SERIES,
    VERMILLION,
    Drawing,
    FigureText,
    NothingToDraw,
    new_figure,
    render,
)
from dpmc_studies.report.numbers import counted

COLORS = {
    SUPPORTED: (BLUE, "white"),
    CONTRADICTED: (VERMILLION, "black"),
    NO_EFFECT: (GREY, "white"),
    INCONCLUSIVE: (LIGHT, "black"),
    NOT_RUN: ("#f0f0f0", "black"),
}
HATCHES = {CONTRADICTED: "////", NO_EFFECT: "....", INCONCLUSIVE: "\\\\\\\\", NOT_RUN: ""}


def describe(data: pd.DataFrame) -> str:
    """Say the counts that are drawn."""
    totals = data.groupby("result", sort=False)["count"].sum()
    claims = [f"{totals[name]} {name}" for name in VERDICTS if totals.get(name)]
    parts = [f"Verdicts on the claims, by study: {', '.join(claims)}."] if claims else []
    compared = totals.get(AGREES, 0) + totals.get(DEVIATES, 0)
    if compared:
        parts.append(
            "Below, our means beside the published numbers, errors and budgets ε alike; on the "
            f"line both are equal, and a cross deviates. Of {compared} compared "
            f"{totals.get(AGREES, 0)} agree."
        )
    return " ".join(parts)


OVERVIEW = FigureText(
    id="overview",
    title="Published against reproduced",
    caption="All studies of this report.",
    alt="Bars of the verdicts by study, and published numbers against ours.",
    describe=describe,
    wide=False,
)


def agreement(chapter: Chapter) -> pd.Series:
    """Return how many published numbers have each status."""
    frame = chapter.published
    return pd.Series(dtype=int) if frame is None else frame["status"].value_counts()


def verdict_counts(chapter: Chapter, *, own: bool = False) -> dict[str, int]:
    """Return how many claims of papers, or of a study's own, have each verdict."""
    verdicts = counted(chapter.judged, own=own)
    return {verdict: int((verdicts == verdict).sum()) for verdict in VERDICTS}


def counts(chapters: Mapping[str, Chapter]) -> pd.DataFrame:
    """Return how many claims and published numbers of each study came out how."""
    rows = [
        (name, result, count)
        for name, chapter in chapters.items()
        for found in (verdict_counts(chapter), compared(chapter)["status"].value_counts())
        for result, count in found.items()
        if count
    ]
    return pd.DataFrame(rows, columns=["study", "result", "count"])


def draw(chapters: Mapping[str, Chapter]) -> Drawing:
    """Draw the figure."""
    data = counts(chapters)
    judged = {name: verdict_counts(c) for name, c in chapters.items() if len(counted(c.judged))}
    beside = {name: compared(c) for name, c in chapters.items() if len(compared(c))}
    if not judged and not beside:
        raise NothingToDraw("No claim has been judged, and no published number compared.")
    bars = 0.5 + 0.42 * len(judged) if judged else 0.0
    points = 2.7 + 0.17 * len(beside) if beside else 0.0
    figure = new_figure(COLUMN, bars + points)
    heights = [height for height in (bars, points) if height]
    axes = list(figure.subplots(len(heights), height_ratios=heights, squeeze=False)[:, 0])
    if judged:
        _draw_verdicts(axes.pop(0), judged)
    if beside:
        _draw_numbers(axes.pop(0), beside)
    return Drawing(figure, data)


def compared(chapter: Chapter) -> pd.DataFrame:
    """Return the published numbers of a study that are next to one of ours."""
    frame = chapter.published
    empty = pd.DataFrame(columns=["published", "mean", "status"])
    return empty if frame is None else frame[frame["status"].isin([AGREES, DEVIATES])]


def _draw_verdicts(axes, judged: Mapping[str, Mapping[str, int]]) -> None:
    """A bar for each study, its counts inside and its name above."""
    for place, (name, by_verdict) in enumerate(judged.items()):
        total, start = sum(by_verdict.values()), 0
        axes.text(0, place - 0.36, f"{name} ({total})", va="bottom")
        for verdict, count in by_verdict.items():
            color, ink = COLORS[verdict]
            bar = {"left": start, "height": 0.5, "color": color, "hatch": HATCHES.get(verdict)}
            axes.barh(place, count, **bar, edgecolor="white", label=None if place else verdict)
            if count:
                number = {"color": ink, "weight": "bold", "bbox": _behind(color)}
                axes.text(start + count / 2, place, str(count), ha="center", va="center", **number)
            start += count
    axes.set(ylim=(len(judged) - 0.6, -0.8), yticks=[])
    axes.xaxis.set_visible(False)
    axes.grid(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, handlelength=1.4)


def _behind(color: str) -> dict[str, object]:
    """A box that keeps a number free of the hatching."""
    return {"boxstyle": "round,pad=0.15", "facecolor": color, "edgecolor": "none"}


def _draw_numbers(axes, beside: Mapping[str, pd.DataFrame]) -> None:
    """Ours against published, both logarithmic; what deviates is a cross."""
    for (name, frame), look in zip(beside.items(), SERIES, strict=False):
        agrees = frame["status"] == AGREES
        near, far = frame[agrees], frame[~agrees]
        text = f"{name}: {len(near)} of {len(frame)} agree"
        shown = {"ls": "", "color": look.color, "ms": 4}
        marks = {"marker": look.marker, "mfc": "none", "label": text}
        axes.plot(near["published"], near["mean"], **marks, **shown)
        axes.plot(far["published"], far["mean"], marker="x", **shown)
    axes.plot([], [], ls="", marker="x", color=GREY, label="deviates")
    every = pd.concat(beside.values())[["published", "mean"]].to_numpy(dtype=float)
    low, high = np.nanmin(every) / 1.2, np.nanmax(every) * 1.2
    axes.plot([low, high], [low, high], color=BLACK, lw=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    axes.set(xlabel="Published (RMSE, or ε)", ylabel="Reproduced")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), handlelength=1.0)


def draw_overview(chapters: Mapping[str, Chapter], folder: str | Path) -> None:
    """Draw the figure into a folder, as the figures of studies are."""
    render(lambda: draw(chapters), folder, OVERVIEW.id, width=COLUMN)
