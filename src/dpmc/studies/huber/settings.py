"""Exactly the settings that a cell or a side experiment of the Huber study uses."""

from collections.abc import Mapping

from dpmc.datasets import resolve
from dpmc.errors import InputError
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.studies.huber.cells import Cell, huber_cells
from dpmc.studies.huber.trial import accepted_settings, make_method

# what a synthetic instance depends on beside its coordinates, seed and trial
SYNTHETIC_SETTINGS = ("users", "items", "scale")


def cell_settings(huber: Mapping, cell: Cell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.
    """
    synthetic = cell.dataset == SYNTHETIC
    place = huber["synthetic"] if synthetic else huber["real"][cell.dataset]
    settings = {"seed": huber["seed"], "trials": place.get("trials", huber["trials"])}
    if synthetic:
        settings |= {name: place[name] for name in SYNTHETIC_SETTINGS}
    else:
        settings["training_share"] = _training_share(place, cell.observed_fraction)
    accepted = accepted_settings(cell.method)
    settings |= {name: place.get(name, huber.get(name)) for name in accepted}
    for override in huber["overrides"]:
        if _matches(cell, override["where"]):
            changes = override["set"]
            settings |= {name: changes[name] for name in changes if name in settings}
    return settings


def _training_share(entry: Mapping, fraction: float) -> float:
    for split in entry["splits"]:
        if split["observed_fraction"] == fraction:
            return split.get("training_share", fraction)
    raise KeyError(fraction)


def _matches(cell: Cell, where: Mapping) -> bool:
    coordinates = cell.coordinates()
    return all(coordinates[name] == value for name, value in where.items())


def check_grid(huber: Mapping, sets: Mapping) -> None:
    """Refuse a grid with a name that nobody knows, or a setting that touches nothing.

    Nor can a rank be beyond the synthetic matrix, or a variance one that a mechanism cannot have.
    """
    for name in huber["real"]:
        resolve(name, sets)
    _check_ranks(huber)
    cells = huber_cells(huber)
    for cell in {(c.method, c.mechanism, c.variance): c for c in cells}.values():
        make_method(cell, cell_settings(huber, cell))
    for number, override in enumerate(huber["overrides"]):
        touched = [cell for cell in cells if _matches(cell, override["where"])]
        known = {name for cell in touched for name in cell_settings(huber, cell)}
        if not touched or not set(override["set"]) & known:
            raise InputError(
                f"huber.overrides.{number} changes nothing: no cell of the grid matches "
                f"{override['where']} and uses {', '.join(override['set'])}."
            )


def _check_ranks(huber: Mapping) -> None:
    users, items = huber["synthetic"]["users"], huber["synthetic"]["items"]
    most = min(users, items)
    side = {f"{name}.rank": [huber[name]["rank"]] for name in ("convergence", "starts")}
    for name, ranks in {"ranks": huber["ranks"], **side}.items():
        if max(ranks) > most:
            raise InputError(
                f"huber.{name} must be at most {most} for {users} users and {items} items "
                f"(huber.synthetic), got {max(ranks)}."
            )


def side_settings(huber: Mapping, experiment: str) -> dict[str, object]:
    """Return the settings of a side experiment: convergence, starts or timing."""
    names = (
        "seed",
        "trials",
        "regularization",
        "iterations",
        "irls_iterations",
        "start",
        "loss_parameter",
        "residual_scale",
    )
    sizes = {name: huber["synthetic"][name] for name in SYNTHETIC_SETTINGS}
    return {name: huber[name] for name in names} | sizes | dict(huber[experiment])
