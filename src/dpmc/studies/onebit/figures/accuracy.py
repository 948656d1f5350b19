"""Figure 5 of the paper: the share of test signs that are right against epsilon, on real data."""

from collections.abc import Mapping

import pandas as pd

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures import lines
from dpmc.studies.onebit.frames import (
    DATASETS,
    FREE,
    ITEM_BIAS,
    LINKS,
    LOOKS,
    PUBLISHED,
    dataset_label,
    is_real,
    link_label,
    main_rows,
    summary,
    trials_text,
)
from dpmc.study.frames import present
from dpmc.study.style import PAGE, Drawing, NothingToDraw, new_figure

DRAWN = (*PUBLISHED, ITEM_BIAS)


def accuracy(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw accuracy against epsilon, a row for each link and a column for each data set."""
    trials = inputs.get("trials")
    names = [] if trials is None else present(trials["dataset"], DATASETS)
    datasets = [name for name in names if is_real(name)]
    if not datasets:
        raise NothingToDraw("No real data have been run")
    here = pd.concat([main_rows(trials, name) for name in datasets])
    here = here[here["mechanism"].isin([*DRAWN, *FREE]) & (here["mechanism"] != "zero")]
    links = present(here["link"], LINKS)
    figure = new_figure(PAGE, 1.3 + 2.45 * len(links))
    grid = figure.subplots(len(links), len(datasets), squeeze=False, sharex="col", sharey="col")
    drawn = []
    for stage in lines.STAGES:
        table = summary(here, f"accuracy_{stage}")
        drawn.append(table.assign(stage=stage))
    table = pd.concat(drawn, ignore_index=True)
    for row, link in zip(grid, links, strict=True):
        for axes, dataset in zip(row, datasets, strict=True):
            part = table[(table["link"] == link) & (table["dataset"] == dataset)]
            _panel(axes, part)
            axes.set_title(f"{dataset_label(dataset)}, {link_label(link)}", loc="left")
        row[0].set_ylabel("Test signs that are right (%)")
    for axes in grid[-1]:
        axes.set_xlabel("Claimed ε (of the value of one sign)")
    found = [*lines.handles(here["mechanism"]), *lines.stage_handles()]
    figure.legend(handles=found, loc="outside upper center", ncols=4)
    return Drawing(figure, table)


def _panel(axes, part: pd.DataFrame) -> None:
    percent = part.assign(**{name: 100 * part[name] for name in ("mean", "low", "high")})
    raw, clear = percent["stage"] == "raw", percent["mechanism"] == "clear"
    # truncation changes Clear, and the baselines not at all
    lines.free_lines(axes, percent[raw & ~clear])
    lines.free_lines(axes, percent[raw & clear], "--")
    lines.free_lines(axes, percent[~raw & clear])
    private = percent[percent["epsilon"].notna()]
    names = present(private["mechanism"], LOOKS)
    for name, shift in zip(names, lines.side_by_side(len(names)), strict=True):
        for stage in reversed(lines.STAGES):
            one = private[(private["mechanism"] == name) & (private["stage"] == stage)]
            one = one.sort_values("epsilon")
            lines.curve(axes, one["epsilon"] + shift, one, LOOKS[name], stage=stage)
    if len(private):
        lines.epsilon_axis(axes, private["epsilon"].unique())


def describe_accuracy(data: pd.DataFrame) -> str:
    """Say how many repetitions there are, and what is reached at the largest epsilon."""
    largest = data["epsilon"].max()
    parts = []
    for dataset in present(data["dataset"], DATASETS):
        texts = []
        for link in present(data["link"], LINKS):
            here = data[(data["dataset"] == dataset) & (data["link"] == link)]
            part = here[(here["stage"] == "truncated") & (here["epsilon"] == largest)]
            four = part[part["mechanism"].isin(PUBLISHED)]
            if len(four):
                best = four.loc[four["mean"].idxmax()]
                name = mechanism_label(best["mechanism"])
                texts.append(f"{100 * best['mean']:.1f} % with the {link_label(link)} ({name})")
        if texts:
            parts.append(f"{dataset_label(dataset)} {', '.join(texts)}")
    return (
        f"{trials_text(data['trials']).capitalize()} a point. Best of the paper’s four at "
        f"ε = {largest:g}, truncated: {'; '.join(parts)}."
    )
