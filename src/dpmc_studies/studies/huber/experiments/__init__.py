"""The experiments, a file for each: its cells, settings, columns, and what runs.

A module in this folder with a function ``run`` is an experiment; no list of jobs names it, but what
is made of its table names that. ``grid`` is the papers' own. Tables and figures of several
experiments are in :mod:`dpmc_studies.studies.huber`.
"""
