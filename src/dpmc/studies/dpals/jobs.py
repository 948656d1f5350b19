"""The job of the grid."""

from dpmc.frame.api import Cells, Effort, Job, Section
from dpmc.frame.jobs.generated import form_and_size, inputs_of
from dpmc.studies.dpals.cells import DPALS_COLUMNS, ITERATION_COLUMNS, DpalsCell
from dpmc.studies.dpals.settings import dpals_settings, modules_of


def effort(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each["model"].get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)


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
    effort=effort,
)
