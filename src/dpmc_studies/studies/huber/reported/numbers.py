"""The numbers that the papers print, in one tidy table with the coordinates of our cells."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.studies.huber.cells import COORDINATES, Cell

PUBLISHED_COLUMNS = ("table", *COORDINATES, "metric", "published", "decimals")
IRLS_ITERATIONS = 20  # where the paper only says "IRLS"
REAL_RANK = 32
FOLDER = Path(__file__).parent


def load(
    folder: str | Path = FOLDER, *, real_variances: Mapping[str, float] = MappingProxyType({})
) -> pd.DataFrame:
    """Load the published numbers of the Huber mechanism paper, one row per reported number.

    ``real_variances`` maps a real data set to the noise variance of our runs (default 1), because
    the paper does not state its own. The columns are :data:`PUBLISHED_COLUMNS`; budgets also have
    ``sensitivity`` and ``delta``. A noiseless number on synthetic data keeps the variance of the
    block of the table that contains it; on real data it has no variance. For budgets, only the
    variance and the mechanism are filled.
    """
    files = {
        "huber_synthetic.csv": "rmse",
        "huber_real.csv": "rmse",
        "huber_budgets.csv": "epsilon",
    }
    synthetic, real, budgets = (_read(Path(folder) / name, files[name]) for name in files)
    synthetic = synthetic.assign(dataset=SYNTHETIC, metric="rmse_all")
    synthetic["irls_iterations"] = float("nan")
    real = real.rename(columns={"visible_fraction": "observed_fraction"})
    real = real.assign(rank=REAL_RANK, metric="rmse_heldout")
    variance = [float(real_variances.get(dataset, 1.0)) for dataset in real["dataset"]]
    real["variance"] = pd.Series(variance).where(real["mechanism"] != "none")
    tables = pd.concat([synthetic, real], ignore_index=True)
    unstated = (tables["method"] == "irls") & tables["irls_iterations"].isna()
    tables.loc[unstated, "irls_iterations"] = IRLS_ITERATIONS
    tables = pd.concat([tables, budgets.assign(metric="epsilon")], ignore_index=True)
    numeric = ["rank", "variance", "observed_fraction", "irls_iterations"]
    tables[numeric] = tables[numeric].astype(float)
    return tables[[*PUBLISHED_COLUMNS, "sensitivity", "delta"]]


def cells_of(table: pd.DataFrame) -> list[Cell]:
    """Return the cell of each row of a table with the coordinate columns; blank becomes None."""

    def value(column: str, cell: object) -> object:
        if column in ("rank", "irls_iterations"):
            return int(cell)
        return round(float(cell), 9) if column in ("variance", "observed_fraction") else str(cell)

    columns = []
    for name in COORDINATES:
        codes, found = pd.factorize(table[name])
        values = [*(value(name, cell) for cell in found), None]  # the last one, -1, is of blanks
        columns.append([values[code] for code in codes])
    return [Cell(*coordinates) for coordinates in zip(*columns, strict=True)]


def as_run(cell: Cell) -> Cell:
    """Return the cell as we run it: without noise it has no variance.

    The papers print their noiseless columns once per variance, with different values.
    """
    return replace(cell, variance=None) if cell.mechanism == "none" else cell


def _read(path: Path, value: str) -> pd.DataFrame:
    table = pd.read_csv(path, dtype={value: str})
    printed = table.pop(value)
    decimals = printed.str.partition(".")[2].str.len()
    return table.assign(published=printed.astype(float), decimals=decimals)
