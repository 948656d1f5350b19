"""Find the smallest variance of each mechanism for one number of releases."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.privacy.frontier import COLUMNS, frontier_table

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], COLUMNS, frontier_table(**snakemake.params.settings))
