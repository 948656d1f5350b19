"""Experiments beside the papers' grid, a file for each: cells, settings, job, columns and table.

A module in this folder with a ``JOB`` of one table, and a function ``table`` that makes of its rows
what readers see, is an experiment; nothing else lists it.
"""

from dpmc.frame.jobs.experiments import experiments_in

EXPERIMENTS = {table: module for module in experiments_in(__name__) for table in module.JOB.tables}
