"""The cells of fits that protect users, and the columns of the table of their trials."""

from dataclasses import dataclass

from dpmc_studies.frame.jobs.cells import Cell

TUNED = "tuned"  # settings that we searched for each data set, method and epsilon
LOCAL_BAYES = "local_bayes"  # takes no settings


@dataclass(frozen=True)
class FitCell(Cell):
    """One point of the grid with all its trials.

    Attributes
    ----------
    dataset : str
        A key of ``datasets`` in the section of the study.
    method : str
        A name of :mod:`dpmc.methods`.
    variant : str
        A name of settings of the method.
    epsilon : float
    """

    dataset: str
    method: str
    variant: str
    epsilon: float


COORDINATES = FitCell.names()
COLUMNS = (
    *COORDINATES, "trial", "users", "items", "ratings", "rmse", "claimed_epsilon", "claimed_delta",
    "actual_epsilon", "actual_delta", "seconds",
)  # fmt: skip
