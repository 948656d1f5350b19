"""Run the cells of one choice on synthetic data."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.huber.forensics import SyntheticVariant, run_synthetic
from dpmc.studies.huber.trial import TRIAL_COLUMNS

with logged(snakemake.log[0]):
    variant = SyntheticVariant(**snakemake.params.variant)
    rows = run_synthetic(variant, snakemake.params.settings)
    tables.write(snakemake.output[0], TRIAL_COLUMNS, rows)
