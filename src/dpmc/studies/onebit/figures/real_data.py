"""Figures on real data: the share of test signs that are right against epsilon and rank."""

from dataclasses import replace

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Level, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import GREY, Drawing, Look, NothingToDraw, needed
from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.cells import CLEAR
from dpmc.studies.onebit.claims.real_data import EXCEEDED, MIDDLE
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
)

DRAWN = (*PUBLISHED, ITEM_BIAS)
SHOWN = (1.0, 2.0, MIDDLE)
WHOLE = "none"  # outputs that are not cut
SHIFT = 0.07  # of a step of the axis, between two curves


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
        _accuracy_panel(f"{dataset_label(dataset)}, {link_label(link)}", part)
        for link in present(here["link"], LINKS)
        for dataset in datasets
        for part in [table[(table["link"] == link) & (table["dataset"] == dataset)]]
    ]
    style = {"columns": len(datasets), "height": 2.45, "head": 1.3, "legend": {"ncols": 4}}
    style |= {"handles": lines.STAGE_HANDLES, "order": lines.ORDER}
    return draw_panels(panels, table, sharex="col", sharey="col", **style)


def _accuracy_panel(title: str, part: pd.DataFrame) -> Panel:
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


def accuracy_by_rank(inputs: Results) -> Drawing:
    """Draw accuracy against rank, a row for each link and a column for each epsilon."""
    absent = "No rank but that of the matrix has been looked at"
    trials, ranks = (needed(inputs, name, absent) for name in ("trials", "ranks"))
    table = with_whole(trials, ranks, ranks["dataset"].iloc[0])
    names, links = table["rank"].unique(), present(table["link"], LINKS)
    epsilons = [epsilon for epsilon in SHOWN if (table["epsilon"] == epsilon).any()]
    if not epsilons:
        raise NothingToDraw("No epsilon that is shown has been run")
    panels = [
        _rank_panel(link, epsilon, table[here & (table["link"] == link)], list(names))
        for link in links
        for epsilon in epsilons
        for here in [table["epsilon"].isna() | (table["epsilon"] == epsilon)]
    ]
    style = {"columns": len(epsilons), "height": 2.1, "sharex": True, "sharey": True}
    return draw_panels(panels, table, legend={"ncols": 5}, order=lines.ORDER, **style)


def with_whole(trials: pd.DataFrame, ranks: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the summary of the paper's four and Clear by ``rank``, and of outputs not cut.

    Of one data set under its main constraint; ``rank`` is text, :data:`WHOLE` of outputs not cut.
    """
    whole = main_rows(trials, dataset)
    cut = ranks[(ranks["dataset"] == dataset) & ranks["constraint"].isin(whole["constraint"])]
    tables = [
        summary(part, "accuracy").assign(rank=f"{rank:g}") for rank, part in cut.groupby("rank")
    ]
    table = pd.concat([*tables, summary(whole, "accuracy_raw").assign(rank=WHOLE)])
    drawn = table[table["mechanism"].isin([*PUBLISHED, CLEAR])]
    return drawn.reset_index(drop=True)


def _rank_panel(link: str, epsilon: float, part: pd.DataFrame, names: list[str]) -> Panel:
    percent = {key: 100 * part[key] for key in ("mean", "low", "high")}
    part = part.assign(place=[names.index(rank) for rank in part["rank"]], **percent)
    whole = (part["rank"] == WHOLE) & (part["mechanism"] != CLEAR)  # Clear: a line without markers
    uncut = {name: lines.staged(look, "raw") for name, look in LOOKS.items()}
    exceeded = [Level(100 * EXCEEDED, Look(GREY, "", ":"))] if epsilon == MIDDLE else []
    return Panel(
        f"ε = {epsilon:g}, {link_label(link)}",
        x=Axis("Rank that outputs are cut to", ticks=dict(enumerate(names))),
        y=Axis("Right test signs (%)"),
        curves=[
            *curves(part[~whole], "mechanism", "place", LOOKS, lines.label),
            *curves(part[whole], "mechanism", "place", uncut, lines.label),
        ],
        levels=exceeded,
        dodge=SHIFT,
    )


def describe_ranks(data: pd.DataFrame) -> str:
    """Say at which ranks all four exceed 68 % at epsilon 4, and which is the best at epsilon 1."""
    parts = []
    for link in present(data["link"], LINKS):
        here = data[(data["link"] == link) & data["epsilon"].notna()]
        at = here[here["epsilon"] == MIDDLE]
        least = at.groupby("rank", sort=False)["mean"].min()
        enough = [rank for rank, value in least.items() if value > EXCEEDED]
        texts = [f"all above {100 * EXCEEDED:g} % at ε = {MIDDLE:g} at rank {', '.join(enough)}"]
        texts = texts if enough else [f"not all above {100 * EXCEEDED:g} % at any rank"]
        first = here[here["epsilon"] == here["epsilon"].min()]
        best = first.loc[first["mean"].idxmax()]
        texts.append(
            f"at ε = {best['epsilon']:g} at best {100 * best['mean']:.1f} % "
            f"({mechanism_label(best['mechanism'])}, rank {best['rank']})"
        )
        parts.append(f"{link_label(link)}: {', '.join(texts)}")
    return f"{trials_text(data['trials']).capitalize()} a point. Means: {'; '.join(parts)}."
