"""Numbers of Local Bayes that were chosen are in one module, and its page calls those alone."""

import ast
import importlib
import re
from numbers import Real
from pathlib import Path

import numpy as np
from document_texts import HOME

from dpmc.methods.user_level import local_bayes

PAGE = HOME / "docs" / "local_bayes.md"
PLACES = {"OFFSET", "LEVEL"}
"""Where parameters stand, which is no number that was chosen."""
DETAILS = {("counts", "TOGETHER"), ("scale", "SHARES"), ("scale", "PLACES")} | {
    ("users", each) for each in ("LEAST_PIVOT", "LEAST_REST", "TOGETHER")
}
"""What no number depends on, or what follows from constants."""


def constants_of_the_code():
    """Return the numbers in capitals that each module defines, by (module, name)."""
    found = {}
    for path in Path(local_bayes.__file__).parent.glob("[!_]*.py"):
        module = importlib.import_module(f"{local_bayes.__name__}.{path.stem}")
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in ast.walk(line) if isinstance(line, ast.Assign) else ():
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    value = getattr(module, name.id)
                    if isinstance(value, Real | np.ndarray):
                        found[path.stem, name.id] = value
    return {key: value for key, value in found.items() if key[1] not in PLACES}


def test_what_was_chosen_is_in_one_module():
    """Elsewhere are theory, what follows from constants, and details that no number depends on."""
    others = {key for key in constants_of_the_code() if key[0] != "constants"}
    norms = {(each, "NORM") for each in ("scale", "offsets", "refinement", "check", "worth")}
    assert others == {("scale", "LOG_SQUARE_MEANS")} | norms | DETAILS


def test_formulas_call_known_constants_alone():
    """Those with an underscore or a module; a name that two modules have needs its module."""
    text = PAGE.read_text(encoding="utf-8").split("## Constants")[0]
    known, names = set(constants_of_the_code()), [name for _, name in constants_of_the_code()]
    of_modules = re.findall(r"\b([a-z]+)\.([A-Z][A-Z_]+)\b", text)
    assert of_modules
    assert set(of_modules) <= known
    plain = set(re.findall(r"(?<![.\w])[A-Z]+(?:_[A-Z]+)+\b", text))
    assert plain
    assert {name for name in plain if names.count(name) != 1} == set()
