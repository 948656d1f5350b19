"""The cells of fits that protect users, and the columns of the table of their trials."""

from dataclasses import dataclass

from dpmc_studies.frame.jobs.cells import Cell

TUNED = "tuned"  # settings that we searched for each data set, method and epsilon
LOCAL_BAYES = "local_bayes"  # takes no settings


@dataclass(frozen=True)
class FitCell(Cell):
    """One point of the grid with all its trials."""

    dataset: str  # a key of ``datasets`` in the section of the study
    method: str  # a name of :mod:`dpmc.methods`
    variant: str  # a name of settings of the method
    epsilon: float


COORDINATES = FitCell.names()
COLUMNS = (
    *COORDINATES, "trial", "users", "items", "ratings", "rmse", "claimed_epsilon", "claimed_delta",
    "actual_epsilon", "actual_delta", "seconds",
)  # fmt: skip
