"""The cells of private factorisation at user level, and the columns of the tables of its trials.

Source: [Chien 2021], section 6.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dpmc.frame.jobs.cells import Cell

STANDARD = "standard"
TUNED = "tuned"  # the variant that is compared with the method that takes no settings
GENERATED = "generated"  # the name of a job's input that is no file of a real data set
LIANG = "liang"


@dataclass(frozen=True)
class DpalsCell(Cell):
    """One point of the grid with all its trials.

    Attributes
    ----------
    dataset : str
        A key of ``datasets`` in the ``dpals`` section of the configuration.
    method : str
        A key of :data:`dpmc.studies.dpals.methods.METHODS`.
    variant : str
        A name of other settings of the method; ``"standard"`` by default.
    epsilon : float or None
        None without privacy.
    """

    dataset: str
    method: str
    variant: str
    epsilon: float | None


@dataclass(frozen=True)
class SurrogateCell(Cell):
    """A data set that is generated in place of a real file."""

    surrogate: str


DPALS_COORDINATES = DpalsCell.names()
DPALS_COLUMNS = (
    *DPALS_COORDINATES, "trial", "users", "items", "ratings", "rmse", "rse", "recall",
    "iterations", "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta", "seconds",
)  # fmt: skip
ITERATION_COLUMNS = (*DPALS_COORDINATES, "trial", "iteration", "rmse", "rse", "seconds")
TUNING_COLUMNS = (*DPALS_COORDINATES, "place", "rmse", "settings")


def public_range(entry: Mapping) -> tuple[float, float]:
    """Return the public range of the ratings that a model sees."""
    if entry.get("split") == LIANG:
        return (0.0, 1.0)  # signs of preference
    low, high = entry.get("rescale", entry["rating_range"])
    return float(low), float(high)
