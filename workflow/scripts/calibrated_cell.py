"""Run all trials and mechanisms of one data set, relation, epsilon and solver."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.equal_privacy.cells import CALIBRATED_COLUMNS, CalibratedCell
from dpmc.studies.equal_privacy.trial import run_calibrated

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    rows = []
    if ratings is not None or not snakemake.input:
        cell = CalibratedCell.from_spelled(snakemake.wildcards)
        rows = run_calibrated(cell, snakemake.params.settings, ratings=ratings)
    # no rows where the data are not available: tables and report say so
    tables.write(snakemake.output[0], CALIBRATED_COLUMNS, rows)
