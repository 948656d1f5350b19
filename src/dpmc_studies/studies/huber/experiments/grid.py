"""The papers' grid: every data set, rank, noise variance, observed fraction, method and noise."""

from collections.abc import Iterable, Iterator, Mapping

from dpmc.datasets.synthetic import load_instances
from dpmc.errors import InputError
from dpmc.mechanisms import mechanism_module
from dpmc_studies.frame.api import OutputOf, Section, Settings, Source
from dpmc_studies.frame.jobs import plugins
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_module
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.common import SYNTHETIC_SETTINGS, ratings_of, splits_of
from dpmc_studies.studies.huber.experiments.synthetic import Instances
from dpmc_studies.studies.huber.trial import TRIAL_COLUMNS, accepted_settings, make_method, run_cell


def huber_cells(section: Section) -> list[Cell]:
    """Return every cell, baselines included; one without noise is there once."""
    baselines = [(name, "none", None, None) for name in section["baselines"]]
    models = [
        (method, mechanism, variance, section["irls_iterations"])
        for variance in section["variances"]
        for method in section["methods"]
        for mechanism in section["mechanisms"]
    ]
    curves = [
        (SYNTHETIC, rank, fraction, models)
        for rank in section["ranks"]
        for fraction in section["observed_fractions"]
    ]
    for name, entry in section["real"].items():
        inner = entry["irls_iterations"]
        columns = [
            (each["method"], each["mechanism"], entry["variance"],
             each.get("irls_iterations", inner))
            for each in entry["columns"]
        ]  # fmt: skip
        curves += [
            (name, entry["rank"], fraction, columns) for fraction in splits_of(section, name)
        ]
    found = (Cell.of(*place, *model) for *place, own in curves for model in [*own, *baselines])
    return list(dict.fromkeys(found))


def cell_settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.
    """
    synthetic = cell.dataset == SYNTHETIC
    place = section["synthetic"] if synthetic else section["real"][cell.dataset]
    trials = [place.get("trials", section["trials"])]
    trials += [few["trials"] for few in section["fewer_trials"] if _matches(cell, few["where"])]
    settings = {"seed": section["seed"], "trials": min(trials)}
    if synthetic:
        settings |= {name: place[name] for name in SYNTHETIC_SETTINGS}
    else:
        settings["training_share"] = splits_of(section, cell.dataset)[cell.observed_fraction]
    accepted = accepted_settings(cell.method)
    settings |= {name: place.get(name, section.get(name)) for name in accepted}
    for override in section["overrides"]:
        if _matches(cell, override["where"]):
            changes = override["set"]
            settings |= {name: changes[name] for name in changes if name in settings}
    return settings


def _matches(cell: Cell, where: Mapping) -> bool:
    return all(getattr(cell, name) == value for name, value in where.items())


def check_grid(section: Section) -> None:
    """Refuse a name that nobody knows, a setting that touches nothing, a rank beyond the matrix, a
    variance that a mechanism cannot have."""
    _check_ranks(section)
    cells = huber_cells(section)
    for cell in {(c.dataset, c.method, c.mechanism, c.variance): c for c in cells}.values():
        try:
            make_method(cell, cell_settings(section, cell))
        except InputError as error:
            place = "" if cell.dataset == SYNTHETIC else f".real.{cell.dataset}"
            raise InputError(f"Configuration key huber{place}: {error}") from None
    for number, override in enumerate(section["overrides"]):
        touched = [cell for cell in cells if _matches(cell, override["where"])]
        known = {name for cell in touched for name in cell_settings(section, cell)}
        if not touched or not set(override["set"]) & known:
            raise InputError(
                f"huber.overrides.{number} changes nothing: no cell of the grid matches "
                f"{override['where']} and uses {', '.join(override['set'])}."
            )


def _check_ranks(section: Section) -> None:
    """Refuse a rank beyond the synthetic matrix."""
    users, items = section["synthetic"]["users"], section["synthetic"]["items"]
    most = min(users, items)
    given = {
        "ranks": section["ranks"],
        "convergence.rank": [section["convergence"]["rank"]],
        "starts.ranks": section["starts"]["ranks"],
        "transcript.rank": [section["transcript"]["rank"]],
    }
    for name, ranks in given.items():
        if max(ranks) > most:
            raise InputError(
                f"huber.{name} must be at most {most} for {users} users and {items} items "
                f"(huber.synthetic), got {max(ranks)}."
            )


def plugins_of(section: Section, cell: Cell) -> list[str]:
    """Return those plug-in files that define the cell's method or mechanism."""
    modules = cell_modules(cell)
    return [file for file in section["plugins"] if plugins.module_name(file) in modules]


def cell_modules(cell: Cell) -> list[str]:
    """Return the modules of a cell's method and mechanism, which are imported by name."""
    modules = [method_module(cell.method)]
    if cell.mechanism != "none":
        modules.append(mechanism_module(cell.mechanism))
    if "loss_parameter" in accepted_settings(cell.method):
        modules.append(mechanism_module("huber"))
    return modules


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses, plug-ins among it."""
    return cell_settings(section, cell) | {"plugins": plugins_of(section, cell)}


def without_plugins(cell: Cell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield a cell as the reference has it: where a method is defined changes no number."""
    kept = {name: value for name, value in settings.items() if name != "plugins"}
    yield cell.coordinates(), kept


def inputs(section: Section, cell: Cell) -> Mapping[str, Source]:
    """Return the ratings of a real cell, the generated data of a synthetic one."""
    drawn = OutputOf("synthetic", Instances(cell.rank, cell.observed_fraction))
    return ratings_of(section, cell) or {"data": drawn}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run all trials of a cell."""
    settings = task.settings
    plugins.load(settings.pop("plugins"))
    data = task.inputs.get("data")
    instances = None if data is None else load_instances(data)
    return {"trials": run_cell(task.cell, settings, instances=instances, ratings=task.ratings)}


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return [*cell_modules(cell), *plugins_of(section, cell)]


NAME = "cell"
TABLES = {"trials": TRIAL_COLUMNS}
CELL = Cell
cells = huber_cells
