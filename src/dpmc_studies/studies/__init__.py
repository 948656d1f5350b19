"""The studies; each folder is a paper or a question of our own.

This module is the one place that lists the studies. A study from outside of the package is a Python
package, a folder with an ``__init__.py``, that defines ``STUDY``; the configuration names its path.
"""

import importlib
from collections.abc import Iterable
from pathlib import Path

from dpmc.errors import InputError
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.jobs.job import make_importable

BUILT_IN = ("huber", "equal_privacy", "which_model", "audit", "onebit", "dpals")

RESERVED = (
    *("data", "report", "reference", "studies", "all", "quick", "check", "results"),
    *("index", "numbers"),
)
"""Names that mean something else in the configuration, among targets, pages or below results."""


def load(paths: Iterable[str | Path] = ()) -> dict[str, Study]:
    """Return the studies of this package and those at ``paths``, by name, in this order."""
    found = [importlib.import_module(f"dpmc_studies.studies.{name}").STUDY for name in BUILT_IN]
    found += [_outside(Path(path)) for path in paths]
    studies: dict[str, Study] = {}
    for study in found:
        if study.name in (*RESERVED, *studies):
            raise InputError(
                f"Two studies, or a study and a part of dpmc, are called {study.name}; rename one."
            )
        studies[study.name] = study
    return studies


def _outside(path: Path) -> Study:
    if not (path / "__init__.py").is_file():
        raise InputError(
            f"There is no study in {path}: it must be a folder with an __init__.py that defines "
            "STUDY; correct studies in the configuration."
        )
    make_importable(path.resolve())
    try:
        module = importlib.import_module(path.resolve().name)
    except Exception as error:
        raise InputError(
            f"The study {path} cannot be imported: {type(error).__name__}: {error}."
        ) from error
    if Path(module.__file__ or "").resolve().parent != path.resolve():
        raise InputError(
            f"The study {path} cannot be imported: {path.resolve().name} is the name of another "
            f"Python package, {module.__file__}; rename the folder."
        )
    if not isinstance(getattr(module, "STUDY", None), Study):
        raise InputError(
            f"{path / '__init__.py'} must define STUDY, a dpmc_studies.frame.api.Study."
        )
    return module.STUDY
