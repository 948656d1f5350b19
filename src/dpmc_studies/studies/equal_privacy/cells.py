"""The cells of fits at equal privacy, and the columns of their tables."""

from dataclasses import dataclass
from typing import ClassVar

from dpmc_studies.frame.jobs.cells import Cell

METRICS = ("rmse_all", "rmse_heldout", "rmse_clipped")
CALIBRATED_COLUMNS = (
    "dataset", "relation", "epsilon", "delta", "method", "mechanism", "trial",
    *METRICS, "releases", "noise_multiplier", "seconds",
)  # fmt: skip
NOT_PRIVATE = "none"  # the mechanism of a reference


@dataclass(frozen=True)
class CalibratedCell(Cell):
    """One (data set, relation, epsilon, method) with all its mechanisms and trials.

    The data set is a key of ``datasets`` in the section ``equal_privacy`` of the configuration, the
    relation is one of :data:`dpmc.privacy.relations.RELATIONS`, and epsilon is the total of a
    training. A reference without privacy has None for relation and epsilon.
    """

    in_streams: ClassVar = {"method": "solver"}

    dataset: str
    relation: str | None
    epsilon: float | None
    method: str
