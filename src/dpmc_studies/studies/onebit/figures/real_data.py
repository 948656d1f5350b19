"""Figures on real data: the share of test signs that are right against epsilon and rank."""

import pandas as pd

from dpmc_studies.frame.showing.frames import split
from dpmc_studies.frame.showing.panels import Axis, Level, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import GREY, Drawing, Look, NothingToDraw
from dpmc_studies.studies.onebit.cells import CLEAR
from dpmc_studies.studies.onebit.claims.real_data import EXCEEDED, MIDDLE
from dpmc_studies.studies.onebit.figures import lines
from dpmc_studies.studies.onebit.frames import (
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
)

DRAWN = (*PUBLISHED, ITEM_BIAS, *FREE)
SHOWN = (1.0, 2.0, MIDDLE)
WHOLE = "none"  # outputs that are not cut
BESIDE = 0.15  # of epsilon, between two curves: intervals are long
SHIFT = 0.07  # of a step of the axis, between two curves


def accuracy(trials: pd.DataFrame) -> Drawing:
    """Draw accuracy against epsilon, a row for each data set and link, a column for each stage."""
    real = trials[trials["dataset"].map(is_real)]
    if real.empty:
        raise NothingToDraw
    here = pd.concat([main_rows(real, name) for name in real["dataset"].unique()])
    here = here[here["mechanism"].isin(DRAWN) & (here["mechanism"] != "zero")]
    table = lines.by_stage(here, "accuracy")
    panels = [
        _accuracy_panel(f"{dataset_label(dataset)}, {link_label(link)}, {stage}", stage, part)
        for dataset, link, part in split(in_percent(table), dataset=DATASETS, link=LINKS)
        for stage in lines.STAGES
    ]
    style = {"columns": 2, "height": 1.8, "sharex": True, "sharey": "row"}
    return draw_panels(panels, table, legend={"ncols": 4}, order=lines.ORDER, **style)


def in_percent(table: pd.DataFrame) -> pd.DataFrame:
    """Return shares in per cent."""
    return table.assign(**{name: 100 * table[name] for name in ("mean", "low", "high")})


def _accuracy_panel(title: str, stage: str, part: pd.DataFrame) -> Panel:
    at_stage = part["stage"] == stage
    # truncation changes Clear, and the baselines not at all
    same = (part["mechanism"] != CLEAR) & (part["stage"] == "raw")
    return Panel(
        title,
        x=lines.EPSILON,
        y=Axis("Right test signs (%)"),
        curves=lines.over_epsilon(part[at_stage], stage),
        levels=lines.without_noise(part[same | at_stage & (part["mechanism"] == CLEAR)]),
        dodge=BESIDE,
    )


def accuracy_by_rank(trials: pd.DataFrame, ranks: pd.DataFrame) -> Drawing:
    """Draw accuracy against rank, a row for each link and a column for each epsilon."""
    table = with_whole(trials, ranks, ranks["dataset"].iloc[0])
    names, shown = list(table["rank"].unique()), table["epsilon"].isin(SHOWN)
    epsilons = sorted(table.loc[shown, "epsilon"].unique())
    panels = [
        _rank_panel(f"ε = {epsilon:g}, {link_label(link)}", part[here], names, epsilon == MIDDLE)
        for link, part in split(in_percent(table), link=LINKS)
        for epsilon in epsilons
        for here in [part["epsilon"].isna() | (part["epsilon"] == epsilon)]
    ]
    style = {"columns": len(epsilons), "height": 2.1, "sharex": True, "sharey": True}
    return draw_panels(panels, table, legend={"ncols": 5}, order=lines.ORDER, **style)


def with_whole(trials: pd.DataFrame, ranks: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the summary of the paper's four and Clear by ``rank``, and of outputs not cut.

    Of one data set under its main constraint; ``rank`` is text, :data:`WHOLE` of outputs not cut.
    """
    whole = main_rows(trials, dataset)
    cut = ranks[(ranks["dataset"] == dataset) & ranks["constraint"].isin(whole["constraint"])]
    parts = cut.groupby("rank")
    tables = [summary(part, "accuracy").assign(rank=f"{rank:g}") for rank, part in parts]
    table = pd.concat([*tables, summary(whole, "accuracy_raw").assign(rank=WHOLE)])
    return table[table["mechanism"].isin([*PUBLISHED, CLEAR])].reset_index(drop=True)


def _rank_panel(title: str, part: pd.DataFrame, names: list[str], claimed: bool) -> Panel:
    part = part.assign(place=part["rank"].map(names.index))
    whole = (part["rank"] == WHOLE) & (part["mechanism"] != CLEAR)  # Clear: a line without markers
    uncut = {name: lines.staged(look, "raw") for name, look in LOOKS.items()}
    return Panel(
        title,
        x=Axis("Rank that outputs are cut to", ticks=dict(enumerate(names))),
        y=Axis("Right test signs (%)"),
        curves=[
            *curves(part[~whole], "mechanism", "place", LOOKS, lines.label),
            *curves(part[whole], "mechanism", "place", uncut, lines.label),
        ],
        levels=[Level(100 * EXCEEDED, Look(GREY, "", ":"))] if claimed else [],
        dodge=SHIFT,
    )
