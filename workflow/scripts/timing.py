"""Run the side experiment timing."""

from dpmc import tables
from dpmc.experiments.side import TIMING_COLUMNS, timing
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], TIMING_COLUMNS, timing(snakemake.params.settings))
