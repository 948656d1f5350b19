"""Data of the studies: downloads, splits, and data sets that are drawn."""
