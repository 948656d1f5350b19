"""Every figure of the study, as ``figures.yaml`` declares it."""

import pandas as pd

from dpmc_studies.frame.showing.frames import best_at_ends, listed, split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels, levels
from dpmc_studies.frame.showing.style import (
    Drawing,
    NothingToDraw,
    drawing_step,
    read_figures,
)
from dpmc_studies.studies.which_model.cells import TUNED
from dpmc_studies.studies.which_model.frames import (
    DATASETS,
    LOOKS,
    MEASURES,
    METHODS,
    RANKED,
    RANKED_LOOKS,
    dataset_label,
    list_means,
    method_label,
    of_variants,
    summary,
)


def epsilons(table: pd.DataFrame) -> Axis:
    """Return the axis of epsilon, labelled where there are points."""
    ticks = table["epsilon"].unique()
    return Axis("ε of one user, all ratings", log=True, ticks=ticks, margin=1.25)


def errors(trials: pd.DataFrame | None) -> Drawing:
    """Draw Local Bayes beside the others at settings that we searched."""
    rows = of_variants(trials, (TUNED,))
    if rows.empty:
        raise NothingToDraw
    table = summary(rows)
    panels = [
        Panel(
            dataset_label(name),
            x=epsilons(here),
            y=Axis("RMSE", log=True, reach=0.6),
            curves=curves(here, "method", "epsilon", LOOKS, method_label),
            dodge=0.025,
        )
        for name, here in split(table, dataset=DATASETS)
    ]
    return draw_panels(panels, table, height=2.6, order=list(METHODS.values()))


def describe_errors(data: pd.DataFrame) -> dict[str, str]:
    """Say which method is best at the ends of epsilon."""
    best = (
        (f"{dataset_label(name)}:", best_at_ends(here, method_label))
        for name, here in split(data, dataset=DATASETS)
    )
    return {"best": listed(best)}


def ranking(ranking: pd.DataFrame | None) -> Drawing:
    """Draw recall and NDCG against epsilon, with what is reached without privacy as lines."""
    if ranking is None or ranking.empty:
        raise NothingToDraw
    measures = {name: MEASURES[name] for name in ("recall", "ndcg")}
    table = pd.concat([list_means(ranking, name).assign(measure=name) for name in measures])
    panels = []
    for dataset, measure, here in split(table, dataset=DATASETS, measure=measures):
        free = here["epsilon"].isna()
        panels.append(
            Panel(
                dataset_label(dataset),
                x=epsilons(here[~free]),
                y=Axis(measures[measure]),
                curves=curves(here[~free], "method", "epsilon", RANKED_LOOKS, RANKED.get),
                levels=levels(here[free], "method", RANKED_LOOKS, RANKED.get),
                dodge=0.025,
            )
        )
    return draw_panels(
        panels, table, columns=2, height=2.2, legend={"ncols": 2}, order=[*RANKED.values()]
    )


FIGURES = read_figures(__name__)
run = drawing_step(FIGURES)
