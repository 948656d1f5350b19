"""The section of DPALS: its cells, and exactly what each uses and reads.

Hyper-parameters are a table of their own: they were chosen on validation data of other seeds, and
no budget pays for that choice. What could not run is refused before anything runs by
:func:`dpmc.studies.dpals.check.check_dpals`.
"""

from collections.abc import Iterator, Mapping

from dpmc.frame.api import OutputOf, RatingsOf, Section, Source
from dpmc.frame.jobs.cells import Cell, is_drawn, owners
from dpmc.studies.dpals.cells import GENERATED, STANDARD, DpalsCell, SurrogateCell
from dpmc.studies.dpals.hyperparameters import model_settings
from dpmc.studies.dpals.methods import METHODS


def experiments_of(dpals: Mapping) -> dict[str, Mapping]:
    """Return the experiments that run, by name: large ones only if wanted."""
    found = dpals["experiments"].items()
    return {name: each for name, each in found if dpals["large"] or not each.get("large")}


def variants_of(experiment: Mapping) -> Mapping[str, Mapping]:
    """Return the variants of an experiment: their names, and the settings that they change."""
    return experiment.get("variants") or {STANDARD: {}}


def dpals_cells(dpals: Section) -> dict[DpalsCell, Mapping]:
    """Return every cell with its experiment; without privacy once, whatever the epsilons."""
    return owners("dpals", experiments_of(dpals), _cells_of, "data sets, methods or variants")


def _cells_of(experiment: Mapping) -> Iterator[DpalsCell]:
    budgets = [float(epsilon) for epsilon in experiment["epsilons"]]
    for dataset in experiment["datasets"]:
        for method in experiment["methods"]:
            for variant in variants_of(experiment):
                for epsilon in budgets if METHODS[method].private else [None]:
                    yield DpalsCell(dataset, method, variant, epsilon)


def dpals_settings(dpals: Section, cell: DpalsCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    They are ``seed``, ``trials``, ``data`` (the entry of the data set), ``model``
    (hyper-parameters), with privacy ``delta``, and ``by_iteration`` where the errors by iteration
    are wanted.
    """
    experiment = dpals["cells"][cell]
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
    """Return the modules of a method and its noise, which are imported by name."""
    chosen = METHODS[method]
    return [chosen.module, *(["dpmc.mechanisms.gaussian"] if chosen.private else [])]


def stored(dpals: Mapping, dataset: str) -> str | None:
    """Return the name of the stored ratings that a data set is made of; None if it is drawn."""
    entry = dpals["datasets"][dataset]
    return None if is_drawn(entry) else entry.get("of", dataset)


def inputs_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it draws its data."""
    name = stored(section, cell.dataset)
    if name is None:
        return {}
    if "like" in section["datasets"].get(name, {}):
        return {GENERATED: OutputOf("surrogate", SurrogateCell(name))}
    return {"ratings": RatingsOf(name)}
