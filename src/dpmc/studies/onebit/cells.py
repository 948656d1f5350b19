"""The grid of one-bit matrix completion: its cells, and exactly the settings that each one uses.

Source: Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719), section 5. A cell of the mechanism "clear" is the configuration without
privacy: one job that solves it, makes the rows of the baselines too, and stores the solutions,
from which output perturbation starts. What could not run is refused before anything runs by
:func:`dpmc.studies.onebit.check.check_onebit`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from dpmc.errors import InputError
from dpmc.methods.onebit.links import link_of
from dpmc.methods.onebit.noise import GRADIENT, OUTPUT
from dpmc.methods.onebit.private import MECHANISMS
from dpmc.study.cells import spell

ONEBIT_COORDINATES = (
    "dataset", "link", "constraint", "observed_share", "mechanism", "epsilon",
)  # fmt: skip
ONEBIT_COLUMNS = (
    *ONEBIT_COORDINATES, "trial",
    "are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated",
    "objective", "iterations", "converged",
    "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta",
    "user_epsilon", "user_delta", "seconds",
)  # fmt: skip
CLEAR = "clear"
BASELINES = ("zero", "majority", "item_bias")  # without privacy, beside "clear"
PRIVATE = tuple(name for name in MECHANISMS if name not in (CLEAR, *BASELINES))
NUCLEAR = "nuclear"
BOTH = "both"
APPROXIMATE = ("grap_gaussian",)  # (epsilon, delta); the others are pure
NOT_PRIVATE = "none"
# the data set, and the share of the figures over epsilon, of the tables beside the trials
SYNTHETIC = "synthetic"
OBSERVED_SHARE = 0.15


@dataclass(frozen=True)
class OneBitCell:
    """One point of the grid with all its trials: one job.

    Attributes
    ----------
    dataset : str
        A key of ``datasets`` in the ``onebit`` section of the configuration.
    link : str
        A key of :data:`dpmc.methods.onebit.links.LINKS`.
    constraint : str
        ``"nuclear"`` (nuclear norm only) or ``"both"`` (and a bound on every entry).
    observed_share : float
        Of the matrix on synthetic data, of the ratings on real data.
    mechanism : str
    epsilon : float or None
        None with ``"clear"``, and with it only.
    """

    dataset: str
    link: str
    constraint: str
    observed_share: float
    mechanism: str
    epsilon: float | None

    def coordinates(self) -> dict[str, object]:
        """Return the coordinates as a dictionary in the order of :data:`ONEBIT_COORDINATES`."""
        return asdict(self)

    def spelled(self) -> dict[str, str]:
        """Return the coordinates as they stand in file names: 5, 0.5, none."""
        return {name: spell(value) for name, value in self.coordinates().items()}

    @classmethod
    def from_spelled(cls, spelled: Mapping[str, str]) -> "OneBitCell":
        """Return the cell that :meth:`spelled` spells, from a mapping or Snakemake wildcards.

        An empty text, as in a table, stands for None too.
        """
        values = {name: spelled[name] for name in ONEBIT_COORDINATES}
        epsilon = values["epsilon"]
        values["epsilon"] = None if epsilon in ("", NOT_PRIVATE) else float(epsilon)
        values["observed_share"] = float(values["observed_share"])
        return cls(**values)

    def clear(self) -> "OneBitCell":
        """Return the cell of the same configuration without privacy."""
        return replace(self, mechanism=CLEAR, epsilon=None)

    @property
    def needs_clear(self) -> bool:
        """Whether the mechanism noises the solution that the clear cell stores."""
        return self.mechanism in OUTPUT


def onebit_cells(onebit: Mapping) -> list[OneBitCell]:
    """Return every cell of the ``onebit`` section, a configuration's clear cell before its others.

    Corrected objective perturbation ("objp") appears only where it exists and differs from the
    paper's: for a link that is not log-linear, under both constraints, above its least epsilon.

    Raises
    ------
    InputError
        Two experiments have a cell in common: its trials could not have two numbers of draws.
    """
    owners: dict[OneBitCell, str] = {}
    for name, experiment in experiments_of(onebit):
        for cell in _cells_of(onebit, experiment):
            if cell in owners:
                raise InputError(
                    f"onebit.experiments.{owners[cell]} and .{name} share the cell "
                    f"{', '.join(cell.spelled().values())}; give the two different data sets, "
                    "constraints or observed shares."
                )
            owners[cell] = name
    return list(owners)


def onebit_settings(onebit: Mapping, cell: OneBitCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.

    Raises
    ------
    InputError
        No experiment of the section has this cell.
    """
    settings = {
        "seed": onebit["seed"],
        "draws": _experiment_of(onebit, cell)["draws"],
        **onebit["datasets"][cell.dataset],
    }
    if cell.mechanism == CLEAR:
        settings["baselines"] = list(onebit["baselines"])
    if cell.mechanism in GRADIENT:
        settings |= onebit["grap"]
    if cell.mechanism in APPROXIMATE:
        settings["delta"] = float(onebit["delta"])
    return settings


def outp_settings(onebit: Mapping) -> dict[str, object]:
    """Return the settings of the tables of :mod:`dpmc.studies.onebit.outp`."""
    return {
        "seed": onebit["seed"],
        "links": list(onebit["links"]),
        "observed_share": OBSERVED_SHARE,
        **onebit["datasets"][SYNTHETIC],
        **onebit["outp_privacy"],
    }


def bound_settings(onebit: Mapping) -> dict[str, object]:
    """Return the settings of :mod:`dpmc.studies.onebit.bounds`.

    ``points`` are the (observed share, epsilon) of the experiments on synthetic data under both
    constraints, and ``draws`` the most that one of these has.
    """
    chosen = [
        experiment
        for _, experiment in experiments_of(onebit)
        if (experiment["dataset"], experiment["constraint"]) == (SYNTHETIC, BOTH)
    ]
    points = {
        (float(share), float(epsilon))
        for experiment in chosen
        for share in experiment["observed_shares"]
        for epsilon in experiment["epsilons"]
    }
    return {
        "seed": onebit["seed"],
        "links": list(onebit["links"]),
        "points": [list(point) for point in sorted(points)],
        "draws": max((experiment["draws"] for experiment in chosen), default=0),
        **onebit["datasets"][SYNTHETIC],
    }


def real_datasets(onebit: Mapping) -> list[str]:
    """Return the real data sets that the experiments use, each once, known names or not."""
    datasets = onebit["datasets"]
    names = [experiment["dataset"] for _, experiment in experiments_of(onebit)]
    return [name for name in dict.fromkeys(names) if not is_synthetic(datasets.get(name, {}))]


def is_synthetic(entry: Mapping) -> bool:
    """Return whether an entry of ``onebit.datasets`` describes data that are drawn."""
    return "users" in entry


def experiments_of(onebit: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Yield the experiments by name, without those that are null."""
    return ((name, each) for name, each in onebit["experiments"].items() if each is not None)


def _cells_of(onebit: Mapping, experiment: Mapping) -> Iterator[OneBitCell]:
    alpha = onebit["datasets"][experiment["dataset"]]["alpha"]
    for share in experiment["observed_shares"]:
        for link in onebit["links"]:
            clear = OneBitCell(
                experiment["dataset"], link, experiment["constraint"], float(share), CLEAR, None
            )
            yield clear
            for mechanism in experiment["mechanisms"]:
                for epsilon in experiment["epsilons"]:
                    cell = replace(clear, mechanism=mechanism, epsilon=float(epsilon))
                    if mechanism != "objp" or _has_corrected_objp(cell, alpha):
                        yield cell


def _has_corrected_objp(cell: OneBitCell, alpha: float) -> bool:
    least = link_of(cell.link).log_curvature_ratio(alpha)
    return least > 0 and cell.constraint == BOTH and cell.epsilon > least


def _experiment_of(onebit: Mapping, cell: OneBitCell) -> Mapping:
    """The experiment of a cell: two never share data set, constraint and observed share."""
    for _, experiment in experiments_of(onebit):
        if (cell.dataset, cell.constraint) == (
            experiment["dataset"],
            experiment["constraint"],
        ) and cell.observed_share in experiment["observed_shares"]:
            return experiment
    raise InputError(f"No experiment of onebit has the cell {', '.join(cell.spelled().values())}.")
