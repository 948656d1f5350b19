"""Run the side experiment timing."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.huber.side import TIMING_COLUMNS, timing

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], TIMING_COLUMNS, timing(snakemake.params.settings))
