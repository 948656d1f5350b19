"""The section ``dpals``: its cells, and exactly the settings and inputs of each cell.

Hyper-parameters are in a table of their own. They were chosen on validation data of other seeds,
and no budget pays for that choice. :func:`dpmc_studies.studies.dpals.check.check_dpals` refuses
settings that cannot run, before anything runs.
"""

from collections.abc import Iterator, Mapping

from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import owners
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.studies.dpals.cells import STANDARD, DpalsCell
from dpmc_studies.studies.dpals.methods import METHODS


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

    The settings are ``seed``, ``trials``, ``data`` (the entry of the data set) and ``model``
    (hyper-parameters); with privacy also ``delta``, and ``by_iteration`` for errors by iteration.
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
