"""The cells of private factorisation at user level, and the columns of the tables of its trials.

Source: [Chien 2021], section 6.
"""

from dataclasses import dataclass

from dpmc_studies.frame.jobs.cells import Cell

STANDARD = "standard"


@dataclass(frozen=True)
class DpalsCell(Cell):
    """One point of the grid with all its trials.

    The data set is a key of ``datasets`` in the section ``dpals`` of the configuration, and the
    method a key of :data:`dpmc_studies.studies.dpals.methods.METHODS`. The variant names other
    settings of the method. Epsilon is None without privacy.
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
