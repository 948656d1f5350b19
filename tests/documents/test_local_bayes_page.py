"""The page on Local Bayes has every constant of the code, with its value."""

import ast
import importlib
import math
import re
from numbers import Real
from pathlib import Path

import numpy as np
import pytest
from document_texts import HOME

from dpmc.methods.user_level import local_bayes

PAGE = HOME / "docs" / "local_bayes.md"
PLACES = {"OFFSET", "LEVEL"}
"""Where parameters stand, which is no number that was chosen."""
DETAILS = {("counts", "TOGETHER"), ("scale", "SHARES"), ("scale", "PLACES")} | {
    ("users", each) for each in ("LEAST_PIVOT", "LEAST_REST", "TOGETHER")
}
"""What no number hangs on, or what follows from constants: the page does not list it."""


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
    """Elsewhere are theory, what follows from constants, and details that no number hangs on."""
    others = {key for key in constants_of_the_code() if key[0] != "constants"}
    norms = {(each, "NORM") for each in ("scale", "offsets", "refinement", "check", "worth")}
    assert others == {("scale", "LOG_SQUARE_MEANS")} | norms | DETAILS


def constants_of(page):
    """Return what a page says, such as `NAME=1` or `module.NAME≈1.02`, by (module, name)."""
    found = re.findall(r"`(?:(\w+)\.)?([A-Z_]+)([=≈])([^`]+)`", page)
    named = [((module or "constants", name), (sign, text)) for module, name, sign, text in found]
    assert len(dict(named)) == len(named), "a constant is listed twice"
    return dict(named)


def is_value(sign, text, value):
    """Say whether a text is a value: exactly, or to its digits after "≈"."""
    if sign == "≈":
        return f"{value:.{len(text.partition('.')[2])}f}" == text
    read = [math.e if one == "e" else float(one) for one in text.split(",")]
    return np.array_equal(read, np.atleast_1d(value))


def test_the_page_lists_the_constants_of_the_code_and_no_other():
    listed = set(constants_of(PAGE.read_text(encoding="utf-8")))
    assert listed == set(constants_of_the_code()) - DETAILS


def test_the_page_has_their_values():
    listed = constants_of(PAGE.read_text(encoding="utf-8"))
    wrong = {
        key: (listed[key], value)
        for key, value in constants_of_the_code().items()
        if key not in DETAILS and not is_value(*listed[key], value)
    }
    assert wrong == {}


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


@pytest.mark.parametrize(
    ("listed", "value", "same"),
    [
        ("=0.03", 0.03, True),
        ("=0.03", 0.031, False),
        ("=1e6", 1e6, True),
        ("=e", math.e, True),
        ("≈1.02", math.sqrt(1.04), True),
        ("≈1.03", math.sqrt(1.04), False),
        ("=-1.83,0", np.array([-1.83, 0]), True),
        ("=-1.83", np.array([-1.83, 0]), False),
    ],
)
def test_values_are_compared_as_they_are_shown(listed, value, same):
    assert is_value(listed[0], listed[1:], value) == same
    page = f"| 1 | `a.X_Y{listed}`, `Z=1`, and `Z` |"
    assert constants_of(page)["a", "X_Y"] == (listed[0], listed[1:])
    assert constants_of(page)["constants", "Z"] == ("=", "1")
