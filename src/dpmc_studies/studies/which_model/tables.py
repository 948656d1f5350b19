"""Tables of the study: errors of the default and of the others."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, select, trials_text
from dpmc_studies.frame.showing.results import (
    Results,
    mean_cell,
    mean_row,
    read_results,
    write_tables,
)
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES, TUNED
from dpmc_studies.studies.which_model.frames import (
    CAVEAT,
    DATASETS,
    FEATURES,
    FORMS,
    MEASURES,
    METHODS,
    NAMES,
    RANKED,
    dataset_label,
    list_means,
    method_label,
    of_forms,
    of_local_bayes,
    of_opponents,
    of_posterior,
    of_variants,
    others_with_features,
    over,
    summary,
    tuned,
    with_features,
)
from dpmc_studies.studies.which_model.variants import SEARCHED

DECLARED = DeclaredTables(__file__)
RATIO = "ratio"
OURS = "ours"


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Write the tables of the study as .csv, .md, .tex and .html into ``folder``."""
    write_tables(build_tables(read_results(results_folder, NAMES)), folder)


def build_tables(results: Results) -> list[Table]:
    """Return the tables that :func:`run` writes, in the order of the page; what lacks is left out.

    ``results`` has the frames of :data:`NAMES`.
    """
    trials = results["trials"]
    compared, features, forms = tuned(trials), with_features(trials), of_forms(trials)
    others = others_with_features(trials)
    return [
        *([errors_table(compared)] if len(compared) else []),
        *([features_table(features, results["popularity"], others)] if len(features) else []),
        *([forms_table(forms)] if len(forms) else []),
        *([opponents_table(trials)] if of_opponents(trials) else []),
        *([ranking_table(results["ranking"])] if results["ranking"] is not None else []),
    ]


def errors_table(rows: pd.DataFrame) -> Table:
    """Return errors by data, epsilon and method, and those of Local Bayes over the best."""
    found = summary(rows)
    best = {place: pair.differences for place, pair in of_local_bayes(rows).items()}
    budgets = sorted(rows["epsilon"].unique())
    columns = tuple(
        Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets
    )
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        for method in present(rows["method"], METHODS):
            here = select(found, dataset=dataset, method=method)
            labels = (dataset_label(dataset), method_label(method))
            lines.append(mean_row(here, "epsilon", budgets, (dataset, method), labels))
        over = {
            epsilon: Cell(float(np.exp(np.nanmean(values))), digits=3)
            for (name, epsilon), values in best.items()
            if name == dataset
        }
        if over:
            cells = tuple(over.get(epsilon, Cell()) for epsilon in budgets)
            labels = (dataset_label(dataset), "Local Bayes over the best other")
            lines.append(Row((dataset, RATIO), labels, OURS, cells))
    return DECLARED(
        "table_models_1_errors", lines, columns, trials=trials_text(found["trials"]), caveat=CAVEAT
    )


def features_table(
    rows: pd.DataFrame, popularity: pd.DataFrame | None, others: pd.DataFrame
) -> Table:
    """Return errors with, without and with shuffled features, of all items and by popularity.

    Below them those of other methods with features.
    """
    budgets = sorted(rows["epsilon"].unique())
    columns = tuple(
        Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets
    )
    parts = {"all items": rows}
    for fifth in range(1, 6) if popularity is not None else ():
        here = popularity[popularity["fifth"] == fifth]
        name = {1: "fifth 1, rarest", 5: "fifth 5, most rated"}.get(fifth, f"fifth {fifth}")
        parts |= {name: here} if len(here) else {}
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        for name, part in parts.items():
            means = summary(part)
            for variant, label in FEATURES.items():
                here = select(means, dataset=dataset, variant=variant)
                labels = (dataset_label(dataset), name, f"{method_label(LOCAL_BAYES)}, {label}")
                lines.append(mean_row(here, "epsilon", budgets, (dataset, name, variant), labels))
        here = others[others["dataset"] == dataset] if len(others) else others
        means = summary(here) if len(here) else None
        for method in present(here["method"], METHODS) if len(here) else ():
            keys = dataset, "all items", method
            labels = (dataset_label(dataset), "all items", f"{method_label(method)}, with features")
            lines.append(mean_row(select(means, method=method), "epsilon", budgets, keys, labels))
    return DECLARED(
        "table_models_2_features", lines, columns, trials=trials_text(summary(rows)["trials"])
    )


def forms_table(rows: pd.DataFrame) -> Table:
    """Return the error of each form of Local Bayes over that of the whole method."""
    ratios = over(rows, "whole")
    found = ratios.set_index(["dataset", "variant", "epsilon"])
    budgets = sorted(rows["epsilon"].unique())
    columns = tuple(
        Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets
    )
    lines = []
    for form in present(ratios["variant"], FORMS):
        for dataset in present(ratios["dataset"], DATASETS):
            places = [(dataset, form, epsilon) for epsilon in budgets]
            cells = [
                Cell(found.loc[place, "mean"], digits=3) if place in found.index else Cell()
                for place in places
            ]
            labels = (FORMS[form], dataset_label(dataset))
            lines.append(Row((form, dataset), labels, OURS, tuple(cells)))
    return DECLARED("table_models_3_parts", lines, columns, trials=trials_text(ratios["trials"]))


def opponents_table(trials: pd.DataFrame) -> Table:
    """Return the errors of all methods at the better of two searches, and what is best of them.

    Below them the best with Local Bayes' offsets and posterior, and Local Bayes itself.
    """
    best, posterior = of_opponents(trials), of_posterior(trials)
    budgets = sorted({epsilon for _, epsilon in best})
    columns = tuple(
        Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets
    )
    rows = of_variants(trials, (SEARCHED, TUNED))
    found = summary(rows[rows["epsilon"].isin(budgets)]).sort_values("mean", kind="stable")
    means = found.drop_duplicates(["dataset", "method", "epsilon"])
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        for method in present(rows["method"], METHODS):
            here = select(means, dataset=dataset, method=method)
            labels = (dataset_label(dataset), method_label(method))
            lines.append(mean_row(here, "epsilon", budgets, (dataset, method), labels))
        for key, label, pairs in (
            (RATIO, "Local Bayes over the best other", best),
            ("posterior", "over the best other with its predictor", posterior),
        ):
            cells = [
                Cell(float(np.exp(np.nanmean(pairs[dataset, epsilon].differences))), digits=3)
                if (dataset, epsilon) in pairs
                else Cell()
                for epsilon in budgets
            ]
            lines.append(Row((dataset, key), (dataset_label(dataset), label), OURS, tuple(cells)))
    return DECLARED("table_models_4_opponents", lines, columns, trials=trials_text(found["trials"]))


def ranking_table(rows: pd.DataFrame) -> Table:
    """Return recall, NDCG and RMSE by data, model and epsilon; without privacy in the last column.

    RMSE is that of predicted ratings alone.
    """
    budgets = [*sorted(rows["epsilon"].dropna().unique()), None]
    columns = tuple(
        Column("no_privacy", "no privacy")
        if value is None
        else Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user")
        for value in budgets
    )
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        for measure, named in MEASURES.items():
            found = list_means(rows[rows["dataset"] == dataset], measure)
            free = found[found["epsilon"].isna()].set_index("method")
            means = found.set_index(["method", "epsilon"])
            for method in present(found["method"], RANKED):
                cells = [
                    mean_cell(free, method) if value is None else mean_cell(means, (method, value))
                    for value in budgets
                ]
                labels = (
                    dataset_label(dataset),
                    named,
                    RANKED[method].removesuffix(", no privacy"),
                )
                lines.append(Row((dataset, measure, method), labels, OURS, tuple(cells)))
    back = rows[(rows["fell_back"] > 0) & (rows["method"] == "local_ease")]
    told = ", ".join(
        f"{dataset_label(dataset)}, ε = {epsilon:g}: {len(here)}"
        for (dataset, epsilon), here in back.groupby(["dataset", "epsilon"])
    )
    return DECLARED(
        "table_models_5_ranking",
        lines,
        columns,
        trials=trials_text(list_means(rows, "recall")["trials"]),
        without=told or "none",
    )
