"""Reading, checking and resolving the configuration.

The workflow hands over the merged configuration; ``dpmc`` commands read ``config/config.yaml``
themselves. Either way :func:`checked` refuses what the schema does not know, in one sentence.
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path

import jsonschema
import yaml

from dpmc.datasets import resolve
from dpmc.errors import InputError, did_you_mean
from dpmc.experiments.calibrated import Hyperparameters, calibrated_cells, calibrated_settings
from dpmc.experiments.calibrated_trial import make_calibrated_solver
from dpmc.experiments.cells import SYNTHETIC, Cell, huber_cells
from dpmc.experiments.trial import accepted_settings, make_solver
from dpmc.yaml_files import read_mapping

# what a synthetic instance depends on beside its coordinates, seed and trial
SYNTHETIC_SETTINGS = ("users", "items", "scale")


def load(path: str | Path, overlays: Iterable[str | Path] = ()) -> dict:
    """Read a configuration and lay overlays over it, later ones last.

    Raises
    ------
    InputError
        A file is missing, is not a YAML mapping, or has a key twice.
    """
    configuration: dict = {}
    for each in [path, *overlays]:
        configuration = merge(configuration, read_mapping(each))
    return configuration


def merge(base: Mapping, overlay: Mapping) -> dict:
    """Return ``base`` with the keys of ``overlay`` laid over it, mapping by mapping."""
    merged = dict(copy.deepcopy(base))
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def left_out_stays_out(base: Mapping, overlay: Mapping) -> dict:
    """Return the overlay without the mappings that would bring back what ``base`` sets to null."""
    return {
        key: left_out_stays_out(base.get(key, {}), value) if isinstance(value, Mapping) else value
        for key, value in overlay.items()
        if not (isinstance(value, Mapping) and base.get(key, {}) is None)
    }


def checked(configuration: Mapping, schema_path: str | Path) -> dict:
    """Return a checked copy of a configuration; data sets set to null are left out of the grid.

    Raises
    ------
    InputError
        One sentence that names the key, the value and what is allowed.
    """
    schema = yaml.safe_load(Path(schema_path).read_text(encoding="utf-8"))
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(dict(configuration)))
    if errors:
        raise InputError(
            _sentence(min(map(_deepest, errors), key=lambda e: list(map(str, e.path))))
        )
    result = copy.deepcopy(dict(configuration))
    huber = result["huber"]
    huber["real"] = {name: entry for name, entry in huber["real"].items() if entry is not None}
    if SYNTHETIC in huber["real"] or SYNTHETIC in result["data"]["sets"]:
        raise InputError("A data set must not be called 'synthetic': that name is taken.")
    if huber["replication_seed"] == huber["seed"]:
        raise InputError(
            f"huber.replication_seed must differ from huber.seed, both are {huber['seed']}; "
            "set another seed, or null for no second run."
        )
    _check_privacy_section(result["privacy"])
    return result


def _check_privacy_section(privacy: dict) -> None:
    """Leave out data sets that are null; refuse what the schema cannot see."""
    privacy["datasets"] = {
        name: entry for name, entry in privacy["datasets"].items() if entry is not None
    }
    for name, entry in privacy["datasets"].items():
        low, high = entry["rating_range"]
        if not low < high:
            raise InputError(
                f"privacy.datasets.{name}.rating_range must be [lowest, highest], "
                f"got [{low:g}, {high:g}]."
            )
    if privacy["tuning_seed"] == privacy["seed"]:
        raise InputError(
            f"privacy.tuning_seed must differ from privacy.seed, both are {privacy['seed']}: "
            "hyper-parameters are chosen on other data than they are judged on."
        )


def _deepest(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Follow anyOf into the branch that says most; no further where it is the value's kind."""
    while error.context:
        fitting = _branches_of_its_kind(error)
        if not fitting:
            return error
        error = max(fitting, key=lambda e: (len(e.absolute_path), e.validator != "type"))
    return error


def _branches_of_its_kind(error: jsonschema.ValidationError) -> list[jsonschema.ValidationError]:
    """Of a mapping or list, return the errors of the branches of anyOf that are for such."""
    if not isinstance(error.instance, Mapping | list):
        return []
    other_kind = {
        branch.schema_path[0]
        for branch in error.context
        if not branch.path and branch.validator in ("type", "const", "enum")
    }
    return [branch for branch in error.context if branch.schema_path[0] not in other_kind]


def _allowed(schema: Mapping) -> str:
    """Say what a branch of anyOf allows, from the part of the schema that refused the value."""
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kinds = {
        "integer": "a whole number",
        "number": "a number",
        "string": "text",
        "boolean": "true or false",
        "array": "a list",
        "object": "a mapping of keys to values",
    }
    limits = {
        "minimum": " of at least {}",
        "exclusiveMinimum": " above {}",
        "maximum": " of at most {}",
        "exclusiveMaximum": " below {}",
    }
    found = [text.format(schema[name]) for name, text in limits.items() if name in schema]
    kind = str(schema.get("type"))
    return kinds.get(kind, kind) + " and".join(found)


def _sentence(error: jsonschema.ValidationError) -> str:
    key = ".".join(str(part) for part in error.absolute_path) or "configuration"
    if error.context:
        allowed = dict.fromkeys(_allowed(branch.schema) for branch in error.context)
        words = [
            str(branch.schema["const"]) for branch in error.context if "const" in branch.schema
        ]
        return (
            f"Configuration key {key} must be {' or '.join(allowed)}, got {error.instance!r}"
            f"{did_you_mean(error.instance, words)}."
        )
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        unknown = next(name for name in error.instance if name not in allowed)
        place = f"{key}.{unknown}" if error.absolute_path else str(unknown)
        return (
            f"Unknown configuration key {place}{did_you_mean(unknown, allowed)}; "
            f"allowed here: {', '.join(sorted(allowed))}."
        )
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f"Configuration key {key}.{missing} is missing; config/README.md says what it means."
    limits = {
        "type": "must be of type {}",
        "minimum": "must be at least {}",
        "exclusiveMinimum": "must be above {}",
        "exclusiveMaximum": "must be below {}",
        "enum": "must be one of {}",
        "const": "must be {}",
        "minItems": "must have at least {} entries",
        "minProperties": "must have at least {} entries",
        "minLength": "must have at least {} characters",
        "pattern": "must match {}",
    }
    if error.validator == "uniqueItems":
        return f"Configuration key {key} names something twice: {error.instance!r}."
    template = limits.get(error.validator, "is not allowed: {}")
    wanted = error.validator_value
    wanted = ", ".join(map(str, wanted)) if isinstance(wanted, list) else wanted
    hint = did_you_mean(error.instance, error.validator_value) if error.validator == "enum" else ""
    return f"Configuration key {key} {template.format(wanted)}, got {error.instance!r}{hint}."


def cell_settings(huber: Mapping, cell: Cell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.
    """
    synthetic = cell.dataset == SYNTHETIC
    place = huber["synthetic"] if synthetic else huber["real"][cell.dataset]
    settings = {"seed": huber["seed"], "trials": huber["trials"]}
    if synthetic:
        settings |= {name: place[name] for name in SYNTHETIC_SETTINGS}
    else:
        settings["training_share"] = _training_share(place, cell.observed_fraction)
    accepted = accepted_settings(cell.solver)
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


def check_grid(configuration: Mapping) -> None:
    """Refuse a grid with a name that nobody knows, or a setting that touches nothing.

    Raises
    ------
    InputError
        An unknown data set, solver or mechanism, a variance that a mechanism cannot have, or an
        override that changes nothing.
    """
    huber = configuration["huber"]
    for name in huber["real"]:
        resolve(name, configuration["data"]["sets"])
    cells = huber_cells(huber)
    for cell in {(c.solver, c.mechanism, c.variance): c for c in cells}.values():
        make_solver(cell, cell_settings(huber, cell))
    for number, override in enumerate(huber["overrides"]):
        touched = [cell for cell in cells if _matches(cell, override["where"])]
        known = {name for cell in touched for name in cell_settings(huber, cell)}
        if not touched or not set(override["set"]) & known:
            raise InputError(
                f"huber.overrides.{number} changes nothing: no cell of the grid matches "
                f"{override['where']} and uses {', '.join(override['set'])}."
            )


def check_privacy(configuration: Mapping, hyperparameters: Hyperparameters) -> None:
    """Refuse fits at equal privacy that could not run, before anything runs.

    Raises
    ------
    InputError
        An unknown data set or solver, a cell without hyper-parameters, or some that its solver
        does not take.
    """
    privacy = configuration["privacy"]
    for name, entry in privacy["datasets"].items():
        if "users" not in entry:
            resolve(name, configuration["data"]["sets"])
    for cell in calibrated_cells(privacy):
        settings = calibrated_settings(privacy, hyperparameters, cell)
        for mechanism, values in settings["hyperparameters"].items():
            make_calibrated_solver(cell, settings, mechanism, values)


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
