"""Data: the registry, one reader for each file format, and synthetic matrices."""

from dpmc.datasets.readers import read
from dpmc.datasets.registry import REGISTRY, Dataset, from_entry, resolve

__all__ = [
    "REGISTRY",
    "Dataset",
    "from_entry",
    "read",
    "resolve",
]
