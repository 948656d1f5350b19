"""Figures on synthetic data: ARE against epsilon, and against the observed fraction."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import present, split
from dpmc_studies.frame.showing.panels import ABOVE, Axis, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import Drawing, Look, NothingToDraw, shaded
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.studies.onebit.figures import lines
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    FREE,
    LOOKS,
    OTHERS,
    PUBLISHED,
    main_constraint,
    main_rows,
)

ARE = "ARE = ‖X − M‖² / ‖M‖²"
HEADROOM = 1.3  # above the highest mean of the paper's mechanisms
SHOWN = 6  # budgets at most
WITHOUT = ("clear", "zero")  # that are drawn without noise


def by_budget(trials: pd.DataFrame, dataset: str, links: Sequence[str]) -> Drawing:
    """Draw ARE against epsilon, truncated outputs above and raw ones below.

    With one link the paper's mechanisms and others stand apart, with two there is a column each.
    """
    here = main_rows(trials, dataset)
    here = here[here["link"].isin(links)]
    if here["epsilon"].isna().all():
        raise NothingToDraw
    both = present(here["link"], links)
    columns = {link.capitalize(): (link, [*PUBLISHED, *OTHERS]) for link in both}
    link = links[0] if len(links) == 1 else None
    if link is not None:
        columns = {"The paper’s four": (link, PUBLISHED), "Beyond the paper": (link, OTHERS)}
    data, panels = lines.by_stage(here, "are"), []
    for stage, table in split(data, stage=lines.STAGES):
        known = table.loc[table["mechanism"].isin([*PUBLISHED, *FREE]), "mean"]
        far = table.groupby("mechanism")["mean"].transform("max") > HEADROOM * known.max()
        for name, (of_link, mechanisms) in columns.items():
            chosen = (table["link"] == of_link) & table["mechanism"].isin([*mechanisms, *FREE])
            panels.append(
                Panel(
                    f"{name}: {lines.STAGES[stage]}",
                    x=lines.EPSILON,
                    y=Axis(ARE, log=True),
                    curves=lines.over_epsilon(table[chosen & ~far], stage, link),
                    levels=lines.without_noise(table[chosen & ~far], link),
                    dodge=lines.DODGE,
                    notes=lines.named_above(table[chosen & far]),
                    notes_at=ABOVE,
                )
            )
    style = {"columns": len(columns), "height": 2.25, "sharex": True, "sharey": "row"}
    style |= {"handles": lines.STAGE_HANDLES, "order": [lines.label(name, link) for name in LOOKS]}
    return draw_panels(panels, data, legend={"ncols": 4}, **style)


def by_fraction(trials: pd.DataFrame, link: str) -> Drawing:
    """Draw ARE against the observed fraction with a link."""
    here = trials[(trials["dataset"] == BENCHMARK) & (trials["link"] == link)]
    if here["observed_fraction"].nunique() < 2:
        raise NothingToDraw
    here = here[here["constraint"] == main_constraint(trials, BENCHMARK)]
    names = [name for name in PUBLISHED if (here["mechanism"] == name).any()]
    budgets = shaded(shown_budgets(here["epsilon"].dropna().unique()))
    data = lines.by_stage(here[here["mechanism"].isin([*names, *WITHOUT])], "are")
    panels = [
        _fraction_panel(name, stage, table, budgets)
        for stage, table in split(data, stage=lines.STAGES)
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
            *curves(of_budgets, "epsilon", "percent", shades, "ε = {:g}".format),
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
