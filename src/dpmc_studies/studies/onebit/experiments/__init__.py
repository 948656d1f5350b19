"""Experiments beside the papers' grid, a file for each: cells, settings, what runs, columns.

A module in this folder with a function ``run`` is an experiment; nothing else lists it.
"""
