# Cells, settings and input functions of the privacy rules.
from dpmc.studies.equal_privacy import cells as calibrated
from dpmc.studies.audit import AUDIT_COLUMNS, AUDIT_PARTS
from dpmc.studies.audit.solvers import SOLVERS as AUDITED_SOLVERS
from dpmc.studies.equal_privacy.cells import CALIBRATED_COLUMNS, HYPERPARAMETER_COLUMNS
from dpmc.studies.dpals.methods import METHODS
from dpmc.studies.huber.transcript import TRANSCRIPT_COLUMNS
from dpmc.privacy.frontier import COLUMNS as FRONTIER_COLUMNS

TOPS = {top: RUNS[f"{top}/huber"] for top in ("results", "results/quick")}
HYPERPARAMETERS_FILE = HOME / "config" / "privacy" / "hyperparameters.csv"

try:
    HYPERPARAMETERS = {
        top: calibrated.load_hyperparameters(
            settings["privacy"]["hyperparameters"] or HYPERPARAMETERS_FILE
        )
        for top, settings in TOPS.items()
    }
    for top, settings in TOPS.items():
        configuration.check_privacy(settings, HYPERPARAMETERS[top])
except InputError as error:
    sys.exit(f"dpmc: {error}")

CALIBRATED = {
    top: calibrated.calibrated_cells(settings["privacy"])
    for top, settings in TOPS.items()
}
calibrated_space = Paramspace(
    pd.DataFrame(
        [
            cell.spelled()
            for cell in dict.fromkeys(
                cell for cells in CALIBRATED.values() for cell in cells
            )
        ],
        columns=["dataset", "relation", "epsilon", "solver"],
    ),
)
PRIVACY_NAMES = ("totals", "transcript_loss", "calibrated", "frontier", "audit")
PRIVACY_TABLES = [f"{{top}}/privacy/{name}.csv" for name in PRIVACY_NAMES]
TRANSCRIPT_SOLVERS = ("als", "irls")
TRANSCRIPT_NOISES = ("gaussian", "laplace", "huber")
TRANSCRIPT_CODE = code_digest(
    [
        "dpmc.studies.huber.transcript",
        *(plugins.solver_module(name) for name in TRANSCRIPT_SOLVERS),
        *(f"dpmc.mechanisms.{name}" for name in TRANSCRIPT_NOISES),
    ]
)
AUDIT_MODULES = (
    "mechanisms",
    "solvers",
    "faults",
    "onebit",
    "dpals",
    "published",
    "attack_cases",
)
AUDIT_CODE = code_digest(
    [f"dpmc.studies.audit.{name}" for name in AUDIT_MODULES]
    + [plugins.solver_module(name) for name in AUDITED_SOLVERS]
    + [method.module for method in METHODS.values() if method.private]
)


wildcard_constraints:
    relation="[a-z_]+",
    epsilon="[0-9.e+-]+|none",
    part="[a-z0-9_]+",
    releases="[0-9]+",


def top_of(run):
    """The folder of results that a run of the Huber experiments belongs to."""
    return next(
        top for top in sorted(TOPS, key=len, reverse=True) if run.startswith(top)
    )


def all_source_records(top):
    return [f"results/data/{name}.source.json" for name in real_of(TOPS[top])]


def privacy_targets(top):
    tables = [f"{top}/privacy/{name}.csv" for name in PRIVACY_NAMES]
    folders = ("tables", "figures", "audit_figure")
    return [*tables, *(f"{top}/privacy/{folder}" for folder in folders)]


def privacy_section(name, *shared):
    """A function of wildcards: one section, and keys that sections share."""

    def settings(wildcards):
        privacy = TOPS[wildcards.top]["privacy"]
        return privacy[name] | {key: privacy[key] for key in shared}

    return settings


def calibrated_cell_of(wildcards):
    return calibrated.CalibratedCell.from_spelled(wildcards)


def calibrated_settings(wildcards):
    return calibrated.calibrated_settings(
        TOPS[wildcards.top]["privacy"],
        HYPERPARAMETERS[wildcards.top],
        calibrated_cell_of(wildcards),
    )


def calibrated_settings_by_cell(wildcards):
    privacy = TOPS[wildcards.top]["privacy"]
    table = HYPERPARAMETERS[wildcards.top]
    return {
        cell_name(cell.coordinates()): calibrated.calibrated_settings(
            privacy, table, cell
        )
        for cell in CALIBRATED[wildcards.top]
    }


def code_of_fits(module):
    """A function of wildcards: the digest of a module that makes fits of a solver."""

    def code(wildcards):
        modules = [module, "dpmc.datasets.synthetic"]
        return code_digest([*modules, plugins.solver_module(wildcards.solver)])

    return code


def is_private_synthetic(top, dataset):
    return "users" in TOPS[top]["privacy"]["datasets"][dataset]


def calibrated_data(wildcards):
    if is_private_synthetic(wildcards.top, wildcards.dataset):
        return []
    return f"results/data/{wildcards.dataset}.npz"


def calibrated_file(top, folder, cell):
    name = calibrated_space.wildcard_pattern.format(**cell.spelled())
    return f"{top}/privacy/{folder}/{name}.csv"


def calibrated_files(wildcards):
    top = wildcards.top
    return [calibrated_file(top, "cells", cell) for cell in CALIBRATED[top]]


def tuning_files(wildcards):
    return [
        calibrated_file("results", "tuning", cell) for cell in CALIBRATED["results"]
    ]


def tuning_settings(wildcards):
    return calibrated.tuning_settings(
        TOPS[wildcards.top]["privacy"], calibrated_cell_of(wildcards)
    )


def noised_cells(top):
    return [
        cell
        for cell in CELLS[f"{top}/huber"]
        if cell.solver in TRANSCRIPT_SOLVERS and cell.mechanism in TRANSCRIPT_NOISES
    ]


def transcript_key(cell):
    return f"dataset~{cell.dataset}_rank~{cell.rank}_solver~{cell.solver}"


def transcript_parts(wildcards):
    keys = dict.fromkeys(map(transcript_key, noised_cells(wildcards.top)))
    return [f"{wildcards.top}/privacy/transcript/{key}.csv" for key in keys]


def transcript_cells(wildcards):
    """The cells of one part as (spelled cell, settings)."""
    settings = TOPS[wildcards.top]
    privacy = settings["privacy"]
    extra = {
        "neighbours": privacy["transcript"]["neighbours"],
        "delta": privacy["delta"],
    }
    return [
        (cell.spelled(), configuration.cell_settings(settings["huber"], cell) | extra)
        for cell in noised_cells(wildcards.top)
        if (cell.dataset, str(cell.rank), cell.solver)
        == (wildcards.dataset, wildcards.rank, wildcards.solver)
    ]


def transcript_data(wildcards):
    if wildcards.dataset == SYNTHETIC:
        return []
    return f"results/data/{wildcards.dataset}.npz"


def audit_parts(wildcards):
    return [f"{wildcards.top}/privacy/audit/{part}.csv" for part in AUDIT_PARTS]


def frontier_parts(wildcards):
    counts = TOPS[wildcards.top]["privacy"]["frontier"]["releases"]
    return [
        f"{wildcards.top}/privacy/frontier/releases~{count}.csv" for count in counts
    ]


def frontier_settings(wildcards):
    privacy = TOPS[wildcards.top]["privacy"]
    return {
        "releases": [int(wildcards.releases)],
        "epsilons": privacy["frontier"]["epsilons"],
        "delta": privacy["delta"],
    }
