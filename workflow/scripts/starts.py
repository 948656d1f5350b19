"""Run the side experiment starts."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.huber.side import STARTS_COLUMNS, starts

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], STARTS_COLUMNS, starts(snakemake.params.settings))
