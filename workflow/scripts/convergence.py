"""Run the side experiment convergence."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.huber.side import CONVERGENCE_COLUMNS, convergence

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], CONVERGENCE_COLUMNS, convergence(snakemake.params.settings))
