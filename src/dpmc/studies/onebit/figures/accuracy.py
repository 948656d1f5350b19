"""Figure 5 of the paper: the share of test signs that are right against epsilon, on real data."""

from dataclasses import replace

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, NothingToDraw
from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures import lines
from dpmc.studies.onebit.frames import (
    DATASETS,
    FREE,
    ITEM_BIAS,
    LINKS,
    PUBLISHED,
    dataset_label,
    is_real,
    link_label,
    main_rows,
)

DRAWN = (*PUBLISHED, ITEM_BIAS)


def accuracy(inputs: Results) -> Drawing:
    """Draw accuracy against epsilon, a row for each link and a column for each data set."""
    trials = inputs.get("trials")
    names = [] if trials is None else present(trials["dataset"], DATASETS)
    datasets = [name for name in names if is_real(name)]
    if not datasets:
        raise NothingToDraw("No real data have been run")
    here = pd.concat([main_rows(trials, name) for name in datasets])
    here = here[here["mechanism"].isin([*DRAWN, *FREE]) & (here["mechanism"] != "zero")]
    table = lines.by_stage(here, "accuracy")
    panels = [
        _panel(f"{dataset_label(dataset)}, {link_label(link)}", part)
        for link in present(here["link"], LINKS)
        for dataset in datasets
        for part in [table[(table["link"] == link) & (table["dataset"] == dataset)]]
    ]
    style = {"columns": len(datasets), "height": 2.45, "head": 1.3, "legend": {"ncols": 4}}
    style |= {"handles": lines.STAGE_HANDLES, "order": lines.ORDER}
    return draw_panels(panels, table, sharex="col", sharey="col", **style)


def _panel(title: str, part: pd.DataFrame) -> Panel:
    percent = part.assign(**{name: 100 * part[name] for name in ("mean", "low", "high")})
    cut, raw = (percent[percent["stage"] == stage] for stage in lines.STAGES)
    # truncation changes Clear, and the baselines not at all
    same, clear = raw[raw["mechanism"] != "clear"], cut[cut["mechanism"] == "clear"]
    dashed = [
        replace(level, look=replace(level.look, line="--"), label="")
        for level in lines.without_noise(raw[raw["mechanism"] == "clear"])
    ]
    return Panel(
        title,
        x=lines.EPSILON,
        y=Axis("Test signs that are right (%)"),
        curves=[
            *(
                replace(curve, place=curve.label, label="")
                for curve in lines.over_epsilon(raw, "raw")
            ),
            *lines.over_epsilon(cut, "truncated"),
        ],
        levels=[*lines.without_noise(pd.concat([clear, same])), *dashed],
        dodge=lines.DODGE,
    )


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
