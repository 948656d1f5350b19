"""Measure CPU time by the size of the matrix."""

from dpmc import tables
from dpmc.experiments.dpals import TIMING_COLUMNS
from dpmc.experiments.dpals_timing import timing
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], TIMING_COLUMNS, timing(snakemake.params.settings))
