"""Run all trials of one cell."""

from dpmc import plugins, tables
from dpmc.datasets.synthetic import load_instances
from dpmc.experiments.cells import SYNTHETIC, Cell
from dpmc.experiments.trial import TRIAL_COLUMNS, run_cell
from dpmc.jobs import logged
from dpmc.ratings import Ratings

with logged(snakemake.log[0]):
    plugins.load(snakemake.params.plugins)
    cell = Cell.from_spelled(snakemake.wildcards)
    if cell.dataset == SYNTHETIC:
        rows = run_cell(
            cell, snakemake.params.settings, instances=load_instances(snakemake.input.data)
        )
    else:
        ratings = Ratings.load_if_available(snakemake.input.data)
        # no data: no rows; tables and report say "data not available"
        rows = [] if ratings is None else run_cell(cell, snakemake.params.settings, ratings=ratings)
    tables.write(snakemake.output[0], TRIAL_COLUMNS, rows)
