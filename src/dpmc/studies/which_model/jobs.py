"""The job of the comparison: all trials of a method with its settings on a data set."""

from dpmc.frame.api import Cells, Effort, Job, Section
from dpmc.frame.jobs.generated import form_and_size, inputs_of
from dpmc.studies.which_model.cells import COLUMNS, FitCell
from dpmc.studies.which_model.settings import fit_settings, modules_of


def effort_of_fits(section: Section, cells: Cells) -> Effort:
    """Return that of a curve: fits of one method on data of one form, and their iterations."""
    first, fits = next(iter(cells)), cells.values()
    form, size = form_and_size(section, first.dataset)
    amount = sum(each["trials"] * each.get("model", {}).get("iterations", 1) for each in fits)
    return Effort(f"{first.method} {first.variant} {form}", amount, size)


FIT = Job(
    name="fit",
    run=".trial:run_fits",
    tables={"trials": COLUMNS},
    cell=FitCell,
    cells=lambda section: section["cells"],
    by=("dataset", "method", "variant"),
    settings=fit_settings,
    inputs=inputs_of,
    modules=lambda section, cell: modules_of(cell.method),
    seconds=15.0,
    effort=effort_of_fits,
)
