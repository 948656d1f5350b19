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


def module_name(file: str | Path) -> str:
    """Return the name under which a plug-in file is imported."""
    path = Path(file).resolve()
    return f"dpmc_plugin_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def load(files: Iterable[str | Path]) -> None:
    """Import plug-in files, each once."""
    for file in map(Path, files):
        if not file.is_file() or file.suffix != ".py":
            raise InputError(
                f"There is no plug-in file {file} with a name that ends in .py; correct plugins in "
                "the configuration, or --plugin."
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
