"""The jobs of the grid: generated ratings, fits, and the search of their hyper-parameters."""

from dpmc.frame.api import Cells, Effort, Job, Section
from dpmc.frame.jobs.generated import form_and_size, inputs_of
from dpmc.studies.dpals.cells import (
    DPALS_COLUMNS,
    ITERATION_COLUMNS,
    TUNING_COLUMNS,
    DpalsCell,
)
from dpmc.studies.dpals.settings import (
    dpals_settings,
    modules_of,
    tuning_cells,
    tuning_settings,
)


def effort_of_fits(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each["model"].get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)


def effort_of_candidates(section: Section, cells: Cells) -> Effort:
    """Return that of the search of a cell's hyper-parameters."""
    cell, tuning = next(iter(cells)), section["tuning"]
    form, size = form_and_size(section, cell.dataset)
    return Effort(f"{cell.method} {form}", tuning["trials"] * tuning["candidates"], size)


FIT = Job(
    name="fit",
    run=".trial:run_fits",
    # iterations have rows only where an experiment asks for errors by iteration
    tables={"trials": DPALS_COLUMNS, "iterations": ITERATION_COLUMNS},
    cell=DpalsCell,
    cells=lambda section: section["cells"],
    by=("dataset", "method", "variant"),
    settings=dpals_settings,
    inputs=inputs_of,
    modules=lambda section, cell: modules_of(cell.method),
    seconds=15.0,
    effort=effort_of_fits,
)
# candidates of hyper-parameters on the validation data of another seed
CANDIDATE = Job(
    name="candidate",
    run=".tuning:run",
    tables={"tuning": TUNING_COLUMNS},
    cell=DpalsCell,
    cells=tuning_cells,
    settings=tuning_settings,
    inputs=inputs_of,
    modules=FIT.modules,
    target="dpals_tune",
    seconds=300.0,
    effort=effort_of_candidates,
)
