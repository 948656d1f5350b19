# Validation, runs, wildcard constraints and named input functions.
import os
import sys

import pandas as pd
from snakemake.utils import Paramspace

from dpmc import configuration, plugins
from dpmc.errors import InputError
from dpmc.experiments.cells import SYNTHETIC, huber_cells, spell
from dpmc.experiments.digest import code_digest

# one thread inside a job: parallelism is Snakemake's
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"


def resolved_runs():
    """Folder -> configuration of each run of the Huber experiments, all of them checked."""
    schema = HOME / "workflow" / "schemas" / "config.schema.yaml"
    quick = configuration.merge(
        config, configuration.load(HOME / "config" / "quick.yaml")
    )
    runs = {
        "results/huber": configuration.checked(config, schema),
        "results/quick/huber": configuration.checked(quick, schema),
    }
    plugins.load(runs["results/huber"]["huber"]["plugins"])
    configuration.check_grid(runs["results/huber"])
    second = runs["results/huber"]["huber"]["replication_seed"]
    if second is not None:
        runs["results/huber/replication"] = configuration.merge(
            runs["results/huber"], {"huber": {"seed": second}}
        )
    return runs


try:
    RUNS = resolved_runs()
except InputError as error:
    sys.exit(f"dpmc: {error}")

MAIN = RUNS["results/huber"]
PLUGINS = MAIN["huber"]["plugins"]
CELLS = {run: huber_cells(settings["huber"]) for run, settings in RUNS.items()}
space = Paramspace(
    pd.DataFrame(
        [
            cell.spelled()
            for cell in dict.fromkeys(cell for cells in CELLS.values() for cell in cells)
        ]
    ),
    filename_params=["solver", "mechanism", "variance", "irls_iterations"],
)
BY_NAME = {tuple(cell.spelled().values()): cell for cells in CELLS.values() for cell in cells}


wildcard_constraints:
    run="|".join(sorted(RUNS, key=len, reverse=True)),
    top="results|results/quick",
    dataset="[A-Za-z0-9][A-Za-z0-9_.-]*",
    rank="[0-9]+",
    observed_fraction="[0-9.]+",
    variance="[0-9.]+|none",
    irls_iterations="[0-9]+|none",
    solver="[A-Za-z0-9_]+",
    mechanism="[A-Za-z0-9_]+",


def cell_of(wildcards):
    return BY_NAME[tuple(wildcards[name] for name in cell_columns())]


def cell_columns():
    return list(space.dataframe.columns)


def cell_file(run, cell):
    return f"{run}/cells/" + space.wildcard_pattern.format(**cell.spelled()) + ".csv"


def cell_files(wildcards):
    return [cell_file(wildcards.run, cell) for cell in CELLS[wildcards.run]]


def cell_settings(wildcards):
    return configuration.cell_settings(RUNS[wildcards.run]["huber"], cell_of(wildcards))


def cell_code(wildcards):
    return code_digest(plugins.cell_modules(cell_of(wildcards)), PLUGINS)


def cell_data(wildcards):
    cell = cell_of(wildcards)
    if cell.dataset == SYNTHETIC:
        return (
            f"{wildcards.run}/data/rank~{cell.rank}_observed_fraction~"
            f"{spell(cell.observed_fraction)}.npz"
        )
    return f"results/data/{cell.dataset}.npz"


def real_datasets(run):
    return list(RUNS[run]["huber"]["real"])


def synthetic_settings(wildcards):
    huber = RUNS[wildcards.run]["huber"]
    sizes = {name: huber["synthetic"][name] for name in configuration.SYNTHETIC_SETTINGS}
    return {"seed": huber["seed"], "trials": huber["trials"], **sizes}


SIDE_CODE = code_digest(
    ["dpmc.experiments.side", "dpmc.solvers.als", "dpmc.solvers.irls"]
    + [f"dpmc.mechanisms.{name}" for name in ("gaussian", "laplace", "huber")]
)


def side_settings(experiment):
    def settings(wildcards):
        return configuration.side_settings(RUNS[wildcards.run]["huber"], experiment)

    return settings
