"""The table of hyper-parameters for user-level private factorisation."""

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import yaml

from dpmc.errors import InputError
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.yaml_files import QUICK

# what a row of hyper-parameters holds for, beside its settings and their source
SELECTORS = {
    "datasets": "dataset", "methods": "method", "variants": "variant", "epsilons": "epsilon",
}  # fmt: skip


class Hyperparameters(list[dict]):
    """The rows of a table, in order, with a cache by method and data set for fast starts."""

    def __init__(self, rows: Iterable[dict]) -> None:
        super().__init__(rows)
        self._of: dict[tuple[object, object], list[dict]] = {}

    def of(self, dataset: object, method: object) -> list[dict]:
        """Return the rows that may hold for a method on a data set."""
        if (dataset, method) not in self._of:
            self._of[dataset, method] = [
                row
                for row in self
                if dataset in row.get("datasets", [dataset])
                and method in row.get("methods", [method])
            ]
        return self._of[dataset, method]


def model_settings(
    hyperparameters: Hyperparameters, coordinates: Mapping[str, object]
) -> dict[str, object]:
    """Return the hyper-parameters of a cell; later matching rows override earlier ones."""
    merged = {}
    for row in hyperparameters.of(coordinates["dataset"], coordinates["method"]):
        if all(coordinates[own] in row[name] for name, own in SELECTORS.items() if name in row):
            merged |= row["settings"]
    return merged


def with_hyperparameters(
    default: Path, check: str, cells: Callable[[Section], Mapping]
) -> Callable[[Section, Mapping[str, Mapping]], Section]:
    """Return a ``prepare`` function that adds hyper-parameters and cells to a study's section.

    ``default`` is the table if the section names none. ``check`` names a function that rejects a
    section that could not run, given the user's own data sets. It is text because that function
    constructs models and so imports all methods.
    """

    def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
        table = load_hyperparameters(section["hyperparameters"] or default)
        section = {**section, "hyperparameters": table}
        function(check)({**section, "large": True}, own_sets)  # what may run later too
        return {**section, "cells": cells(section)}

    return prepare


def load_hyperparameters(path: str | Path) -> Hyperparameters:
    """Read the table of hyper-parameters, a CSV file.

    A row applies to the variants, datasets, methods and epsilons in these columns, separated by
    spaces; an empty column means all. The other columns are ``source`` and the settings, with
    values as in YAML; an empty field sets nothing. Lines that start with # are comments. Later rows
    override earlier ones, setting by setting.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            lines = list(csv.reader(each for each in stream if each.strip() and each[0] != "#"))
        names, *rows = lines or [[]]
        if len({*names}) < len(names) or not {*SELECTORS, "source"} <= {*names}:
            raise InputError(
                f"{path} needs the columns {', '.join(SELECTORS)}, source and one for each "
                f"setting, each once; got {', '.join(names) or 'nothing'}."
            )
        found = []
        for number, fields in enumerate(rows, 1):
            given = {name: text for name, text in zip(names, fields, strict=False) if text.strip()}
            if len(fields) != len(names) or "source" not in given:
                raise InputError(f"{path}, row {number} needs a source and {len(names)} fields.")
            found.append(_parsed(given))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path} is not valid: {' '.join(str(error).split())}.") from error
    return Hyperparameters(found)


def _parsed(given: dict[str, str]) -> dict:
    row: dict[str, object] = {"source": given.pop("source")}
    for name in {*SELECTORS} & {*given}:
        words = given.pop(name).split()
        row[name] = [_scalar(word) for word in words] if name == "epsilons" else words
    return row | {"settings": {name: _scalar(text) for name, text in given.items()}}


def _scalar(text: str) -> object:
    return yaml.load(text, Loader=QUICK)
