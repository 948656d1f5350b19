"""Run the side experiment starts."""

from dpmc import tables
from dpmc.experiments.side import STARTS_COLUMNS, starts
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], STARTS_COLUMNS, starts(snakemake.params.settings))
