"""Experiments beside the grid of fits, a file for each: cells, settings, what runs, columns, job.

A module in this folder with a ``JOB`` is an experiment; nothing else lists it.
"""
