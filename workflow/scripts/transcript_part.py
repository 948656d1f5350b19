"""Measure what the published algorithms reveal, for the cells of one data set, rank and solver."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.ratings import Ratings
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.transcript import TRANSCRIPT_COLUMNS, transcript_loss

with logged(snakemake.log[0]):
    ratings = Ratings.load_if_available(snakemake.input[0]) if snakemake.input else None
    # no rows where the data are not available: tables and report say so
    cells = [] if snakemake.input and ratings is None else snakemake.params.cells
    rows = [
        row
        for spelled, settings in cells
        for row in transcript_loss(Cell.from_spelled(spelled), settings, ratings=ratings)
    ]
    tables.write(snakemake.output[0], TRANSCRIPT_COLUMNS, rows)
