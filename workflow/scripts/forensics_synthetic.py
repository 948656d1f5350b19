"""Run the cells of one choice on synthetic data."""

from dpmc import tables
from dpmc.experiments.forensics import SyntheticVariant, run_synthetic
from dpmc.experiments.trial import TRIAL_COLUMNS
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    variant = SyntheticVariant(**snakemake.params.variant)
    rows = run_synthetic(variant, snakemake.params.settings)
    tables.write(snakemake.output[0], TRIAL_COLUMNS, rows)
