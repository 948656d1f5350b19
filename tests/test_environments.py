"""The files that say which packages, which Python and which citation agree with each other.

pyproject.toml leads; the lock, the conda file, the container and CI follow it.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dpmc import __version__

HOME = Path(__file__).parents[1]
sys.path.insert(0, str(HOME / "envs"))
from citation import made  # noqa: E402
from lock import APART, CONDA, LOCK, PIN, conda_file  # noqa: E402

PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
CLASSIFIED = re.findall(r"Programming Language :: Python :: (3\.\d+)", str(PROJECT["classifiers"]))
DOCKER = (HOME / "envs" / "Dockerfile").read_text()
CITATION = yaml.safe_load((HOME / "CITATION.cff").read_text())


def instructions():
    """The instructions of the Dockerfile in their order: (name, arguments)."""
    text = re.sub(r"^#.*\n", "", DOCKER, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def arguments(name):
    return [rest for found, rest in instructions() if found == name]


# -- versions -----------------------------------------------------------------------------------


def test_ci_runs_dot_ci_run_on_every_python_and_what_stands_apart():
    workflow = yaml.safe_load((HOME / ".github" / "workflows" / "ci.yml").read_text())
    jobs = workflow["jobs"]
    assert jobs["ci"]["strategy"]["matrix"] == {"python": CLASSIFIED}
    found = {}
    for name, job in jobs.items():
        checkout, python, *steps = job["steps"]
        assert checkout["uses"].startswith("actions/checkout@")
        assert python["uses"].startswith("actions/setup-python@")
        found[name] = python["with"]["python-version"], [step["run"] for step in steps]
    assert found.pop("ci") == ("${{ matrix.python }}", [".ci/run"])
    assert (HOME / ".ci" / "run").stat().st_mode & 0o111
    # the extras that the lock leaves out, as CONTRIBUTING.md says
    assert list(found) == list(APART)
    for name, (version, commands) in found.items():
        assert version in CLASSIFIED
        for command in commands:
            assert f" {name}/bin/{command}\n" in (HOME / "CONTRIBUTING.md").read_text()


def steps_of(workflow):
    """The commands of a workflow that has one job, in their order."""
    path = HOME / ".github" / "workflows" / f"{workflow}.yml"
    (job,) = yaml.safe_load(path.read_text())["jobs"].values()
    assert job["steps"][0]["uses"].startswith("actions/checkout@")
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize(("tag", "status"), [(f"v{__version__}", 0), ("v9.9.9", 1)])
def test_a_release_is_made_of_the_tag_of_its_version_alone(tag, status):
    guard, *rest = steps_of("release")
    shell = subprocess.run(
        ["sh", "-c", guard], cwd=HOME, env={**os.environ, "GITHUB_REF_NAME": tag}
    )
    assert shell.returncode == status
    assert rest[0] == ".ci/run"


def told_by_make(tmp_path, *version):
    """What make says when it installs with a Python that says it has this version."""
    for name in ("Makefile", "pyproject.toml", "src/pyproject.toml", "envs/requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(HOME / name, tmp_path / name)
    python = tmp_path / "python"
    patched = f"import sys; sys.version_info = ({', '.join(map(str, version))}, 0)"
    python.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] || exit 9\nexec {sys.executable} -c "{patched}; $2"\n'
    )
    python.chmod(0o755)
    command = ["make", ".venv/installed", f"PYTHON={python}"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 2
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("version", CLASSIFIED)
def test_make_installs_with_every_classified_python_and_says_nothing_of_it(tmp_path, version):
    said = told_by_make(tmp_path, *map(int, version.split(".")))
    assert "dpmc: installing into" in said
    assert "newer" not in said
    assert "needed" not in said


def test_make_warns_of_a_newer_python_and_refuses_an_older_one(tmp_path):
    first, last = CLASSIFIED[0], int(CLASSIFIED[-1].split(".")[1])
    newer = told_by_make(tmp_path, 3, last + 1)
    assert f"3.{last + 1} is newer than what dpmc was made for, {first} to 3.{last};" in newer
    assert "dpmc: installing into" in newer
    older = told_by_make(tmp_path, 3, int(first.split(".")[1]) - 1)
    assert f"dpmc: Python {first} or later is needed" in older
    assert "installing" not in older


# -- the lock, and what is made of it -----------------------------------------------------------


def pins():
    return {canonicalize_name(pin["name"]): pin for pin in PIN.finditer(LOCK.read_text())}


@pytest.mark.parametrize(
    "group", sorted({"dependencies", *PROJECT["optional-dependencies"]} - {*APART})
)
def test_the_lock_has_what_pyproject_asks_for(group):
    own, extras = PROJECT["dependencies"], PROJECT["optional-dependencies"]
    locked = pins()
    for text in own if group == "dependencies" else extras[group]:
        wanted = Requirement(text)
        pin = locked.get(canonicalize_name(wanted.name))
        assert pin is not None, f"envs/requirements.lock lacks {text}: run envs/lock.py"
        assert wanted.specifier.contains(pin["version"]), f"{text} but {pin['version']} is locked"


def test_every_version_of_the_lock_has_its_hashes():
    entries = re.split(r"\n(?=\w)", LOCK.read_text().strip())
    assert len(entries) == len(pins()) > 50
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_conda_file_is_made_from_the_lock():
    made = conda_file(LOCK.read_text(), PROJECT["requires-python"])
    assert CONDA.read_text() == made, "run envs/lock.py"
    *_, python, pip, packages = ["", *yaml.safe_load(made)["dependencies"]]
    assert (python, pip) == (f"python{PROJECT['requires-python']}", "pip")
    assert len(packages["pip"]) == len(pins())
    assert all(Requirement(text).specifier for text in packages["pip"])


# -- the container ------------------------------------------------------------------------------


def test_the_container_starts_from_one_version_of_python():
    (base,) = arguments("FROM")
    version = re.fullmatch(r"python:(3\.\d+)-slim-\w+", base)
    assert version, f"{base} is no pinned version of Python"
    assert version[1] in CLASSIFIED


def test_the_commands_of_the_container_are_ones_of_the_shell():
    for line in arguments("RUN"):
        checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr


# -- citation -----------------------------------------------------------------------------------


def test_the_citation_is_of_this_version():
    assert CITATION["version"] == __version__
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["keywords"] == PROJECT["keywords"]
    released = re.search(r"^## \S+ \((.+)\)$", (HOME / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert str(CITATION.get("date-released", "unreleased")) == released


def test_codemeta_and_zenodo_are_made_from_the_citation():
    for path, text in made().items():
        assert path.read_text(encoding="utf-8") == text, "run python envs/citation.py"
