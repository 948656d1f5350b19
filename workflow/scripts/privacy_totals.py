"""Add up the published budgets of one release over trainings."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.huber.totals import COLUMNS, totals_table

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], COLUMNS, totals_table(**snakemake.params.settings))
