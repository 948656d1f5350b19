"""The job of the grid."""

from dpmc_studies.frame.api import Job
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.studies.dpals.cells import DPALS_COLUMNS, ITERATION_COLUMNS, DpalsCell
from dpmc_studies.studies.dpals.settings import dpals_settings, modules_of

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
)
