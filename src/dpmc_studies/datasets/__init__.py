"""Data of the studies: downloads, splits, and random data sets."""
