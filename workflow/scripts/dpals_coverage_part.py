"""Share of the observations that the most rated items hold, by how ratings are sampled."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.dpals.cells import COVERAGE_COLUMNS
from dpmc.studies.dpals.coverage import coverage

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0])
    rows = [] if ratings is None else coverage(snakemake.params.settings, ratings)
    tables.write(snakemake.output[0], COVERAGE_COLUMNS, rows)
