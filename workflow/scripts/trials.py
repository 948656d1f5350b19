"""Join the rows of all cells."""

from dpmc import tables
from dpmc.experiments.trial import TRIAL_COLUMNS
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.join(snakemake.output[0], TRIAL_COLUMNS, snakemake.input)
