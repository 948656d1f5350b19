"""Data: the registry, downloads, one reader for each file format, and synthetic matrices."""

from dpmc.datasets.readers import read
from dpmc.datasets.registry import REGISTRY, Dataset, from_entry, resolve
from dpmc_studies.datasets.download import DataNotAvailable, available, locate, obtain, verify

__all__ = [
    "REGISTRY",
    "DataNotAvailable",
    "Dataset",
    "available",
    "from_entry",
    "locate",
    "obtain",
    "read",
    "resolve",
    "verify",
]
