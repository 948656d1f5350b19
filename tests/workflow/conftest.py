"""A folder in which a test runs the workflow."""

import shutil

import pytest
import yaml
from workspaces import OWN_STUDY, TABLES, Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "work")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The main table of every study, made on one core; tests that change something copy it."""
    space = Workspace(tmp_path_factory.mktemp("finished") / "work")
    space.run(*TABLES.values(), cores=1)
    return space


@pytest.fixture
def copy(finished, tmp_path):
    return finished.copied(tmp_path / "copy")


@pytest.fixture(scope="session")
def own_study(tmp_path_factory):
    """A copy of examples/own_study beside a finished run of it, with pages and check."""
    folder = tmp_path_factory.mktemp("own_study") / "work"
    space = Workspace(folder, yaml.safe_load((OWN_STUDY / "config.yaml").read_text()))
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(OWN_STUDY, folder / "examples" / "own_study", ignore=ignored)
    space.run("own_study", "own_study_check", "results/own_study/report/single.html")
    return space
