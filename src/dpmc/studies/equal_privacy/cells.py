"""The cells of fits at equal privacy, and the columns of their tables."""

from dataclasses import dataclass
from typing import ClassVar

from dpmc.study.cells import Cell

METRICS = ("rmse_all", "rmse_heldout", "rmse_clipped")
CALIBRATED_COLUMNS = (
    "dataset", "relation", "epsilon", "delta", "method", "mechanism", "trial",
    *METRICS, "releases", "noise_multiplier", "seconds",
)  # fmt: skip
NOT_PRIVATE = "none"  # the mechanism of a reference


@dataclass(frozen=True)
class CalibratedCell(Cell):
    """One (data set, relation, epsilon, method) with all its mechanisms and trials.

    ``dataset``: a key of ``datasets`` in the section ``equal_privacy`` of the configuration.
    ``relation``: one of :data:`dpmc.privacy.relations.RELATIONS`; None for a reference without
    privacy. ``epsilon``: total of a training; None for a reference.
    """

    in_streams: ClassVar = {"method": "solver"}

    dataset: str
    relation: str | None
    epsilon: float | None
    method: str


@dataclass(frozen=True)
class Releases(Cell):
    """A number of releases: one job of the frontier."""

    releases: int
