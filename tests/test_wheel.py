"""What `python -m build` makes: a wheel that works alone, a source distribution that is whole."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dpmc.cli import TASKS, named

pytestmark = pytest.mark.slow

HOME = Path(__file__).parents[1]
PROGRAM = """
import pandas as pd
from dpmc import PrivateFactorization
import dpmc

model = PrivateFactorization(epsilon=5, delta=1e-6, rating_range=(1, 5), items="items.txt")
model.fit(pd.read_csv("mine.csv"))
model.save("saved")
assert len(model.recommend({"film 3": 5}, n=2)) == 2
print(dpmc.__file__)
"""
SERVER = """
import sys
before = set(sys.modules)
from dpmc.released import load
model = load("model")
model.best({"film 1": 5}, 3), model.deviations({"film 1": 5})
model.with_items([*model.labels, "new"], [[place] for place in range(len(model.labels) + 1)])
every = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(every - set(sys.stdlib_module_names) - {"dpmc"}))
"""
TYPED = """
from dpmc import PrivateFactorization
from dpmc.privacy.calibration import calibrate

model = PrivateFactorization(epsilon=5, rating_range=(1, 5), items=["a", "b"])
best: dict[str, float] = model.fit([]).recommend({"a": 5})
said: str = model.guarantee_.sentence()
error: float | None = model.worth_.rmse
noise: float = calibrate("gaussian", releases=7, epsilon=5, delta=1e-6).noise.std()
"""
EVERYTHING = """
import importlib, pkgutil, sys
import dpmc

names = [each.name for each in pkgutil.walk_packages(dpmc.__path__, "dpmc.")]
for name in names:
    if name != "dpmc.__main__":  # it runs
        importlib.import_module(name)
print(len(names) > 100, "dpmc_studies" in sys.modules, "snakemake" in sys.modules)
"""
# in this order: later ones read what earlier ones wrote
WORK = {
    "budget": ["budget"],
    "noise": ["noise", "--epsilon", "5", "--relation", "user"],
    "fit": [
        *("fit", "--ratings", "mine.csv", "--items", "items.txt", "--output", "model"),
        *("--relation", "user", "--rating-range", "1", "5", "--epsilon", "5", "--delta", "1e-6"),
        *("--ledger", "mine.ledger", "--budget", "10,1e-6", "--force"),
    ],
    "ledger": ["ledger", "mine.ledger"],
    "verify": ["verify", "model"],
    "card": ["card", "model", "--maker", "Film club"],
    "complete": ["complete", "--model", "model", "--ratings", "mine.csv", "--top", "3"],
    "page": ["page", "model", "--catalogue", "titles.csv", "--output", "page.html"],
    "evaluate": [
        *("evaluate", "mine.csv", "--rating-range", "1", "5", "--relation", "user"),
        *("--epsilon", "5"),
    ],
    "check": [
        *("check", "--ratings", "mine.csv", "--items", "items.txt", "--output", "other"),
        *("--relation", "user", "--rating-range", "1", "5", "--epsilon", "5", "--delta", "1e-6"),
    ],
    "store": ["store", "build", "mine.csv", "--output", "mine.store"],
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with both distributions; the wheel is made of the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, HOME]
    made = run(folder, *command)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture(scope="module")
def programs(built, tmp_path_factory):
    """The programs of an environment with the wheel, and of this one only what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    installed = run(folder, *pip, "--no-deps", "--no-index", wheel)
    assert installed.returncode == 0, installed.stderr
    # a path of a .pth file is not searched for others, so the checkout stays out of sight
    own = next(folder.glob("lib/python*/site-packages"))
    (own / "dependencies.pth").write_text("\n".join(_dependencies()) + "\n")
    return folder / "bin"


def _dependencies():
    """Return the folders of installed packages of the environment that runs the tests."""
    found = [path for path in sys.path if Path(path).name == "site-packages"]
    return list(dict.fromkeys([sysconfig.get_path("purelib"), *found]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    rng = np.random.default_rng(0)
    rows = [
        f"u{user},film {item},{rng.integers(1, 6)}"
        for user in range(60)
        for item in np.flatnonzero(rng.random(20) < 0.5)
    ]
    (folder / "mine.csv").write_text("user,item,rating\n" + "\n".join(rows) + "\n")
    (folder / "items.txt").write_text("".join(f"film {item}\n" for item in range(20)))
    (folder / "titles.csv").write_text("item,title\nfilm 1,First\n")
    return folder


def run(folder, *command):
    """Run a program as a user without the checkout would."""
    hidden = ("PYTHONPATH", "DPMC_DATA_MIRROR")
    return subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in hidden},
        capture_output=True,
        text=True,
    )


def test_every_command_is_tried():
    assert set(WORK) == set(named(TASKS))


def test_commands_work_without_the_checkout(programs, folder):
    seen = {}
    for name, arguments in WORK.items():
        result = run(folder, programs / "dpmc", *arguments)
        expected = 4 if name == "check" else 0  # there is something to look at
        assert result.returncode == expected, (name, result.stdout, result.stderr)
        seen[name] = result.stdout
    assert "\nIt may be published, if " in seen["verify"]


def test_the_wheel_holds_the_library_alone(built, programs, tmp_path):
    (wheel,) = built.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"dpmc"}
    (points,) = [name for name in names if name.endswith("/entry_points.txt")]
    assert archive.read(points).decode().split("\n") == [
        "[console_scripts]",
        "dpmc = dpmc.cli:main",
        "",
    ]
    result = run(tmp_path, programs / "python", "-c", EVERYTHING)
    assert (result.stdout, result.returncode) == ("True False False\n", 0), result.stderr


def test_class_works_without_the_checkout(programs, folder):
    result = run(folder, programs / "python", "-c", PROGRAM)
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()).is_relative_to(programs.parent)
    assert run(folder, programs / "dpmc", "verify", "saved").returncode == 0


def test_a_server_needs_numpy_alone(built, programs, folder, tmp_path):
    """What docs/python.md says to install: the wheel and NumPy, with nothing else to be found."""
    (wheel,) = built.glob("*.whl")
    fit = [*WORK["fit"][: WORK["fit"].index("--ledger")], "--force"]
    assert run(folder, programs / "dpmc", *fit).returncode == 0
    venv.create(tmp_path / "server", with_pip=False)
    python = tmp_path / "server" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    assert run(folder, *pip, "--no-deps", "--no-index", wheel).returncode == 0
    packages = next((tmp_path / "server").glob("lib/python*/site-packages"))
    for name in ("numpy", "numpy.libs"):
        (packages / name).symlink_to(Path(np.__file__).parents[1] / name)
    result = run(folder, python, "-c", SERVER)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "['numpy']\n"


def test_programs_that_use_the_class_are_checked_by_type(built, programs, tmp_path):
    (wheel,) = built.glob("*.whl")
    assert "dpmc/py.typed" in zipfile.ZipFile(wheel).namelist()
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache"]
    mypy += ["--python-executable", programs / "python", "-c"]
    checked = run(tmp_path, *mypy, TYPED)
    assert checked.returncode == 0, checked.stdout
    wrong = run(tmp_path, *mypy, TYPED.replace("epsilon=5", "epsilon='5'"))
    assert "[arg-type]" in wrong.stdout


def test_source_distribution_is_the_checkout(built):
    listed = subprocess.run(["git", "ls-files"], cwd=HOME, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout: git does not list its files")
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as stream:
        held = {name.partition("/")[2] for name in stream.getnames()}
    assert set(listed.stdout.splitlines()) <= held
