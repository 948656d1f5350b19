"""Compute the shapes of the papers' error bounds."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.onebit.bounds import BOUND_COLUMNS, bounds

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], BOUND_COLUMNS, bounds(snakemake.params.settings))
