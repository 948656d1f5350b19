"""The experiments of a study: every module in its folder that defines ``run``."""

import importlib
import pkgutil
from types import ModuleType


def experiments_in(package: str) -> tuple[ModuleType, ...]:
    """Return the modules of a package that define ``run``, in the order of their names."""
    folder = importlib.import_module(package).__path__
    names = sorted(found.name for found in pkgutil.iter_modules(folder))
    modules = (importlib.import_module(f"{package}.{name}") for name in names)
    return tuple(module for module in modules if hasattr(module, "run"))
