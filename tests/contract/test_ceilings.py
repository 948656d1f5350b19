"""A package or the tests that grow beyond their ceiling are named, and others are not."""

import runpy

import yaml
from document_texts import HOME

LINES = runpy.run_path(str(HOME / "benchmarks" / "lines.py"))


def test_what_is_above_its_ceiling_is_named():
    ceilings = {"src/dpmc": 100, "tests": 50}
    assert LINES["too_long"]({"src/dpmc": 100, "tests": 50}, ceilings) == ""
    said = LINES["too_long"]({"src/dpmc": 101, "tests": 50}, ceilings)
    assert said.startswith("src/dpmc has 101 lines, and its ceiling is 100: take something out, or")
    assert "tests" not in said


def test_both_packages_and_the_tests_have_one():
    ceilings = yaml.safe_load(LINES["CEILINGS"].read_text(encoding="utf-8"))
    places = {f"src/{each.name}" for each in LINES["PACKAGES"]} | {"tests"}
    assert set(ceilings) == places
