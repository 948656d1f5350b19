"""Experiments beside the grid of fits, a file for each: cells, settings, what runs, columns, job.

A module in this folder with a ``JOB`` is an experiment; nothing else lists it.
"""

from dpmc.frame.jobs.experiments import experiments_in

JOBS = tuple(module.JOB for module in experiments_in(__name__))
# what belongs to the study's own target
TABLES = tuple(table for job in JOBS if job.target is None for table in job.tables)
