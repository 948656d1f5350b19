"""A folder in which a test runs the workflow."""

import fcntl
import os
import shutil
import signal
import subprocess

import pytest
import yaml
from workspaces import OWN_STUDY, SMALL, TABLES, Launched, Workspace, until

OWN_TARGETS = ("own_study", "own_study_check")


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "work")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The main table of every study, made on one core; tests that change something copy it.

    It is made once: of processes that run tests, each copies what the first made.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with open(shared / "finished.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        space, done = Workspace(shared / "finished"), shared / "finished.done"
        if not done.exists():
            space.run(*TABLES.values(), cores=1)
            done.touch()
        return space.copied(own / "finished_here")


@pytest.fixture
def copy(finished, tmp_path):
    return finished.copied(tmp_path / "copy")


@pytest.fixture(scope="session")
def stopped(tmp_path_factory):
    """A run of a copy of examples/own_study that Ctrl-C ended: its status and what it said."""
    folder = tmp_path_factory.mktemp("own_study") / "work"
    space = Launched(folder, SMALL | yaml.safe_load((OWN_STUDY / "config.yaml").read_text()))
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(OWN_STUDY, folder / "examples" / "own_study", ignore=ignored)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENBLAS_NUM_THREADS", "1")  # as make does
        process = space.started(*OWN_TARGETS, stderr=subprocess.PIPE)
    logs = folder / "results" / "own_study" / "logs"
    until(lambda: process.poll() is not None or list(logs.rglob("*.log")))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to Snakemake and all its jobs
    said = process.communicate()[1].decode().splitlines()
    return space, process.returncode, said


@pytest.fixture(scope="session")
def own_study(stopped):
    """What the same command then makes: a finished run, with pages and check."""
    space, *_ = stopped
    space.run(*OWN_TARGETS)
    return Workspace(space.folder, space.overlay)
