"""Tables of the study: errors of the default and of the others."""

from collections.abc import Iterator, Mapping, Sequence
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
from dpmc_studies.statistics.paired import Pair
from dpmc_studies.studies.which_model.cells import LOCAL_BAYES, TUNED
from dpmc_studies.studies.which_model.frames import (
    CAVEAT,
    DATASETS,
    MEASURES,
    METHODS,
    NAMES,
    RANKED,
    dataset_label,
    list_means,
    method_label,
    of_opponents,
    of_posterior,
    of_tuned,
    of_variants,
    over,
    summary,
)
from dpmc_studies.studies.which_model.variants import FEATURES, FORMS, SEARCHED

DECLARED = DeclaredTables(__file__)
OURS = "ours"


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Write the tables of the study as .csv, .md, .tex and .html into ``folder``."""
    write_tables(build_tables(read_results(results_folder, NAMES)), folder)


def build_tables(results: Results) -> list[Table]:
    """Return the tables that :func:`run` writes, in the order of the page; what lacks is left out.

    ``results`` has the frames of :data:`NAMES`.
    """
    trials = results["trials"]
    compared, features, forms = (
        of_variants(trials, variants) for variants in ((TUNED,), FEATURES, FORMS)
    )
    best = of_opponents(trials)
    return [
        *([errors_table(compared)] if len(compared) else []),
        *([features_table(features)] if len(features) else []),
        *([forms_table(forms)] if len(forms) else []),
        *([opponents_table(trials, best)] if best else []),
        *([ranking_table(results["ranking"])] if results["ranking"] is not None else []),
    ]


def columns_of(budgets: Sequence[float | None]) -> tuple[Column, ...]:
    """Return a column for each epsilon; None is without privacy."""
    return tuple(
        Column("no_privacy", "no privacy")
        if value is None
        else Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user")
        for value in budgets
    )


def methods_of(dataset: str, means: pd.DataFrame, budgets: Sequence[float]) -> Iterator[Row]:
    """Yield a row of means for each method on a data set."""
    for method in present(means["method"], METHODS):
        here = select(means, dataset=dataset, method=method)
        labels = (dataset_label(dataset), method_label(method))
        yield mean_row(here, "epsilon", budgets, (dataset, method), labels)


def ratios(
    dataset: str, pairs: Mapping[tuple, Pair], budgets: Sequence[float], key: str, label: str
) -> Row:
    """Return the row of Local Bayes over the best of others."""
    cells = [
        Cell(float(np.exp(np.nanmean(pairs[dataset, epsilon].differences))), digits=3)
        if (dataset, epsilon) in pairs
        else Cell()
        for epsilon in budgets
    ]
    return Row((dataset, key), (dataset_label(dataset), label), OURS, tuple(cells))


BEST = ("ratio", "Local Bayes over the best other")


def errors_table(rows: pd.DataFrame) -> Table:
    """Return errors by data, epsilon and method, and those of Local Bayes over the best."""
    found, best = summary(rows), of_tuned(rows)
    budgets = sorted(rows["epsilon"].unique())
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        lines += methods_of(dataset, found, budgets)
        if any(name == dataset for name, _ in best):
            lines.append(ratios(dataset, best, budgets, *BEST))
    trials = trials_text(found["trials"])
    return DECLARED(
        "table_models_1_errors", lines, columns_of(budgets), trials=trials, caveat=CAVEAT
    )


def features_table(rows: pd.DataFrame) -> Table:
    """Return errors with, without and with shuffled features, and of other methods with them."""
    is_ours = rows["method"] == LOCAL_BAYES
    ours, others = summary(rows[is_ours]), summary(rows[~is_ours])
    budgets = sorted(rows.loc[is_ours, "epsilon"].unique())
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        named = [
            (select(ours, dataset=dataset, variant=variant), variant, LOCAL_BAYES, label)
            for variant, label in FEATURES.items()
        ]
        here = select(others, dataset=dataset)
        named += [
            (select(here, method=each), each, each, "with features")
            for each in present(here["method"], METHODS)
        ]
        for means, key, method, label in named:
            labels = (dataset_label(dataset), f"{method_label(method)}, {label}")
            lines.append(mean_row(means, "epsilon", budgets, (dataset, key), labels))
    trials = trials_text(ours["trials"])
    return DECLARED("table_models_2_features", lines, columns_of(budgets), trials=trials)


def forms_table(rows: pd.DataFrame) -> Table:
    """Return the error of each form of Local Bayes over that of the whole method."""
    errors = over(rows, "whole")
    found = errors.set_index(["dataset", "variant", "epsilon"])
    budgets = sorted(rows["epsilon"].unique())
    lines = []
    for form in present(errors["variant"], FORMS):
        for dataset in present(errors["dataset"], DATASETS):
            places = [(dataset, form, epsilon) for epsilon in budgets]
            cells = [
                Cell(found.loc[place, "mean"], digits=3) if place in found.index else Cell()
                for place in places
            ]
            labels = (FORMS[form], dataset_label(dataset))
            lines.append(Row((form, dataset), labels, OURS, tuple(cells)))
    trials = trials_text(errors["trials"])
    return DECLARED("table_models_3_parts", lines, columns_of(budgets), trials=trials)


def opponents_table(trials: pd.DataFrame, best: Mapping[tuple, Pair]) -> Table:
    """Return the errors of all methods at the better of two searches, and what is best of them.

    Below them Local Bayes over the best, as they are and with its offsets and posterior.
    """
    budgets = sorted({epsilon for _, epsilon in best})
    rows = of_variants(trials, (SEARCHED, TUNED))
    found = summary(rows[rows["epsilon"].isin(budgets)]).sort_values("mean", kind="stable")
    means = found.drop_duplicates(["dataset", "method", "epsilon"])
    lines = []
    for dataset in present(rows["dataset"], DATASETS):
        lines += methods_of(dataset, means, budgets)
        lines.append(ratios(dataset, best, budgets, *BEST))
        label = "over the best other with its predictor"
        lines.append(ratios(dataset, of_posterior(trials), budgets, "posterior", label))
    trials_of_all = trials_text(found["trials"])
    return DECLARED("table_models_4_opponents", lines, columns_of(budgets), trials=trials_of_all)


def ranking_table(rows: pd.DataFrame) -> Table:
    """Return recall, NDCG and RMSE by data, model and epsilon; without privacy in the last column.

    RMSE is that of predicted ratings alone.
    """
    budgets = [*sorted(rows["epsilon"].dropna().unique()), None]
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
        columns_of(budgets),
        trials=trials_text(list_means(rows, "recall")["trials"]),
        without=told or "none",
    )
