"""Solve without privacy and run the baselines; store the matrices for output perturbation."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.onebit.cells import ONEBIT_COLUMNS, OneBitCell
from dpmc.studies.onebit.trial import run_clear, save_matrices

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    rows, matrices = [], []
    if ratings is not None or not snakemake.input:
        names = dict(snakemake.wildcards.items()) | {"mechanism": "clear", "epsilon": "none"}
        cell = OneBitCell.from_spelled(names)
        rows, matrices = run_clear(cell, snakemake.params.settings, ratings=ratings)
    # no rows where the data are not available: tables and report say so
    save_matrices(snakemake.output.matrices, matrices)
    tables.write(snakemake.output.rows, ONEBIT_COLUMNS, rows)
