"""Property tests have no deadline: how long an example takes says how busy the machine is."""

import ast
from pathlib import Path

FILES = sorted(Path(__file__).parent.rglob("test_*.py"))


def named(decorator):
    return decorator.func.id if isinstance(getattr(decorator, "func", None), ast.Name) else None


def property_tests(path):
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "given" in text else ():
        if isinstance(node, ast.FunctionDef):
            calls = {named(each): each for each in node.decorator_list}
            if "given" in calls:
                yield node.name, calls.get("settings")


def test_no_property_test_has_a_deadline():
    found = 0
    for path in FILES:
        for name, settings in property_tests(path):
            keywords = {} if settings is None else {k.arg: k.value for k in settings.keywords}
            deadline = keywords.get("deadline", ast.Constant("missing"))
            assert isinstance(deadline, ast.Constant), f"{path.name}: {name}"
            assert deadline.value is None, f"{path.name}: {name}: deadline={deadline.value!r}"
            found += 1
    assert found > 30
