"""Experiments about how the methods behave, a file for each: its cells, settings, job and columns.

The tables and figures that are made of them are in :mod:`dpmc.studies.huber.tables_methods` and
:mod:`dpmc.studies.huber.figures.methods`.
"""

from dpmc.studies.huber.experiments import heldout, thesis_methods, variances, weights

JOBS = (weights.JOB, heldout.JOB, variances.JOB, thesis_methods.JOB)
TABLES = tuple(table for job in JOBS for table in job.tables)
