"""A cell of the grid of one-bit matrix completion, names, and the columns of the tables.

Source: [Li 2021], section 5. A cell of the mechanism "clear" is the configuration without privacy:
one job that solves it, makes the rows of the baselines too, and stores the solutions, from which
output perturbation starts. The other cells of a mechanism, one for each epsilon, are a curve: one
job too. Which cells there are, and with what settings, says
:mod:`dpmc_studies.studies.onebit.settings`.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.methods.onebit.guarantee import MECHANISMS
from dpmc_studies.methods.onebit.noise import OUTPUT

CLEAR = "clear"
BASELINES = ("zero", "majority", "item_bias")  # without privacy, beside "clear"
PRIVATE = tuple(name for name in MECHANISMS if name not in (CLEAR, *BASELINES))
NUCLEAR, BOTH = "nuclear", "both"  # constraints
NOISES = ("dpmc.mechanisms.gaussian", "dpmc.mechanisms.laplace")  # modules imported by name
APPROXIMATE = ("grap_gaussian",)  # (epsilon, delta); the others are pure
SYNTHETIC, OBSERVED_FRACTION = "synthetic", 0.15  # of figures over epsilon, tables beside trials


@dataclass(frozen=True)
class OneBitCell(Cell):
    """One point of the grid with all its trials.

    The data set is a key of ``datasets`` in the section ``onebit`` of the configuration, the link
    one of :data:`dpmc_studies.methods.onebit.links.LINKS`; the constraint is ``"nuclear"`` (nuclear
    norm only) or ``"both"`` (and a bound on every entry). A fraction of the matrix is observed on
    synthetic data, of the ratings on real data. Epsilon is None with ``"clear"``, and with it only.
    """

    in_streams: ClassVar = {"observed_fraction": "observed_share"}

    dataset: str
    link: str
    constraint: str
    observed_fraction: float
    mechanism: str
    epsilon: float | None

    def clear(self) -> "OneBitCell":
        """Return the cell of the same configuration without privacy."""
        return replace(self, mechanism=CLEAR, epsilon=None)

    @property
    def is_clear(self) -> bool:
        """Whether it is the configuration without privacy."""
        return self.mechanism == CLEAR

    @property
    def needs_clear(self) -> bool:
        """Whether the mechanism noises the solution that the clear cell stores."""
        return self.mechanism in OUTPUT


ONEBIT_COORDINATES = OneBitCell.names()
ONEBIT_COLUMNS = (
    *ONEBIT_COORDINATES, "trial",
    "are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated",
    "objective", "iterations", "converged",
    "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta",
    "user_epsilon", "user_delta", "seconds",
)  # fmt: skip
RANK_COLUMNS = (*ONEBIT_COORDINATES, "trial", "rank", "accuracy")
