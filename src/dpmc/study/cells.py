"""Cells: the points of a study's grid, and how their coordinates are formatted."""

from collections.abc import Mapping

SYNTHETIC = "synthetic"


def format_coordinate(value: object) -> str:
    """Format a coordinate for a file name: no trailing zeros, ``none`` for None."""
    if value is None:
        return "none"
    return format(value, ".12g") if isinstance(value, float) else str(value)


def cell_name(coordinates: Mapping[str, object]) -> str:
    """Name a cell by its coordinates, leaving out those it does not have.

    >>> cell_name({"dataset": "synthetic", "rank": 5, "variance": None, "method": "als"})
    'dataset=synthetic, rank=5, method=als'
    """
    present = {name: value for name, value in coordinates.items() if not _is_missing(value)}
    return ", ".join(f"{name}={format_coordinate(value)}" for name, value in present.items())


def _is_missing(value: object) -> bool:
    # pandas' NA equals nothing, not even itself, and is neither true nor false; pandas stays out
    return value is None or type(value).__name__ == "NAType" or value != value
