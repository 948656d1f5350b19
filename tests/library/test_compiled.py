"""What numba keeps is removed when a file changes of which it is made, and only then."""

import os
import shutil
import subprocess
import sys

import pytest

from dpmc.compiled import PACKAGE, STAMP, forget_what_is_older

CALLER = """
from dpmc.callee import twice
from dpmc.compiled import njit

@njit(cache=True)
def called(x):
    return twice(x)
"""
CALLEE = """
from dpmc.compiled import njit
from dpmc.constant import FACTOR

@njit(cache=True)
def twice(x):
    return FACTOR * x
"""


@pytest.fixture
def package(tmp_path):
    """The least of a package, with a function that calls one of another file."""
    package = tmp_path / "dpmc"
    package.mkdir()
    for name in ("compiled.py", "files.py", "errors.py"):
        shutil.copy(PACKAGE / name, package)
    for name, text in (("caller", CALLER), ("callee", CALLEE), ("constant", "FACTOR = 2\n")):
        (package / f"{name}.py").write_text(text)
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("ANYTHING = 1\n")
    return package


def result(package):
    command = [sys.executable, "-c", "from dpmc.caller import called; print(called(1))"]
    path = {"PYTHONPATH": str(package.parent), "NUMBA_DISABLE_JIT": "0"}
    environment = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    run = subprocess.run(command, env=environment | path, check=True, capture_output=True)
    return int(run.stdout)


def kept(package):
    return {path.name: path.stat().st_mtime_ns for path in package.rglob("*.nbi")}


@pytest.fixture
def user(package):
    """Another package, whose function calls one of the first."""
    user = package.with_name("user")
    user.mkdir()
    (user / "__init__.py").write_text("")
    (user / "caller.py").write_text(CALLER)
    return user


def test_a_change_of_what_another_package_calls_reaches_it(package, user):
    for folder in (package, user):
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "kept.nbi").touch()
    forget_what_is_older(user, package)
    (user / "__pycache__" / "kept.nbi").touch()
    forget_what_is_older(user, package)
    assert kept(user)
    (package / "callee.py").write_text(CALLEE.replace("FACTOR * x", "3 * x"))
    forget_what_is_older(user, package)
    assert (set(kept(user)), set(kept(package))) == (set(), {"kept.nbi"})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["callee", "constant"])
def test_a_change_of_what_a_function_calls_reaches_it(package, name):
    assert (result(package), len(kept(package))) == (2, 2)
    path = package / f"{name}.py"
    path.write_text(path.read_text().replace("FACTOR * x", "3 * x").replace("= 2", "= 3"))
    assert result(package) == 3


def test_nothing_is_compiled_anew_without_need(package):
    result(package)
    before = kept(package)
    (package / "other.py").write_text("ANYTHING = 2\n")
    os.utime(package / "callee.py")
    forget_what_is_older(package)
    assert kept(package) == before
    assert "callee.py" in (package / STAMP).read_text()
    (package / STAMP).write_text("half")
    forget_what_is_older(package)
    assert kept(package) == {}


def test_all_compiled_functions_are_of_this_njit():
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    others = [path for path, text in texts.items() if "from numba import njit" in text]
    assert others == [PACKAGE / "compiled.py"]
    assert [path for path, text in texts.items() if "numba.njit" in text] == []
