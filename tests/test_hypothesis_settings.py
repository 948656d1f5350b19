"""Property tests have no deadline: how long an example takes says how busy the machine is."""

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("test_*.py"))


def named(decorator):
    return decorator.func.id if isinstance(getattr(decorator, "func", None), ast.Name) else None


def property_tests(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            calls = {named(each): each for each in node.decorator_list}
            if "given" in calls:
                yield node.name, calls.get("settings")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_deadline(path):
    for name, settings in property_tests(path):
        keywords = {} if settings is None else {k.arg: k.value for k in settings.keywords}
        deadline = keywords.get("deadline", ast.Constant("missing"))
        assert isinstance(deadline, ast.Constant), name
        assert deadline.value is None, f"{name}: deadline={deadline.value!r}"


def test_there_are_property_tests():
    assert sum(len(list(property_tests(path))) for path in FILES) > 30
