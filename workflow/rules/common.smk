# Validation, runs, wildcard constraints and named input functions.
import json
import os
import sys

import pandas as pd
from snakemake.utils import Paramspace

from dpmc import configuration, launch, plugins
from dpmc.datasets import available, resolve
from dpmc.errors import InputError
from dpmc.experiments import dpals, onebit
from dpmc.experiments.cells import COORDINATES, SYNTHETIC, huber_cells, spell
from dpmc.experiments.digest import code_digest
from dpmc.experiments.trial import TRIAL_COLUMNS
from dpmc.runs import cell_name
from dpmc.yaml_files import read_mapping

# one thread inside a job: parallelism is Snakemake's
for variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[variable] = "1"


def resolved_runs():
    """Folder -> configuration of each run of the Huber experiments, all of them checked.

    The replication, the same grid with another seed, has a folder inside its run's; the baselines
    are not replicated.
    """
    schema = HOME / "workflow" / "schemas" / "config.schema.yaml"
    quick = configuration.load(HOME / "config" / "quick.yaml")
    quick = configuration.left_out_stays_out(config, quick)
    runs = {
        "results/huber": configuration.checked(config, schema),
        "results/quick/huber": configuration.checked(
            configuration.merge(config, quick), schema
        ),
    }
    plugins.load(runs["results/huber"]["huber"]["plugins"])
    configuration.check_grid(runs["results/huber"])
    for run, settings in list(runs.items()):
        second = settings["huber"]["replication_seed"]
        if second is not None:
            runs[f"{run}/replication"] = configuration.merge(
                settings, {"huber": {"seed": second, "baselines": []}}
            )
    return runs


def data_at_hand(settings):
    data = settings["data"]
    return {
        name: available(resolve(name, data["sets"]), data["directory"], data["mirror"])
        for name in real_of(settings)
    }


def real_of(settings):
    """Names of all real data sets that a configuration asks for, each once."""
    private = settings["privacy"]["datasets"]
    names = [name for name, entry in private.items() if "users" not in entry]
    one_bit = onebit.real_datasets(settings["onebit"])
    of_dpals = dpals.real_datasets(settings["dpals"])
    return list(
        dict.fromkeys([*settings["huber"]["real"], *names, *one_bit, *of_dpals])
    )


try:
    # Snakemake has read them too, but takes the last of two equal keys
    for path in workflow.configfiles:
        read_mapping(path)
    RUNS = resolved_runs()
    launch.check_own_files(RUNS["results/huber"]["data"]["sets"])
    AT_HAND = data_at_hand(RUNS["results/huber"])
except InputError as error:
    launch.stop(error)

MAIN = RUNS["results/huber"]
PLUGINS = MAIN["huber"]["plugins"]
CELLS = {run: huber_cells(settings["huber"]) for run, settings in RUNS.items()}
space = Paramspace(
    pd.DataFrame(
        [
            cell.spelled()
            for cell in dict.fromkeys(
                cell for cells in CELLS.values() for cell in cells
            )
        ]
    ),
    filename_params=["solver", "mechanism", "variance", "irls_iterations"],
)
BY_NAME = {
    tuple(cell.spelled().values()): cell for cells in CELLS.values() for cell in cells
}


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
    return BY_NAME[tuple(wildcards[name] for name in COORDINATES)]


def cell_file(run, cell):
    name = space.wildcard_pattern.format(**cell.spelled())
    return f"{run}/cells/{name}.csv"


def cell_files(wildcards):
    return [cell_file(wildcards.run, cell) for cell in CELLS[wildcards.run]]


def cell_settings(wildcards):
    return configuration.cell_settings(RUNS[wildcards.run]["huber"], cell_of(wildcards))


def cell_code(wildcards):
    return code_digest(
        plugins.cell_modules(cell_of(wildcards)), cell_plugins(wildcards)
    )


def cell_plugins(wildcards):
    return plugins.used_by(cell_of(wildcards), PLUGINS)


def stored_data(run, cell):
    if cell.dataset == SYNTHETIC:
        fraction = spell(cell.observed_fraction)
        return f"{run}/data/rank~{cell.rank}_observed_fraction~{fraction}.npz"
    return f"results/data/{cell.dataset}.npz"


def cell_data(wildcards):
    return stored_data(wildcards.run, cell_of(wildcards))


def second_seed(wildcards):
    """The seed of the replication of a cell, None if it is not replicated."""
    replication = RUNS.get(f"{wildcards.run}/replication")
    if replication is None or cell_of(wildcards).solver in MAIN["huber"]["baselines"]:
        return None
    return replication["huber"]["seed"]


def second_data(wildcards):
    if second_seed(wildcards) is None:
        return []
    return stored_data(f"{wildcards.run}/replication", cell_of(wildcards))


def real_datasets(run):
    return list(RUNS[run]["huber"]["real"])


def settings_by_cell(wildcards):
    huber = RUNS[wildcards.run]["huber"]
    return {
        cell_name(cell.coordinates()): configuration.cell_settings(huber, cell)
        for cell in CELLS[wildcards.run]
    }


def synthetic_settings(wildcards):
    huber = RUNS[wildcards.run]["huber"]
    sizes = {
        name: huber["synthetic"][name] for name in configuration.SYNTHETIC_SETTINGS
    }
    return {"seed": huber["seed"], "trials": huber["trials"], **sizes}


SIDE_CODE = code_digest(plugins.side_modules())


def side_settings(experiment):
    def settings(wildcards):
        return configuration.side_settings(RUNS[wildcards.run]["huber"], experiment)

    return settings


# published numbers and claims: what is compared and judged changes with them
PAPER = sorted((HOME / "config" / "paper").iterdir())


def real_variances_of(settings):
    return {
        name: entry["variance"] for name, entry in settings["huber"]["real"].items()
    }


def real_variances(wildcards):
    return real_variances_of(RUNS[wildcards.run])


TEMPLATES = sorted((HOME / "src" / "dpmc" / "report" / "templates").iterdir())


def source_records(run):
    return [f"results/data/{name}.source.json" for name in real_datasets(run)]


def runs_below(top):
    return [run for run in RUNS if run.startswith(f"{top}/huber")]


def timing_table(wildcards):
    # seconds do not depend on the seed: the replication takes those of the main run
    return f"{Path(wildcards.run.replace('replication', ''))}/timing.csv"


def own_file(wildcards):
    """An own data set's file, so that editing it runs again what depends on it."""
    entry = own_entry(wildcards)
    return [] if entry is None else entry["path"]


def own_entry(wildcards):
    return MAIN["data"]["sets"].get(wildcards.dataset)


def records():
    """Read what is recorded on each real data set, name -> record."""
    names = sorted({name for settings in RUNS.values() for name in real_of(settings)})
    paths = {name: Path(f"results/data/{name}.source.json") for name in names}
    return {
        name: json.loads(path.read_text())
        for name, path in paths.items()
        if path.exists()
    }


def missing_data():
    return [name for name, record in records().items() if record["path"] is None]


def state(name, record):
    """A param that changes when data that were not available come to hand, and never else."""
    found = record["path"] is None and AT_HAND.get(name)
    return "came to hand" if found else record.get("state", "first")


# read once: Snakemake removes the records before it runs the rule
STATES = {name: state(name, record) for name, record in records().items()}


def download_state(wildcards):
    return STATES.get(wildcards.dataset, "first")
