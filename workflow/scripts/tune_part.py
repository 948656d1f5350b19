"""Choose the hyper-parameters of one data set, relation, epsilon and solver on other seeds."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.equal_privacy.cells import HYPERPARAMETER_COLUMNS, CalibratedCell
from dpmc.studies.equal_privacy.tuning import tune

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    rows = []
    if ratings is not None or not snakemake.input:
        cell = CalibratedCell.from_spelled(snakemake.wildcards)
        rows = tune(cell, snakemake.params.settings, ratings=ratings)
    tables.write(snakemake.output[0], HYPERPARAMETER_COLUMNS, rows)
