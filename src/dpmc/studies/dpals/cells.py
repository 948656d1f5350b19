"""The cells of private factorisation at user level, and the columns of the tables of its trials.

Source: [Chien 2021], section 6.
"""

from dataclasses import dataclass

from dpmc.frame.jobs.cells import Cell

STANDARD = "standard"


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


DPALS_COORDINATES = DpalsCell.names()
DPALS_COLUMNS = (
    *DPALS_COORDINATES, "trial", "users", "items", "ratings", "rmse", "rse", "recall",
    "iterations", "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta", "seconds",
)  # fmt: skip
ITERATION_COLUMNS = (*DPALS_COORDINATES, "trial", "iteration", "rmse", "rse", "seconds")
TUNING_COLUMNS = (*DPALS_COORDINATES, "place", "rmse", "settings")
