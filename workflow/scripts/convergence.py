"""Run the side experiment convergence."""

from dpmc import tables
from dpmc.experiments.side import CONVERGENCE_COLUMNS, convergence
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.write(snakemake.output[0], CONVERGENCE_COLUMNS, convergence(snakemake.params.settings))
