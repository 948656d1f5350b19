"""Plug-in files: a user's own mechanisms and methods, named in the configuration.

A plug-in is a Python file that registers classes with
:func:`dpmc.mechanisms.register_mechanism` or :func:`dpmc.methods.register_method`.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from dpmc.errors import InputError
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.mechanisms import mechanism_module
from dpmc.methods import method_module
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.trial import accepted_settings


def module_name(file: str | Path) -> str:
    """Return the name under which a plug-in file is imported."""
    path = Path(file).resolve()
    return f"dpmc_plugin_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def used_by(cell: Cell, files: Iterable[str]) -> list[str]:
    """Return those plug-in files that define the cell's method or mechanism."""
    modules = cell_modules(cell)
    return [file for file in files if module_name(file) in modules]


def load(files: Iterable[str | Path]) -> None:
    """Import plug-in files, each once."""
    for file in map(Path, files):
        if not file.is_file() or file.suffix != ".py":
            raise InputError(
                f"There is no plug-in file {file} with a name that ends in .py; correct "
                "huber.plugins or --plugin."
            )
        name = module_name(file)
        if name in sys.modules:
            continue
        spec = importlib.util.spec_from_file_location(name, file.resolve())
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise InputError(
                f"The plug-in {file} cannot be imported: {type(error).__name__}: {error}."
            ) from error


def cell_modules(cell: Cell) -> list[str]:
    """Return the modules that a cell's numbers depend on, for :func:`code_digest`."""
    modules = ["dpmc.studies.huber.trial", method_module(cell.method)]
    if cell.mechanism != "none":
        modules.append(mechanism_module(cell.mechanism))
    if "loss_parameter" in accepted_settings(cell.method):
        modules.append(mechanism_module("huber"))
    if cell.dataset == SYNTHETIC:
        modules.append("dpmc.datasets.synthetic")
    return modules
