"""Attempts to catch a mechanism or a solver at breaking its promise of privacy."""
