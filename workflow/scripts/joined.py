"""Join tables with the same columns."""

from dpmc import tables
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.join(snakemake.output[0], snakemake.params.columns, snakemake.input)
