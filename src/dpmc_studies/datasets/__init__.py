"""Data of the studies: downloads, and matrices and data sets that are drawn."""
