"""The job of the comparison: all trials of a method with its settings on a data set."""

from dpmc_studies.frame.api import Job
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell
from dpmc_studies.studies.which_model.settings import fit_settings, modules_of

FIT = Job(
    name="fit",
    run=".trial:run_fits",
    tables={"trials": COLUMNS},
    cell=FitCell,
    cells=lambda section: section["cells"],
    by=("dataset", "method"),
    settings=fit_settings,
    inputs=inputs_of,
    modules=lambda section, cell: modules_of(cell.method),
)
