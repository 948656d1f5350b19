"""Figures of ARE against epsilon: figures 1 and 2 of the paper, and the larger instance."""

from collections.abc import Mapping, Sequence

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import ABOVE, Axis, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, NothingToDraw, needed
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
    main_rows,
)

ARE = "ARE = ‖X − M‖² / ‖M‖²"
HEADROOM = 1.3  # above the highest mean of the paper's mechanisms


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
