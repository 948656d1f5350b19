"""Run all trials of one data set, method, variant and epsilon."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.dpals.cells import DPALS_COLUMNS, ITERATION_COLUMNS, DpalsCell
from dpmc.studies.dpals.trial import run

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    rows, iterations = [], []
    if ratings is not None or not snakemake.input:
        cell = DpalsCell.from_spelled(snakemake.wildcards)
        rows, iterations = run(cell, snakemake.params.settings, ratings=ratings)
    # no rows where the data are not available: tables and report say so
    tables.write(snakemake.output.iterations, ITERATION_COLUMNS, iterations)
    tables.write(snakemake.output.rows, DPALS_COLUMNS, rows)
