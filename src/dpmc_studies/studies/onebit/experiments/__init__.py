"""Experiments beside the papers' grid, a file for each: cells, settings, what runs, columns.

A module in this folder with a function ``run`` is an experiment; nothing else lists it. One with a
single table may have a function ``table``, which makes of its rows what readers see.
"""

from dpmc_studies.frame.jobs.experiments import experiments_in

EXPERIMENTS = {
    table: module
    for module in experiments_in(__name__)
    if hasattr(module, "table")
    for table in module.TABLES
}
"""Those that have such a function, by the table that it reads."""
