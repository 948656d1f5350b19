"""Local Bayes, which takes no settings, against the others, each at settings that we searched.

It is what `dpmc fit` uses by default where users are protected.
"""

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.table_model import Cell, Column, Row, Table
from dpmc.studies.dpals.claims.own import CAVEAT
from dpmc.studies.dpals.comparisons import of_local_bayes
from dpmc.studies.dpals.frames import (
    DATASETS,
    METHODS,
    dataset_label,
    method_label,
    summary,
    tuned,
)
from dpmc.studies.dpals.tables_parts import error_cell

RATIO = "ratio"


def default_table(trials: pd.DataFrame) -> Table:
    """Return errors by data, epsilon and method, and those of Local Bayes over the best."""
    here = tuned(trials)
    means = summary(here, "rmse").set_index(["dataset", "method", "epsilon"])
    best = {place: pair.differences for place, pair in of_local_bayes(trials).items()}
    budgets = sorted(here["epsilon"].unique())
    columns = tuple(
        Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets
    )
    rows = []
    for dataset in present(here["dataset"], DATASETS):
        for method in present(here["method"], METHODS):
            cells = []
            for epsilon in budgets:
                if (dataset, method, epsilon) in means.index:
                    at = means.loc[(dataset, method, epsilon)]
                    cells.append(error_cell(at["mean"], at["standard_error"], int(at["trials"])))
                else:
                    cells.append(Cell())
            labels = (dataset_label(dataset), method_label(method))
            rows.append(Row((dataset, method), labels, "ours", tuple(cells)))
        over = {
            epsilon: np.exp(np.nanmean(values))
            for (name, epsilon), values in best.items()
            if name == dataset
        }
        if over:
            cells = [error_cell(over.get(epsilon, np.nan)) for epsilon in budgets]
            labels = (dataset_label(dataset), "Local Bayes over the best other")
            rows.append(Row((dataset, RATIO), labels, "ours", tuple(cells)))
    notes = (
        f"Mean RMSE and standard error over {trials_text(summary(here, 'rmse')['trials'])}, on the "
        "same splits; ratios are geometric means. Of drawn data the test entries have no noise. "
        "All but Local Bayes have settings that we searched for each data set and ε, for which no "
        f"budget pays. {CAVEAT}",
    )
    return Table(
        "table_dpals_9_default",
        "RMSE of the default of dpmc fit and of the others, each at settings that we searched",
        (("dataset", "Data"), ("method", "Method")), columns, tuple(rows), notes,
    )  # fmt: skip
