"""Run all trials of one cell, and those of its replication with another seed."""

from dpmc import tables
from dpmc.datasets.synthetic import load_instances
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.huber import plugins
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell
from dpmc.study.cells import SYNTHETIC


def rows(cell, settings, data):
    """Return the rows of the trial table; none where there is nothing to run."""
    if not data:
        return []
    if cell.dataset == SYNTHETIC:
        return run_cell(cell, settings, instances=load_instances(data))
    ratings = Ratings.load_if_available(data)
    # tables and report say "data not available"
    return [] if ratings is None else run_cell(cell, settings, ratings=ratings)


with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    plugins.load(params.plugins)
    cell = Cell.from_spelled(snakemake.wildcards)
    second = params.settings | {"seed": params.second_seed}
    for output, settings, data in (
        (snakemake.output.main, params.settings, files.data),
        (snakemake.output.replication, second, files.second),
    ):
        tables.write(output, TRIAL_COLUMNS, rows(cell, settings, data))
