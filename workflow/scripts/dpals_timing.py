"""Measure CPU time by the size of the matrix."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.dpals.cells import TIMING_COLUMNS
from dpmc.studies.dpals.timing import timing

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], TIMING_COLUMNS, timing(snakemake.params.settings))
