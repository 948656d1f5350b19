"""The experiments, one module each: its cells, settings, columns and jobs.

A module in this folder is an experiment if it has a function ``run``. There is no list of
experiments: code names an experiment when it uses its table. ``grid`` is the experiment of the
papers. Tables and figures that use several experiments are in :mod:`dpmc_studies.studies.huber`.
"""
