"""Figures of errors: ARE on synthetic data, right test signs on real data."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import number, present, split
from dpmc_studies.frame.showing.panels import (
    ABOVE,
    Axis,
    Curve,
    Level,
    Panel,
    curves,
    draw_panels,
    handle,
    hollow,
    levels,
)
from dpmc_studies.frame.showing.style import BLACK, Drawing, Look, NothingToDraw, shaded
from dpmc_studies.studies.onebit.cells import CLEAR
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    DATASETS,
    FREE,
    ITEM_BIAS,
    LINKS,
    LOOKS,
    OTHERS,
    PUBLISHED,
    dataset_label,
    is_real,
    link_label,
    main_constraint,
    main_rows,
    mechanism_label,
    summary,
)

STAGES = {"truncated": "truncated to rank r", "raw": "raw"}
EPSILON = Axis("Claimed ε (of the value of one sign)", margin=0.45, whole=True)
ARE = Axis("ARE = ‖X − M‖² / ‖M‖²", log=True)
DODGE, WIDE_DODGE = 0.08, 0.15  # of epsilon, between two curves; where intervals are long
DOT = Look(BLACK, "o")
STAGE_HANDLES = [handle(STAGES["truncated"], DOT), handle(STAGES["raw"], hollow(DOT))]
HEADROOM = 1.3  # above the highest mean of the paper's mechanisms
SHOWN = 6  # budgets at most
WITHOUT = ("clear", "zero")  # that are drawn without noise
ON_REAL_DATA = (*PUBLISHED, ITEM_BIAS, *(name for name in FREE if name != "zero"))


def label(name: str, link: str | None = None) -> str:
    """Return the name of a mechanism in a legend."""
    return mechanism_label(name, link) + (", no noise" if name in FREE and name != "zero" else "")


def staged(look: Look, stage: str) -> Look:
    """Return the look of truncated outputs (solid and filled) or of raw ones (dashed, hollow)."""
    return hollow(look) if stage == "raw" else look


def by_stage(trials: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the summary of truncated outputs and of raw ones, by ``stage``."""
    tables = [summary(trials, f"{metric}_{stage}").assign(stage=stage) for stage in STAGES]
    return pd.concat(tables, ignore_index=True)


def over_epsilon(part: pd.DataFrame, stage: str, link: str | None = None) -> list[Curve]:
    """Return the curves of mechanisms against epsilon, one for each in the order of looks."""
    private = part[part["epsilon"].notna()]
    looks = {name: staged(look, stage) for name, look in LOOKS.items()}
    return curves(private, "mechanism", "epsilon", looks, lambda name: label(name, link))


def without_noise(part: pd.DataFrame, link: str | None = None) -> list[Level]:
    """Return the lines of what has no noise."""
    free = part[part["mechanism"].isin(FREE)]
    return levels(free, "mechanism", LOOKS, lambda name: label(name, link))


def by_budget(trials: pd.DataFrame, dataset: str, links: Sequence[str]) -> Drawing:
    """Draw ARE against epsilon, truncated outputs above and raw ones below.

    With one link the paper's mechanisms and others stand apart, with two there is a column each.
    """
    here = main_rows(trials, dataset)
    here = here[here["link"].isin(links)]
    if here["epsilon"].isna().all():
        raise NothingToDraw
    columns = {
        each.capitalize(): (each, [*PUBLISHED, *OTHERS]) for each in present(here["link"], links)
    }
    link = links[0] if len(links) == 1 else None
    if link is not None:
        columns = {"The paper’s four": (link, PUBLISHED), "Beyond the paper": (link, OTHERS)}
    data, panels = by_stage(here, "are"), []
    for stage, table in split(data, stage=STAGES):
        known = table.loc[table["mechanism"].isin([*PUBLISHED, *FREE]), "mean"]
        far = table.groupby("mechanism")["mean"].transform("max") > HEADROOM * known.max()
        for name, (of_link, mechanisms) in columns.items():
            chosen = (table["link"] == of_link) & table["mechanism"].isin([*mechanisms, *FREE])
            panels.append(
                Panel(
                    f"{name}: {STAGES[stage]}",
                    x=EPSILON,
                    y=ARE,
                    curves=over_epsilon(table[chosen & ~far], stage, link),
                    levels=without_noise(table[chosen & ~far], link),
                    dodge=DODGE,
                    notes=named_above(table[chosen & far]),
                    notes_at=ABOVE,
                )
            )
    style = {"columns": len(columns), "height": 2.25, "sharex": True, "sharey": "row"}
    style |= {"handles": STAGE_HANDLES, "order": [label(name, link) for name in LOOKS]}
    return draw_panels(panels, data, legend={"ncols": 4}, **style)


def named_above(part: pd.DataFrame) -> list[str]:
    """Return notes on the mechanisms that lie above a panel, with their means."""
    found = []
    for name, here in split(part, mechanism=LOOKS):
        ends = dict.fromkeys(number(end, 2) for end in (here["mean"].max(), here["mean"].min()))
        found.append(f"{mechanism_label(name)}: {' to '.join(ends)} (above)")
    return found


def by_fraction(trials: pd.DataFrame, link: str) -> Drawing:
    """Draw ARE against the observed fraction with a link."""
    here = trials[(trials["dataset"] == BENCHMARK) & (trials["link"] == link)]
    if here["observed_fraction"].nunique() < 2:
        raise NothingToDraw
    here = here[here["constraint"] == main_constraint(trials, BENCHMARK)]
    names = [name for name in PUBLISHED if (here["mechanism"] == name).any()]
    budgets = shaded(shown_budgets(here["epsilon"].dropna().unique()))
    data = by_stage(here[here["mechanism"].isin([*names, *WITHOUT])], "are")
    panels = []
    for stage, part in split(data, stage=STAGES):
        table = part.assign(percent=100 * part["observed_fraction"])
        shades = {budget: staged(look, stage) for budget, look in budgets.items()}
        private = table[table["epsilon"].isin(list(budgets))]
        free = table[table["mechanism"].isin(WITHOUT)]
        panels += [
            Panel(
                f"{mechanism_label(name).partition(',')[0]}, {stage}",
                x=Axis("Observed fraction of the entries (%)"),
                y=ARE,
                curves=[
                    *curves(
                        private[private["mechanism"] == name],
                        "epsilon",
                        "percent",
                        shades,
                        "ε = {:g}".format,
                    ),
                    *curves(free, "mechanism", "percent", LOOKS, label),
                ],
            )
            for name in names
        ]
    style = {"columns": len(names), "height": 1.9, "sharex": True, "sharey": "row"}
    return draw_panels(panels, data, legend={"ncols": 6}, handles=STAGE_HANDLES, **style)


def shown_budgets(values) -> list[float]:
    """Choose at most :data:`SHOWN` budgets, evenly on the logarithmic scale, with both ends."""
    values = np.sort(np.asarray(values, dtype=float))
    if values.size <= SHOWN:
        return values.tolist()
    wanted = np.linspace(np.log(values[0]), np.log(values[-1]), SHOWN)
    nearest = np.abs(np.log(values)[:, None] - wanted).argmin(axis=0)
    return values[np.unique(nearest)].tolist()


def accuracy(trials: pd.DataFrame) -> Drawing:
    """Draw accuracy against epsilon, a row for each data set and link, a column for each stage."""
    real = trials[trials["dataset"].map(is_real)]
    if real.empty:
        raise NothingToDraw
    here = pd.concat([main_rows(real, name) for name in real["dataset"].unique()])
    table = by_stage(here[here["mechanism"].isin(ON_REAL_DATA)], "accuracy")
    percent = table.assign(**{name: 100 * table[name] for name in ("mean", "low", "high")})
    # truncation changes Clear, and the baselines not at all
    same = (percent["mechanism"] != CLEAR) & (percent["stage"] == "raw")
    panels = []
    for dataset, link, part in split(percent, dataset=DATASETS, link=LINKS):
        for stage in STAGES:
            here = part["stage"] == stage
            panels.append(
                Panel(
                    f"{dataset_label(dataset)}, {link_label(link)}, {stage}",
                    x=EPSILON,
                    y=Axis("Right test signs (%)"),
                    curves=over_epsilon(part[here], stage),
                    levels=without_noise(
                        part[same[part.index] | here & (part["mechanism"] == CLEAR)]
                    ),
                    dodge=WIDE_DODGE,
                )
            )
    style = {"columns": 2, "height": 1.8, "sharex": True, "sharey": "row"}
    order = [label(name) for name in LOOKS]
    return draw_panels(panels, table, legend={"ncols": 4}, order=order, **style)
