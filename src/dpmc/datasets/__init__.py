"""Data: the registry, downloads, one reader for each file format, and synthetic matrices."""

from dpmc.datasets.download import DataNotAvailable, available, locate, obtain, verify
from dpmc.datasets.readers import read
from dpmc.datasets.registry import REGISTRY, Dataset, from_entry, resolve

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
