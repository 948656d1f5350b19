"""What the benchmarks import exists: they run by hand, and a move would be noticed years later."""

import ast
import importlib
from pathlib import Path

import pytest

PACKAGES = ("dpmc", "dpmc_studies")
PROGRAMS = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_names_that_are_imported_exist(program):
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in PACKAGES:
            module = importlib.import_module(node.module)
            for each in node.names:
                if not hasattr(module, each.name):
                    importlib.import_module(f"{node.module}.{each.name}")
