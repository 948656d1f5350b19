"""Run all draws of one data set, link, constraint, share, mechanism and epsilon."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.onebit.cells import ONEBIT_COLUMNS, OneBitCell
from dpmc.studies.onebit.trial import load_matrices, run_private

with logged(snakemake.log[0]):
    files = snakemake.input
    ratings = Ratings.load_if_available(files.data) if files.data else None
    rows = []
    if ratings is not None or not files.data:
        cell = OneBitCell.from_spelled(snakemake.wildcards)
        solutions = load_matrices(files.solution) if files.solution else None
        rows = run_private(cell, snakemake.params.settings, ratings=ratings, clear=solutions)
    # no rows where the data are not available: tables and report say so
    tables.write(snakemake.output[0], ONEBIT_COLUMNS, rows)
