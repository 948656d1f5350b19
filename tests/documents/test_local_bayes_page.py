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
WORDS = {"e": math.e, "2^-52": 2.0**-52}


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
    follows = {("scale", "LOG_SQUARE_MEANS"), ("scale", "PLACES")}
    follows |= {(each, "NORM") for each in ("scale", "offsets", "refinement", "check", "worth")}
    details = {("counts", "TOGETHER"), ("scale", "SHARES")}
    details |= {("users", each) for each in ("LEAST_PIVOT", "LEAST_REST", "TOGETHER")}
    assert others == follows | details


def constants_of(page):
    """Return what the tables of a page say, as text, by (module, name)."""
    found = {}
    for module, names, values in re.findall(r"^\| (\w+) \| (`.+?`) \| (.+?) \|", page, re.M):
        names = re.findall(r"`(\w+)`", names)
        texts = [values] if len(names) == 1 else values.split(", ")
        assert len(texts) == len(names), f"{names} have the values {values}"
        for name, text in zip(names, texts, strict=True):
            assert (module, name) not in found, f"{module}.{name} is listed twice"
            found[module, name] = text
    return found


def read(text):
    """Return the numbers that a text stands for."""
    if " by " in text:
        low, high, step = re.fullmatch(r"(.+) to (.+) by (.+)", text).groups()
        return np.arange(float(low), float(high) + float(step) / 2, float(step))
    return np.array([WORDS[one] if one in WORDS else float(one) for one in text.split(", ")])


def is_value(text, value):
    """Say whether a text is a value: exactly, or to its digits after "≈"."""
    if text.startswith("≈ "):
        digits = len(text.partition(".")[2])
        return f"{value:.{digits}f}" == text[2:]
    return np.array_equal(read(text), np.atleast_1d(value))


def test_the_page_lists_the_constants_of_the_code_and_no_other():
    assert set(constants_of(PAGE.read_text(encoding="utf-8"))) == set(constants_of_the_code())


def test_the_page_has_their_values():
    listed = constants_of(PAGE.read_text(encoding="utf-8"))
    wrong = {
        key: (listed[key], value)
        for key, value in constants_of_the_code().items()
        if not is_value(listed[key], value)
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
    ("text", "value", "same"),
    [
        ("0.03", 0.03, True),
        ("0.03", 0.031, False),
        ("1e6", 1e6, True),
        ("e", math.e, True),
        ("≈ 1.02", math.sqrt(1.04), True),
        ("≈ 1.03", math.sqrt(1.04), False),
        ("-1.83, 0", np.array([-1.83, 0]), True),
        ("-1.83", np.array([-1.83, 0]), False),
        ("0 to 1 by 0.25", np.linspace(0, 1, 5), True),
        ("0 to 1 by 0.5", np.linspace(0, 1, 5), False),
    ],
)
def test_values_are_compared_as_they_are_shown(text, value, same):
    assert is_value(text, value) == same


def test_names_and_values_are_read_from_a_table():
    page = "| a | `X`, `Y` | 1, 2 | text |\n| b | `X` | 1, 2 | | \n| c | d | 3 | |\n"
    assert constants_of(page) == {("a", "X"): "1", ("a", "Y"): "2", ("b", "X"): "1, 2"}
