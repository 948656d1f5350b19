# Cells, settings and input functions of the rules of DPALS and what it is compared with.
from dpmc.studies.dpals.accounting import ACCOUNTING_COLUMNS
from dpmc.studies.dpals.cells import (
    COVERAGE_COLUMNS,
    DPALS_COLUMNS,
    DPALS_COORDINATES,
    ITERATION_COLUMNS,
    TIMING_COLUMNS,
)
from dpmc.studies.dpals.check import check_dpals
from dpmc.studies.dpals.hyperparameters import load_hyperparameters
from dpmc.studies.dpals.tuning import (
    TUNING_COLUMNS,
    tuning_cells,
    tuning_settings,
)

DPALS_PUBLISHED = str(HOME / "config" / "paper" / "dpals_published.csv")
DPALS_HYPERPARAMETERS_FILE = HOME / "config" / "dpals" / "hyperparameters.yaml"

try:
    DPALS_HYPERPARAMETERS = {
        top: load_hyperparameters(
            settings["dpals"]["hyperparameters"] or DPALS_HYPERPARAMETERS_FILE
        )
        for top, settings in TOPS.items()
    }
    for top, settings in TOPS.items():
        check_dpals(settings, DPALS_HYPERPARAMETERS[top])
except InputError as error:
    sys.exit(f"dpmc: {error}")

DPALS_CELLS = {
    top: dpals.dpals_cells(settings["dpals"]) for top, settings in TOPS.items()
}
dpals_space = Paramspace(
    pd.DataFrame(
        [
            cell.spelled()
            for cell in dict.fromkeys(
                cell for cells in DPALS_CELLS.values() for cell in cells
            )
        ],
        columns=list(DPALS_COORDINATES),
    ),
    filename_params=["variant", "epsilon"],
)
DPALS_TABLES = (
    "trials",
    "iterations",
    "timing",
    "coverage",
    "accounting",
    "claims",
    "claims_surrogate",
)
DPALS_FILES = [f"{{top}}/dpals/{name}.csv" for name in DPALS_TABLES]


wildcard_constraints:
    method="[a-z_]+",
    variant="[a-z0-9_.]+",
    surrogate="[A-Za-z0-9][A-Za-z0-9_.-]*",


def dpals_targets(top):
    tables = [f"{top}/dpals/{name}.csv" for name in DPALS_TABLES]
    return [*tables, f"{top}/dpals/tables", f"{top}/dpals/figures"]


def dpals_file(folder, top, cell):
    name = dpals_space.wildcard_pattern.format(**cell.spelled())
    return f"{top}/dpals/{folder}/{name}.csv"


def dpals_files(wildcards):
    top = wildcards.top
    return [dpals_file("cells", top, cell) for cell in DPALS_CELLS[top]]


def dpals_iteration_files(wildcards):
    top = wildcards.top
    cells = dpals.iteration_cells(TOPS[top]["dpals"])
    return [dpals_file("iterations", top, cell) for cell in cells]


def dpals_cell_of(wildcards):
    return dpals.DpalsCell.from_spelled(wildcards)


def dpals_settings(wildcards):
    top = wildcards.top
    return dpals.dpals_settings(
        TOPS[top]["dpals"], DPALS_HYPERPARAMETERS[top], dpals_cell_of(wildcards)
    )


def dpals_settings_by_cell(wildcards):
    top = wildcards.top
    section = TOPS[top]["dpals"]
    return {
        cell_name(cell.coordinates()): dpals.dpals_settings(
            section, DPALS_HYPERPARAMETERS[top], cell
        )
        for cell in DPALS_CELLS[top]
    }


def dpals_data(wildcards):
    """What a job reads: nothing where it draws its data, a file of ratings else."""
    section = TOPS[wildcards.top]["dpals"]
    name = dpals.stored(section, wildcards.dataset)
    if not name:
        return []
    if dpals.is_surrogate(section, name):
        return f"{wildcards.top}/dpals/data/{name}.npz"
    return f"results/data/{name}.npz"


def dpals_code(wildcards):
    return code_digest(
        ["dpmc.studies.dpals.trial", *dpals.modules_of(wildcards.method)]
    )


def surrogate_settings(wildcards):
    return dpals.surrogate_settings(TOPS[wildcards.top]["dpals"], wildcards.surrogate)


def coverage_files(wildcards):
    names = TOPS[wildcards.top]["dpals"]["coverage"]["datasets"]
    return [f"{wildcards.top}/dpals/coverage/{name}.csv" for name in names]


def coverage_settings(wildcards):
    return dpals.coverage_settings(TOPS[wildcards.top]["dpals"], wildcards.dataset)


def dpals_timing_settings(wildcards):
    top = wildcards.top
    return dpals.timing_settings(TOPS[top]["dpals"], DPALS_HYPERPARAMETERS[top])


def dpals_timing_code(wildcards):
    methods = TOPS[wildcards.top]["dpals"]["timing"]["methods"]
    modules = [module for method in methods for module in dpals.modules_of(method)]
    return code_digest(["dpmc.studies.dpals.timing", *modules])


def accounting_settings(wildcards):
    section = TOPS[wildcards.top]["dpals"]
    return {"delta": section["delta"], **section["accounting"]}


def dpals_tuning_files(wildcards):
    cells = tuning_cells(TOPS["results"]["dpals"])
    return [dpals_file("tuning", "results", cell) for cell in cells]


def dpals_tuning_settings(wildcards):
    top = wildcards.top
    return tuning_settings(
        TOPS[top]["dpals"], DPALS_HYPERPARAMETERS[top], dpals_cell_of(wildcards)
    )


def dpals_tuning_code(wildcards):
    return code_digest(
        ["dpmc.studies.dpals.tuning", *dpals.modules_of(wildcards.method)]
    )
