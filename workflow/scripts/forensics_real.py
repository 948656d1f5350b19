"""Run the cells of one choice on real data."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.huber.forensics import RealVariant, run_real
from dpmc.studies.huber.trial import TRIAL_COLUMNS

with logged(snakemake.log[0]):
    variant = RealVariant(**snakemake.params.variant)
    ratings = Ratings.load_if_available(snakemake.input.data)
    # no data: no rows; the summary says "data not available"
    rows = [] if ratings is None else run_real(variant, snakemake.params.settings, ratings)
    tables.write(snakemake.output[0], TRIAL_COLUMNS, rows)
