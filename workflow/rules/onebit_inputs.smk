# Cells, settings and input functions of the one-bit rules.
from dpmc.studies.onebit.cells import (
    CLEAR,
    NOT_PRIVATE,
    ONEBIT_COLUMNS,
    ONEBIT_COORDINATES,
)
from dpmc.studies.onebit.check import check_onebit

try:
    for settings in TOPS.values():
        check_onebit(settings)
except InputError as error:
    sys.exit(f"dpmc: {error}")

ONEBIT_CELLS = {
    top: onebit.onebit_cells(settings["onebit"]) for top, settings in TOPS.items()
}
onebit_space = Paramspace(
    pd.DataFrame(
        [
            cell.spelled()
            for cell in dict.fromkeys(
                cell for cells in ONEBIT_CELLS.values() for cell in cells
            )
        ],
        columns=list(ONEBIT_COORDINATES),
    ),
    filename_params=["mechanism", "epsilon"],
)
ONEBIT_TABLES = ("trials", "outp_change", "outp_attack", "bounds", "claims")
ONEBIT_FILES = [f"{{top}}/onebit/{name}.csv" for name in ONEBIT_TABLES]
# mechanisms are imported by name
ONEBIT_NOISES = [f"dpmc.mechanisms.{name}" for name in ("gaussian", "laplace")]
ONEBIT_CODE = code_digest(["dpmc.studies.onebit.trial", *ONEBIT_NOISES])
CLEAR_PATTERN = onebit_space.wildcard_pattern.replace("{mechanism}", CLEAR)
CLEAR_PATTERN = CLEAR_PATTERN.replace("{epsilon}", NOT_PRIVATE)


wildcard_constraints:
    link="[a-z]+",
    constraint="[a-z]+",
    observed_share="[0-9.]+",


def onebit_targets(top):
    tables = [f"{top}/onebit/{name}.csv" for name in ONEBIT_TABLES]
    return [*tables, f"{top}/onebit/tables", f"{top}/onebit/figures"]


def onebit_file(top, cell):
    name = onebit_space.wildcard_pattern.format(**cell.spelled())
    return f"{top}/onebit/cells/{name}.csv"


def onebit_files(wildcards):
    top = wildcards.top
    return [onebit_file(top, cell) for cell in ONEBIT_CELLS[top]]


def onebit_cell_of(wildcards):
    return onebit.OneBitCell.from_spelled(wildcards)


def onebit_settings(wildcards):
    return onebit.onebit_settings(
        TOPS[wildcards.top]["onebit"], onebit_cell_of(wildcards)
    )


def clear_settings(wildcards):
    names = dict(wildcards.items()) | {"mechanism": CLEAR, "epsilon": NOT_PRIVATE}
    cell = onebit.OneBitCell.from_spelled(names)
    return onebit.onebit_settings(TOPS[wildcards.top]["onebit"], cell)


def onebit_settings_by_cell(wildcards):
    section = TOPS[wildcards.top]["onebit"]
    return {
        cell_name(cell.coordinates()): onebit.onebit_settings(section, cell)
        for cell in ONEBIT_CELLS[wildcards.top]
    }


def onebit_data(wildcards):
    datasets = TOPS[wildcards.top]["onebit"]["datasets"]
    if onebit.is_synthetic(datasets[wildcards.dataset]):
        return []
    return f"results/data/{wildcards.dataset}.npz"


def clear_matrices(wildcards):
    """What output perturbation needs, so that all its cells share one solve of a draw."""
    cell = onebit_cell_of(wildcards)
    if not cell.needs_clear:
        return []
    return f"{wildcards.top}/onebit/clear/{CLEAR_PATTERN.format(**cell.spelled())}.npz"


def outp_settings(wildcards):
    return onebit.outp_settings(TOPS[wildcards.top]["onebit"])


def bound_settings(wildcards):
    return onebit.bound_settings(TOPS[wildcards.top]["onebit"])
