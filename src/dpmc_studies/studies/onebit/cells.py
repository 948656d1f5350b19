"""The cells of one-bit matrix completion, their names, and the columns of the tables.

Source: [Li 2021], section 5. A cell with the mechanism "clear" is a configuration without privacy.
Its job solves the problem, makes the rows of the baselines, and stores the solutions, to which
output perturbation adds noise. The private cells that differ only in epsilon form a curve, which is
one job. :mod:`dpmc_studies.studies.onebit.settings` chooses the cells and their settings.
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

    The data set is a key of ``datasets`` in the section ``onebit`` of the configuration, and the
    link a key of :data:`dpmc_studies.methods.onebit.links.LINKS`. The constraint is ``"nuclear"``
    (nuclear norm only) or ``"both"`` (also a bound on every entry). The observed fraction is a
    fraction of the matrix on synthetic data, and of the ratings on real data. Only ``"clear"`` has
    no epsilon (None).
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
