"""The section of DPALS: its cells, and exactly what each uses and reads.

Hyper-parameters are a table of their own: they were chosen on validation data of other seeds, and
no budget pays for that choice. What could not run is refused before anything runs by
:func:`dpmc.studies.dpals.check.check_dpals`.
"""

from collections.abc import Iterator, Mapping

from dpmc.errors import InputError
from dpmc.frame.api import OutputOf, RatingsOf, Section, Source
from dpmc.frame.jobs.cells import Cell, owners
from dpmc.studies.dpals.cells import (
    GENERATED,
    STANDARD,
    TUNED,
    DataCell,
    DpalsCell,
    SurrogateCell,
    is_synthetic,
)
from dpmc.studies.dpals.hyperparameters import model_settings
from dpmc.studies.dpals.methods import METHODS
from dpmc.studies.dpals.spaces import SPACES

SURROGATE = "surrogate"
TIMING_EPSILON = 10.0  # of the private methods where only their CPU time is asked for


def experiments_of(dpals: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Yield the experiments that run, by name: not null, and large ones only if wanted."""
    for name, experiment in dpals["experiments"].items():
        if experiment is not None and (dpals["large"] or not experiment.get("large")):
            yield name, experiment


def variants_of(experiment: Mapping) -> Mapping[str, Mapping]:
    """Return the variants of an experiment: their names, and the settings that they change."""
    return experiment.get("variants") or {STANDARD: {}}


def dpals_cells(dpals: Section) -> list[DpalsCell]:
    """Return every cell of the ``dpals`` section; without privacy once, whatever the epsilons."""
    cells = ((name, _cells_of(experiment)) for name, experiment in experiments_of(dpals))
    return list(owners("dpals", cells, "data sets, methods or variants"))


def _cells_of(experiment: Mapping) -> Iterator[DpalsCell]:
    for dataset in experiment["datasets"]:
        for method in experiment["methods"]:
            for variant in variants_of(experiment):
                for epsilon in _epsilons(experiment, method):
                    yield DpalsCell(dataset, method, variant, epsilon)


def _epsilons(experiment: Mapping, method: str) -> list[float | None]:
    return [float(e) for e in experiment["epsilons"]] if METHODS[method].private else [None]


def _experiment_of(dpals: Section, cell: DpalsCell) -> Mapping:
    for _, experiment in experiments_of(dpals):
        named = cell.dataset in experiment["datasets"] and cell.method in experiment["methods"]
        named = named and cell.variant in variants_of(experiment)
        if named and cell.epsilon in _epsilons(experiment, cell.method):
            return experiment
    raise InputError(f"No experiment of dpals has the cell {', '.join(cell.formatted().values())}.")


def dpals_settings(dpals: Section, cell: DpalsCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    They are ``seed``, ``trials``, ``data`` (the entry of the data set), ``model``
    (hyper-parameters), with privacy ``delta``, and ``by_iteration`` where the errors by iteration
    are wanted.
    """
    experiment = _experiment_of(dpals, cell)
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


def modules_of(method: str) -> list[str]:
    """Return the modules of a method, which are imported by name."""
    chosen = METHODS[method]
    # mechanisms are imported by name
    return [chosen.module, *(["dpmc.mechanisms.gaussian"] if chosen.private else [])]


def is_surrogate(dpals: Mapping, dataset: str) -> bool:
    """Return whether a data set is a generated file of the format of a real one."""
    return "like" in dpals["datasets"].get(dataset, {})


def stored(dpals: Mapping, dataset: str) -> str | None:
    """Return the name of the stored ratings that a data set is made of; None if it is drawn."""
    entry = dpals["datasets"][dataset]
    return None if is_synthetic(entry) else entry.get("of", dataset)


def surrogate_settings(dpals: Section, cell: SurrogateCell) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.surrogate.surrogate`."""
    entry = dpals["datasets"][cell.surrogate]
    own = {name: entry[name] for name in ("like", "scale")}
    return {"seed": dpals["seed"], "name": cell.surrogate} | own


def coverage_settings(dpals: Section, cell: DataCell) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.coverage.coverage`."""
    most = dpals["coverage"]["ratings_per_user"]
    return {"seed": dpals["seed"], "dataset": cell.dataset, "ratings_per_user": most}


def timing_settings(dpals: Section, cell: Cell | None = None) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.timing.timing`.

    Hyper-parameters are those of a data set "timing", and :data:`TIMING_EPSILON`.
    """
    timing = dict(dpals["timing"])
    models = {}
    for name in timing.pop("methods"):
        fit = DpalsCell("timing", name, STANDARD, TIMING_EPSILON)
        models[name] = model_settings(dpals["hyperparameters"], fit.coordinates())
    budget = {"epsilon": TIMING_EPSILON, "delta": float(dpals["delta"])}
    return {"seed": dpals["seed"], **budget, **timing, "models": models}


def tuning_cells(dpals: Mapping) -> list[DpalsCell]:
    """Return the cells whose hyper-parameters can be searched on the data sets of the tuning."""
    names = dpals["tuning"]["datasets"]
    return [
        cell
        for cell in dpals_cells(dpals)
        if cell.dataset in names and cell.variant in (STANDARD, TUNED) and cell.method in SPACES
    ]


def tuning_settings(dpals: Mapping, cell: DpalsCell) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.tuning.tune` for a cell.

    They are those of :func:`dpmc.studies.dpals.cells.dpals_settings`, with the seed and the trials
    of the tuning, and ``candidates``: how many.
    """
    given = dpals["tuning"]
    changed = {name: given[name] for name in ("seed", "trials", "candidates")}
    return dpals_settings(dpals, cell) | changed


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


def inputs_of(section: Section, cell: DpalsCell | DataCell) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it draws its data."""
    name = stored(section, cell.dataset)
    if name is None:
        return {}
    if is_surrogate(section, name):
        return {GENERATED: OutputOf(SURROGATE, SurrogateCell(name))}
    return {"ratings": RatingsOf(name)}
