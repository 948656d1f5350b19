"""Tables of how the methods behave: weights, held-out errors, a variance, the thesis's methods."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    present,
    select,
    trials_text,
)
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.huber.claims.real_data import gaps_by_variance
from dpmc_studies.studies.huber.experiments import TABLES
from dpmc_studies.studies.huber.statistics import seconds_and_errors
from dpmc_studies.studies.huber.tables_rmse import label_of, mean_cell

DECLARED = DeclaredTables(__file__)
ITERATIONS = (1, 2, 3, 5, 10, 20, 50)
THESIS_LABELS = {
    "svt": "SVT (3.2)",
    "svd": "Truncated SVD (3.3.1)",
    "fast_tri": "Fast tri-factorisation (3.3.2)",
    "als": "ALS (3.4.1)",
    "als_published": "ALS, the papers’ settings (5.2)",
}
SHARES = "Weights below 1 (%)"
CHANGE = "RMSE against ALS with the same noise (%)"


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the tables of those experiments that have rows."""
    write_tables(build_method_tables(read_results(folder, TABLES)), out)


def build_method_tables(results: Mapping[str, pd.DataFrame | None]) -> list[Table]:
    """Return a table of each experiment of :data:`TABLES` that has rows."""
    makers = (weights_table, heldout_table, variances_table, methods_table)
    pairs = zip(TABLES, makers, strict=True)
    return [make(results[name]) for name, make in pairs if results[name] is not None]


def below_one(weights: pd.DataFrame, step: str) -> pd.Series:
    """Return the share of weights below 1, in %, by row; ``step`` is ``first`` or ``later``."""
    return 100 * weights[f"below_{step}"] / weights[f"weights_{step}"]


def weights_table(weights: pd.DataFrame) -> Table:
    """Return the share of weights below 1 by mechanism, and what they change with Huber noise."""
    names = present(weights["mechanism"], MECHANISM_LABELS)
    columns = [Column(name, MECHANISM_LABELS[name], SHARES) for name in names]
    columns += [Column("first", "first step", SHARES), Column("change", "Huber", CHANGE)]
    rows = []
    noisy = weights[weights["mechanism"] != "none"]
    places = ["dataset", "rank", "variance", "observed_fraction"]
    for place in noisy[places].drop_duplicates().itertuples(index=False, name=None):
        where = dict(zip(places, place, strict=True))
        parts = [
            select(
                weights, **where | ({"variance": None} if name == "none" else {}), mechanism=name
            )
            for name in names
        ]
        huber = select(weights, **where, mechanism="huber")
        cells = [_mean(below_one(part, "later")) for part in parts]
        cells.append(_mean(below_one(huber, "first"), digits=0))
        cells.append(_mean(100 * (huber["rmse_irls"] / huber["rmse_als"] - 1)))
        labels = (label_of(name, where[name]) for name in places)
        rows.append(Row(place, tuple(labels), "ours", tuple(cells)))
    is_huber = noisy["mechanism"] == "huber"
    counts, others = (
        noisy[chosen].groupby([*places, "mechanism"])["trial"].count()
        for chosen in (is_huber, ~is_huber)
    )
    return DECLARED(
        "table_weights", rows, columns, trials=trials_text(counts), others=trials_text(others)
    )


def _mean(values: pd.Series, digits: int = 2) -> Cell:
    tests = row_tests(values.to_numpy(dtype=float)[None, :])
    count = int(tests.trials[0])
    return Cell(float(tests.mean[0]), float(tests.standard_error[0]), count, digits)


def heldout_table(heldout: pd.DataFrame) -> Table:
    """Return held-out RMSE on MovieLens 100K after some iterations."""
    models = ["method", "mechanism"]
    shown = [each for each in ITERATIONS if each <= heldout["iteration"].max()]
    columns = [Column(f"iteration_{each}", f"{each}", "RMSE after iteration") for each in shown]
    columns += [Column("best", "Least after"), Column("training", "Training, last")]
    rows = []
    for model, part in heldout.groupby(models, sort=False):
        means = part.groupby("iteration")["rmse_heldout"].mean()
        cells = [
            mean_cell(part.loc[part["iteration"] == each, "rmse_heldout"], "–") for each in shown
        ]
        last = part["iteration"] == part["iteration"].max()
        cells.append(Cell(float(means.idxmin()), digits=0))
        cells.append(mean_cell(part.loc[last, "rmse_training"], "–"))
        labels = (METHOD_LABELS[model[0]], MECHANISM_LABELS[model[1]])
        rows.append(Row(model, labels, "ours", tuple(cells)))
    counts = heldout.groupby([*models, "iteration"])["trial"].count()
    return DECLARED("table_heldout", rows, columns, trials=trials_text(counts))


def variances_table(trials: pd.DataFrame) -> Table:
    """Return by how much noise of each variance raises the error of ALS on SweetRS."""
    gaps = gaps_by_variance(trials)
    rows = [Row((0.0,), ("no noise",), "ours", (mean_cell(_errors(trials, None), "–"), Cell()))]
    for variance, gap in gaps.iterrows():
        cells = (mean_cell(_errors(trials, variance), "–"), _mean(100 * gap))
        rows.append(Row((variance,), (f"{variance:g}",), "ours", cells))
    share = label_of("observed_fraction", trials["observed_fraction"].iloc[0])
    return DECLARED(
        "table_sweetrs_variances", rows, share=share, trials=trials_text([gaps.shape[1]])
    )


def _errors(trials: pd.DataFrame, variance: float | None) -> pd.Series:
    return select(trials, variance=variance)["rmse_heldout"]


def methods_table(runs: pd.DataFrame) -> Table:
    """Return error and seconds of the methods of the thesis's chapter 3."""
    measured = seconds_and_errors(runs)
    digits = {"seconds": 3, "total": 3, "step": 4}
    keys = [column.key for column in DECLARED.columns("table_thesis_methods")]
    rows = [
        Row((name,), (THESIS_LABELS[name],), "ours",
            tuple(_mean(measured[key][name], digits.get(key, 4)) for key in keys))
        for name in measured["rmse"]
    ]  # fmt: skip
    return DECLARED("table_thesis_methods", rows, trials=trials_text([len(measured["rmse"])]))
