"""The settings of a run's cells, kept in settings.json next to a table of trials.

The module is apart from the tables, so that the workflow's process need not import pandas.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.errors import InputError

SETTINGS = "settings.json"
"""The file of settings in a study's folders of results and reference."""


@dataclass(frozen=True)
class Settings:
    """The requested settings of a run.

    ``reference`` is the value of ``reference`` in the configuration, which selects the expected
    labels. ``cells`` maps the name of a cell, see :func:`dpmc_studies.frame.jobs.cells.cell_name`,
    to exactly the settings that it uses, including ``seed`` and ``trials``.
    """

    reference: str
    cells: dict[str, dict[str, object]]


def read_settings(path: str | Path) -> Settings:
    """Read the output of :func:`settings_text`; nested settings get names like ``data.users``."""
    try:
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        cells = {name: dict(_flat(values)) for name, values in stored["cells"].items()}
        return Settings(str(stored["reference"]), cells)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{path} does not hold the settings of a run.") from None


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield names and values of what can be a key, of mappings inside of mappings."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, tuple(value) if isinstance(value, list) else value


def changed_settings(
    first: Settings, second: Settings
) -> dict[tuple[str, object, object], list[str]]:
    """Return the settings that differ in common cells, except the number of trials.

    The result is (setting, value in ``first``, value in ``second``) -> names of cells. "not set" is
    the value on a side without the setting.
    """
    changes: dict[tuple[str, object, object], list[str]] = {}
    for name in (name for name in first.cells if name in second.cells):
        here, there = first.cells[name], second.cells[name]
        for setting in sorted((here.keys() | there.keys()) - {"trials"}):
            values = [side.get(setting, "not set") for side in (here, there)]
            if values[0] != values[1]:
                changes.setdefault((setting, *values), []).append(name)
    return changes


def settings_text(settings: Settings) -> str:
    """Format settings as JSON with one line for each cell, so that a change is one line."""
    cells = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(values, sort_keys=True)}"
        for name, values in settings.cells.items()
    )
    return (
        f'{{\n  "reference": {json.dumps(settings.reference)},\n  "cells": {{\n{cells}\n  }}\n}}\n'
    )
