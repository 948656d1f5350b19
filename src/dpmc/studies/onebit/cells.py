"""A cell of the grid of one-bit matrix completion, names, and the columns of the tables.

Source: Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719), section 5. A cell of the mechanism "clear" is the configuration without
privacy: one job that solves it, makes the rows of the baselines too, and stores the solutions,
from which output perturbation starts. The other cells of a mechanism, one for each epsilon, are a
curve: one job too. Which cells there are, and with what settings, says
:mod:`dpmc.studies.onebit.settings`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from dpmc.methods.onebit.guarantee import MECHANISMS
from dpmc.methods.onebit.noise import OUTPUT
from dpmc.study.cells import format_coordinate

ONEBIT_COORDINATES = (
    "dataset", "link", "constraint", "observed_fraction", "mechanism", "epsilon",
)  # fmt: skip
ONEBIT_COLUMNS = (
    *ONEBIT_COORDINATES, "trial",
    "are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated",
    "objective", "iterations", "converged",
    "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta",
    "user_epsilon", "user_delta", "seconds",
)  # fmt: skip
RANK_COLUMNS = (*ONEBIT_COORDINATES, "trial", "rank", "accuracy")
OUTP_CHANGE_COLUMNS = (
    "instance", "link", "draw", "l1_change", "largest_change", "per_entry_sensitivity",
)  # fmt: skip
OUTP_ATTACK_COLUMNS = (
    "instance", "link", "claimed_epsilon", "true_epsilon", "guaranteed_epsilon", "samples",
    "lower_bound", "confidence",
)  # fmt: skip
BOUND_COLUMNS = (
    "theorem", "mechanism", "link", "observed_fraction", "epsilon",
    "published", "corrected", "trivial",
)  # fmt: skip
CONSTANT_COLUMNS = (
    "link", "epsilon", "steepness_published", "steepness", "flatness_published", "flatness",
)  # fmt: skip
# what tells one clear job, and one curve, from another
CLEAR_COORDINATES = ONEBIT_COORDINATES[:4]
CURVE_COORDINATES = ONEBIT_COORDINATES[:5]
CLEAR = "clear"
BASELINES = ("zero", "majority", "item_bias")  # without privacy, beside "clear"
PRIVATE = tuple(name for name in MECHANISMS if name not in (CLEAR, *BASELINES))
NUCLEAR = "nuclear"
BOTH = "both"
APPROXIMATE = ("grap_gaussian",)  # (epsilon, delta); the others are pure
NOT_PRIVATE = "none"
# the data set, and the share of the figures over epsilon, of the tables beside the trials
SYNTHETIC = "synthetic"
OBSERVED_FRACTION = 0.15


@dataclass(frozen=True)
class OneBitCell:
    """One point of the grid with all its trials.

    Attributes
    ----------
    dataset : str
        A key of ``datasets`` in the ``onebit`` section of the configuration.
    link : str
        A key of :data:`dpmc.methods.onebit.links.LINKS`.
    constraint : str
        ``"nuclear"`` (nuclear norm only) or ``"both"`` (and a bound on every entry).
    observed_fraction : float
        Of the matrix on synthetic data, of the ratings on real data.
    mechanism : str
    epsilon : float or None
        None with ``"clear"``, and with it only.
    """

    dataset: str
    link: str
    constraint: str
    observed_fraction: float
    mechanism: str
    epsilon: float | None

    def coordinates(self) -> dict[str, object]:
        """Return the coordinates as a dictionary in the order of :data:`ONEBIT_COORDINATES`."""
        return asdict(self)

    def formatted(self) -> dict[str, str]:
        """Return the coordinates as they stand in file names: 5, 0.5, none."""
        return {name: format_coordinate(value) for name, value in self.coordinates().items()}

    @classmethod
    def from_formatted(cls, formatted: Mapping[str, str]) -> "OneBitCell":
        """Return the cell that :meth:`formatted` stands for, from a mapping or Snakemake wildcards.

        An empty text, as in a table, stands for None too.
        """
        values = {name: formatted[name] for name in ONEBIT_COORDINATES}
        epsilon = values["epsilon"]
        values["epsilon"] = None if epsilon in ("", NOT_PRIVATE) else float(epsilon)
        values["observed_fraction"] = float(values["observed_fraction"])
        return cls(**values)

    def clear(self) -> "OneBitCell":
        """Return the cell of the same configuration without privacy."""
        return replace(self, mechanism=CLEAR, epsilon=None)

    @property
    def needs_clear(self) -> bool:
        """Whether the mechanism noises the solution that the clear cell stores."""
        return self.mechanism in OUTPUT


def is_synthetic(entry: Mapping) -> bool:
    """Return whether an entry of ``onebit.datasets`` describes data that are drawn."""
    return "users" in entry
