"""Search the hyper-parameters of one data set, method and epsilon on other seeds."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.dpals.cells import DpalsCell
from dpmc.studies.dpals.tuning import TUNING_COLUMNS, tune

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    rows = []
    if ratings is not None or not snakemake.input:
        cell = DpalsCell.from_spelled(snakemake.wildcards)
        rows = tune(cell, snakemake.params.settings, ratings=ratings)
    # no rows where the data are not available: tables and report say so
    tables.write(snakemake.output[0], TUNING_COLUMNS, rows)
