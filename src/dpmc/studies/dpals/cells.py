"""The grid of private factorisation at user level: its cells, and exactly what each one uses.

Source: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021), section 6. Hyper-parameters are a table of their own: they were chosen on
validation data of other seeds, and no budget pays for that choice. What could not run is refused
before anything runs by :func:`dpmc.studies.dpals.check.check_dpals`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from dpmc.errors import InputError
from dpmc.studies.dpals.hyperparameters import model_settings
from dpmc.studies.dpals.methods import METHODS
from dpmc.study.cells import format_coordinate

CURVE_COORDINATES = ("dataset", "method", "variant")
DPALS_COORDINATES = (*CURVE_COORDINATES, "epsilon")
DPALS_COLUMNS = (
    *DPALS_COORDINATES, "trial", "users", "items", "ratings", "rmse", "rse", "recall",
    "iterations", "claimed_epsilon", "claimed_delta", "actual_epsilon", "actual_delta", "seconds",
)  # fmt: skip
ITERATION_COLUMNS = (*DPALS_COORDINATES, "trial", "iteration", "rmse", "rse", "seconds")
TIMING_COLUMNS = ("method", "users", "items", "ratings", "rank", "repeat", "seconds")
COVERAGE_COLUMNS = (
    "dataset", "sampling", "ratings_per_user", "item_share", "rating_share", "gini",
    "count_correlation",
)  # fmt: skip
ACCOUNTING_COLUMNS = (
    "epsilon", "delta", "ratings_per_user", "iterations", "published_sigma", "epsilon_at_published",
    "exact_sigma", "mu",
)  # fmt: skip
TUNING_COLUMNS = (*DPALS_COORDINATES, "place", "rmse", "settings")
STANDARD = "standard"
TUNED = "tuned"  # the variant that is compared with the method that takes no settings
NOT_PRIVATE = "none"
GENERATED = "generated"  # the name of a job's input that is no file of a real data set
SHARED = ("seed", "data", "delta")  # settings that all cells of a curve have in common
LIANG = "liang"
TIMING_EPSILON = 10.0  # of the private methods where only their CPU time is asked for


@dataclass(frozen=True)
class DpalsCell:
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

    def coordinates(self) -> dict[str, object]:
        """Return the coordinates as a dictionary in the order of :data:`DPALS_COORDINATES`."""
        return asdict(self)

    def curve(self) -> dict[str, str]:
        """Return the coordinates but for epsilon, in the order of :data:`CURVE_COORDINATES`."""
        return {name: getattr(self, name) for name in CURVE_COORDINATES}

    def formatted(self) -> dict[str, str]:
        """Return the coordinates as they stand in file names: 5, 0.5, none."""
        return {name: format_coordinate(value) for name, value in self.coordinates().items()}

    @classmethod
    def from_formatted(cls, formatted: Mapping[str, str]) -> "DpalsCell":
        """Return the cell that :meth:`formatted` stands for.

        An empty text, as in a table, stands for None too.
        """
        values = {name: formatted[name] for name in DPALS_COORDINATES}
        epsilon = values["epsilon"]
        values["epsilon"] = None if epsilon in ("", NOT_PRIVATE) else float(epsilon)
        return cls(**values)


def dpals_cells(dpals: Mapping) -> list[DpalsCell]:
    """Return every cell of the ``dpals`` section; without privacy once, whatever the epsilons.

    Raises
    ------
    InputError
        Two experiments have a cell in common: its trials could not have two numbers.
    """
    return list(_owners(dpals))


def curves(dpals: Mapping) -> list[dict[str, str]]:
    """Return the coordinates of every curve: a cell's, but for its epsilon."""
    named = {tuple(cell.curve().values()): cell.curve() for cell in dpals_cells(dpals)}
    return list(named.values())


def dpals_settings(dpals: Mapping, cell: DpalsCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    Parameters
    ----------
    dpals : mapping
        The section of the configuration, with the table of hyper-parameters.
    cell : DpalsCell

    Returns
    -------
    dict
        ``seed``, ``trials``, ``data`` (the entry of the data set), ``model`` (hyper-parameters),
        with privacy ``delta``, and ``by_iteration`` where the errors by iteration are wanted.

    Raises
    ------
    InputError
        No experiment of the section has this cell.
    """
    for known, experiment in _curve_cells(dpals, cell.curve()):
        if known == cell:
            return _settings(dpals, experiment, cell)
    raise InputError(f"No experiment of dpals has the cell {', '.join(cell.formatted().values())}.")


def _settings(dpals: Mapping, experiment: Mapping, cell: DpalsCell) -> dict[str, object]:
    model = model_settings(dpals["hyperparameters"], cell.coordinates())
    settings = {
        "seed": dpals["seed"],
        "trials": experiment["trials"],
        "data": dict(dpals["datasets"][cell.dataset]),
        "model": model | variants_of(experiment)[cell.variant],
    }
    if METHODS[cell.method].private:
        settings["delta"] = float(settings["data"].pop("delta", dpals["delta"]))
    if experiment.get("by_iteration"):
        settings["by_iteration"] = True
    return settings


def curve_settings(dpals: Mapping, curve: Mapping[str, str]) -> dict[str, object]:
    """Return exactly the settings that a curve uses, as plain values.

    A setting that is not in here cannot change the curve's numbers, so it need not rerun.

    Returns
    -------
    dict
        :data:`SHARED` of :func:`dpals_settings`, the same for all cells, and ``cells``: for each
        cell its ``epsilon`` and the other settings.
    """
    shared: dict[str, object] = {}
    cells = []
    for cell, experiment in _curve_cells(dpals, curve):
        settings = _settings(dpals, experiment, cell)
        shared = {name: settings.pop(name) for name in SHARED if name in settings}
        cells.append({"epsilon": cell.epsilon, **settings})
    return {**shared, "cells": cells}


def cells_of(
    curve: Mapping[str, str], settings: Mapping[str, object]
) -> list[tuple[DpalsCell, dict[str, object]]]:
    """Return the cells of a curve, each with its own settings, from :func:`curve_settings`."""
    shared = {name: settings[name] for name in SHARED if name in settings}
    names = [curve[name] for name in CURVE_COORDINATES]
    return [(DpalsCell(*names, own["epsilon"]), shared | own) for own in settings["cells"]]


def experiments_of(dpals: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Yield the experiments that run, by name: not null, and large ones only if wanted."""
    for name, experiment in dpals["experiments"].items():
        if experiment is not None and (dpals["large"] or not experiment.get("large")):
            yield name, experiment


def variants_of(experiment: Mapping) -> Mapping[str, Mapping]:
    """Return the variants of an experiment: their names, and the settings that they change."""
    return experiment.get("variants") or {STANDARD: {}}


def modules_of(method: str) -> list[str]:
    """Return the modules that a method's numbers depend on, for the digest of its jobs."""
    chosen = METHODS[method]
    # mechanisms are imported by name
    return [chosen.module, *(["dpmc.mechanisms.gaussian"] if chosen.private else [])]


def is_synthetic(entry: Mapping) -> bool:
    """Return whether an entry of ``dpals.datasets`` describes a matrix that is drawn."""
    return "rank" in entry


def public_range(entry: Mapping) -> tuple[float, float]:
    """Return the public range of the ratings that a model sees."""
    if entry.get("split") == LIANG:
        return (0.0, 1.0)  # signs of preference
    low, high = entry.get("rescale", entry["rating_range"])
    return float(low), float(high)


def is_surrogate(dpals: Mapping, dataset: str) -> bool:
    """Return whether a data set is a generated file of the format of a real one."""
    return "like" in dpals["datasets"].get(dataset, {})


def stored(dpals: Mapping, dataset: str) -> str | None:
    """Return the name of the stored ratings that a data set is made of; None if it is drawn."""
    entry = dpals["datasets"][dataset]
    return None if is_synthetic(entry) else entry.get("of", dataset)


def surrogate_settings(dpals: Mapping, dataset: str) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.surrogate.surrogate`."""
    entry = dpals["datasets"][dataset]
    return {"seed": dpals["seed"], "name": dataset, "like": entry["like"], "scale": entry["scale"]}


def coverage_settings(dpals: Mapping, dataset: str) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.coverage.coverage`."""
    most = dpals["coverage"]["ratings_per_user"]
    return {"seed": dpals["seed"], "dataset": dataset, "ratings_per_user": most}


def timing_settings(dpals: Mapping) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.timing.timing`.

    Hyper-parameters are those of a data set "timing", and :data:`TIMING_EPSILON`.
    """
    timing = dict(dpals["timing"])
    models = {}
    for name in timing.pop("methods"):
        cell = DpalsCell("timing", name, STANDARD, TIMING_EPSILON)
        models[name] = model_settings(dpals["hyperparameters"], cell.coordinates())
    budget = {"epsilon": TIMING_EPSILON, "delta": float(dpals["delta"])}
    return {"seed": dpals["seed"], **budget, **timing, "models": models}


def accounting_settings(dpals: Mapping) -> dict[str, object]:
    """Return the arguments of :func:`dpmc.studies.dpals.accounting.accounting_rows`."""
    return {"delta": dpals["delta"], **dpals["accounting"]}


def real_datasets(dpals: Mapping) -> list[str]:
    """Return the data sets whose real files are used, each once, known names or not."""
    return [name for name in _files(dpals) if not is_surrogate(dpals, name)]


def surrogates(dpals: Mapping) -> list[str]:
    """Return the data sets that are generated in place of real files, each once."""
    return [name for name in _files(dpals) if is_surrogate(dpals, name)]


def _files(dpals: Mapping) -> list[str]:
    """Return the names of all stored ratings that are used, each once."""
    names = [name for _, experiment in experiments_of(dpals) for name in experiment["datasets"]]
    names += dpals["coverage"]["datasets"]
    files = [stored(dpals, name) for name in names if name in dpals["datasets"]]
    return [name for name in dict.fromkeys(files) if name is not None]


def _owners(dpals: Mapping) -> dict[DpalsCell, str]:
    """The cells and the experiment that each belongs to."""
    owners: dict[DpalsCell, str] = {}
    for name, experiment in experiments_of(dpals):
        for cell in _cells_of(experiment):
            if cell in owners:
                raise InputError(
                    f"dpals.experiments.{owners[cell]} and .{name} share the cell "
                    f"{', '.join(cell.formatted().values())}; give the two different data sets, "
                    "methods or variants."
                )
            owners[cell] = name
    return owners


def _cells_of(experiment: Mapping) -> Iterator[DpalsCell]:
    for dataset in experiment["datasets"]:
        for method in experiment["methods"]:
            for variant in variants_of(experiment):
                for epsilon in _epsilons(experiment, method):
                    yield DpalsCell(dataset, method, variant, epsilon)


def _curve_cells(
    dpals: Mapping, curve: Mapping[str, str]
) -> Iterator[tuple[DpalsCell, Mapping[str, object]]]:
    """Yield the cells of a curve, each with its experiment."""
    dataset, method, variant = (curve[name] for name in CURVE_COORDINATES)
    for _, experiment in experiments_of(dpals):
        named = dataset in experiment["datasets"] and method in experiment["methods"]
        if named and variant in variants_of(experiment):
            for epsilon in _epsilons(experiment, method):
                yield DpalsCell(dataset, method, variant, epsilon), experiment


def _epsilons(experiment: Mapping, method: str) -> list[float | None]:
    return [float(e) for e in experiment["epsilons"]] if METHODS[method].private else [None]
