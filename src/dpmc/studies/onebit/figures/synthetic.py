"""Figures on synthetic data: ARE against epsilon, and against the observed fraction."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import ABOVE, Axis, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, Look, NothingToDraw, needed, shaded
from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures import lines
from dpmc.studies.onebit.frames import (
    BENCHMARK,
    FREE,
    LARGE,
    LINKS,
    LOOKS,
    OTHERS,
    PUBLISHED,
    link_label,
    main_constraint,
    main_rows,
)

ARE = "ARE = ‖X − M‖² / ‖M‖²"
HEADROOM = 1.3  # above the highest mean of the paper's mechanisms
SHOWN = 6  # budgets at most
WITHOUT = ("clear", "zero")  # that are drawn without noise


def by_budget(inputs: Results, link: str) -> Drawing:
    """Draw ARE against epsilon with a link."""
    here = main_rows(needed(inputs, "trials", lines.NO_TRIALS), BENCHMARK)
    here = here[here["link"] == link]
    if here["epsilon"].isna().all():
        raise NothingToDraw(f"The budgets have not been run with the {link_label(link)}")
    panels = {
        "The paper’s four": (link, [*PUBLISHED, *FREE]),
        "Beyond the paper": (link, [*OTHERS, *FREE]),
    }
    return _grid(here, panels, link)


def larger_instance(inputs: Results) -> Drawing:
    """Draw ARE against epsilon on the larger instance, a column for each link."""
    here = main_rows(needed(inputs, "trials", lines.NO_TRIALS), LARGE)
    if here.empty or here["epsilon"].isna().all():
        raise NothingToDraw("The larger instance has not been run")
    names = [*PUBLISHED, *OTHERS, *FREE]
    panels = {link.capitalize(): (link, names) for link in present(here["link"], LINKS)}
    return _grid(here, panels, None)


def _grid(
    here: pd.DataFrame, panels: Mapping[str, tuple[str, Sequence[str]]], link: str | None
) -> Drawing:
    """Draw a column for each panel and a row each for truncated and raw outputs."""
    data, drawn = lines.by_stage(here, "are"), []
    for stage, title in lines.STAGES.items():
        table = data[data["stage"] == stage]
        known = table[table["mechanism"].isin([*PUBLISHED, *FREE])]
        far = table["mechanism"].isin(lines.far_above(table, HEADROOM * known["mean"].max()))
        for name, (of_link, mechanisms) in panels.items():
            chosen = (table["link"] == of_link) & table["mechanism"].isin(mechanisms)
            shown = table[chosen & ~far]
            drawn.append(
                Panel(
                    f"{name}: {title}",
                    x=lines.EPSILON,
                    y=Axis(ARE, log=True),
                    curves=lines.over_epsilon(shown, stage, link),
                    levels=lines.without_noise(shown, link),
                    dodge=lines.DODGE,
                    notes=lines.named_above(table[chosen & far]),
                    notes_at=ABOVE,
                )
            )
    style = {"columns": len(panels), "height": 2.25, "sharex": True, "sharey": "row"}
    order = [lines.label(name, link) for name in LOOKS]
    return draw_panels(
        drawn, data, legend={"ncols": 4}, handles=lines.STAGE_HANDLES, order=order, **style
    )


def describe_budgets(data: pd.DataFrame) -> str:
    """Say how many trials there are, what Clear and the best private model reach, and where."""
    fraction = 100 * data["observed_fraction"].min()
    parts = []
    for link in present(data["link"], LINKS):
        here = data[(data["link"] == link) & (data["stage"] == "truncated")]
        clear = here.loc[here["mechanism"] == "clear", "mean"]
        private = here[here["epsilon"].notna()]
        best = private.loc[private["mean"].idxmin()]
        text = f"lowest private ARE {best['mean']:.2f} ({mechanism_label(best['mechanism'])}, "
        text += f"ε = {best['epsilon']:g})"
        if len(clear):
            text += f", Clear {clear.iloc[0]:.2f}"
        parts.append(f"{link_label(link)}: {text}")
    return (
        f"{fraction:g} % of the entries observed, {trials_text(data['trials'])}; truncated, "
        f"{'; '.join(parts)}."
    )


def by_fraction(inputs: Results, link: str) -> Drawing:
    """Draw ARE against the observed fraction with a link."""
    trials = needed(inputs, "trials", lines.NO_TRIALS)
    here = trials[(trials["dataset"] == BENCHMARK) & (trials["link"] == link)]
    if here["observed_fraction"].nunique() < 2:
        raise NothingToDraw(
            f"The observed fraction has not been varied with the {link_label(link)}"
        )
    here = here[here["constraint"] == main_constraint(trials, BENCHMARK)]
    names = [name for name in PUBLISHED if (here["mechanism"] == name).any()]
    budgets = shaded(shown_budgets(here["epsilon"].dropna().unique()))
    data = lines.by_stage(here[here["mechanism"].isin([*names, *WITHOUT])], "are")
    panels = [
        _fraction_panel(name, stage, data[data["stage"] == stage], budgets)
        for stage in lines.STAGES
        for name in names
    ]
    style = {"columns": len(names), "height": 1.9, "sharex": True, "sharey": "row"}
    return draw_panels(panels, data, legend={"ncols": 6}, handles=lines.STAGE_HANDLES, **style)


def _fraction_panel(
    name: str, stage: str, table: pd.DataFrame, budgets: Mapping[float, Look]
) -> Panel:
    table = table.assign(percent=100 * table["observed_fraction"])
    shades = {budget: lines.staged(look, stage) for budget, look in budgets.items()}
    of_budgets = table[(table["mechanism"] == name) & table["epsilon"].isin(list(budgets))]
    free = table[table["mechanism"].isin(WITHOUT)]
    return Panel(
        f"{mechanism_label(name).partition(',')[0]}, {stage}",
        x=Axis("Observed fraction of the entries (%)"),
        y=Axis(ARE, log=True),
        curves=[
            *curves(of_budgets, "epsilon", "percent", shades, lambda epsilon: f"ε = {epsilon:g}"),
            *curves(free, "mechanism", "percent", LOOKS, lines.label),
        ],
    )


def shown_budgets(values) -> list[float]:
    """Choose at most :data:`SHOWN` budgets, evenly on the logarithmic scale, with both ends."""
    values = np.sort(np.asarray(values, dtype=float))
    if values.size <= SHOWN:
        return values.tolist()
    wanted = np.linspace(np.log(values[0]), np.log(values[-1]), SHOWN)
    nearest = np.abs(np.log(values)[:, None] - wanted).argmin(axis=0)
    return values[np.unique(nearest)].tolist()


def describe_fractions(data: pd.DataFrame) -> str:
    """Say by how much the error changes from the smallest to the largest share."""
    low, high = data["observed_fraction"].min(), data["observed_fraction"].max()
    parts = []
    for name in ("clear", *PUBLISHED):
        part = data[(data["mechanism"] == name) & (data["stage"] == "truncated")]
        ends = [part[part["observed_fraction"] == end].set_index("epsilon") for end in (low, high)]
        ratio = (ends[1]["mean"] / ends[0]["mean"]).dropna()
        if len(ratio):
            values = dict.fromkeys(f"{value:.2f}" for value in (ratio.min(), ratio.max()))
            parts.append(f"{mechanism_label(name).partition(',')[0]} {' to '.join(values)}")
    return (
        f"{trials_text(data['trials']).capitalize()} a point. ARE at {100 * high:g} % over that at "
        f"{100 * low:g} %, truncated, for the ε run at both: {'; '.join(parts)}."
    )
