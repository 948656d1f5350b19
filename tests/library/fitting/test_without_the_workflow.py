"""What a plain installation does: all that needs neither the reproduction nor its packages."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HOME = Path(__file__).parents[3]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
MODULE = {"pyyaml": "yaml"}
PACKAGES = [re.match(r"[\w-]+", each)[0] for each in PROJECT["optional-dependencies"]["workflow"]]
WORKFLOW = ("dpmc_studies", *(MODULE.get(each, each) for each in PACKAGES))
"""What only the reproduction needs, and itself."""
BLOCK = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {WORKFLOW}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""
IMPORTED = """
import importlib, json, pkgutil
import dpmc.estimator, dpmc.fitting

for each in pkgutil.iter_modules(dpmc.fitting.__path__, "dpmc.fitting."):
    importlib.import_module(each.name)
print(json.dumps(sorted({each.partition(".")[0] for each in sys.modules})))
"""
FITTED = """
from dpmc import PrivateFactorization

lines = open("mine.csv").read().splitlines()[1:]
rows = [(user, item, float(rating)) for user, item, rating in (line.split(",") for line in lines)]
model = PrivateFactorization(epsilon=5, delta=1e-6, rating_range=(1, 5), items="items.txt")
model.fit(rows)
model.save("saved")
assert model.predict([row[:2] for row in rows]).shape == (len(rows),)
assert len(PrivateFactorization.load("saved").recommend({"a": 5}, n=2)) == 2
"""
COMMANDS = (
    "fit --ratings mine.csv --items items.txt --output model --relation user "
    "--rating-range 1 5 --epsilon 5 --delta 1e-6",
    "complete --model model --ratings mine.csv --top 3",
    "verify saved",
    "evaluate mine.csv --rating-range 1 5 --relation user --epsilon 5 --splits 1",
    "noise --epsilon 5 --relation entry",
)
COMMANDED = f"""
from click.testing import CliRunner
from dpmc.cli import cli

for line in {COMMANDS}:
    result = CliRunner().invoke(cli, line.split(), catch_exceptions=False)
    assert result.exit_code == 0, (line, result.output)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("plain")
    rows = [
        f"u{user},{item},{1 + (3 * user + place) % 5}"
        for user in range(30)
        for place, item in enumerate("abcdef")
    ]
    (place / "mine.csv").write_text("\n".join(["user,item,rating", *rows, ""]))
    (place / "items.txt").write_text("\n".join("abcdef"))
    return place


def run(folder, program, *arguments):
    command = [sys.executable, "-c", BLOCK + program, *arguments]
    given = {name: value for name, value in os.environ.items() if name != "DPMC_DATA_MIRROR"}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True)


def test_the_class_and_the_commands_about_own_ratings_work(folder):
    result = run(folder, FITTED + COMMANDED)
    assert result.returncode == 0, result.stderr


def test_what_fits_imports_no_command_line(folder):
    result = run(folder, IMPORTED)
    assert result.returncode == 0, result.stderr
    assert {"numpy", "dpmc"} <= set(imported := json.loads(result.stdout))
    assert not {"click", *WORKFLOW} & set(imported)
