"""The quick run on a real Slurm, killed and resumed: no number moves.

Only when asked for, since it takes minutes and installs Slurm: ``make test-slurm``.
"""

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import single_node

from dpmc_studies import studies
from dpmc_studies.running.run_lock import RUN_VARIABLE

HOME = Path(__file__).parents[3]
PROFILE = HOME / "workflow" / "profiles" / "slurm"
QUICK = "results/quick"
STUDIES = studies.load()
# no two runs share seconds, and what is made of them
OF_THE_CLOCK = ("timing",)
BY_CLOCK = {each for study in STUDIES.values() for each in study.regression.by_clock}
OF_VERDICTS = ("effect", "reason")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("DPMC_SLURM"), reason="only when asked for: make test-slurm"
    ),
]


class Folder:
    """A folder in which the quick run is started as ``make reproduce`` does it."""

    def __init__(self, path):
        self.path = path
        self.run = None
        path.mkdir()

    def started(self, *where):
        """Start a run; what it prints goes to a file."""
        command = [
            sys.executable,
            "-m",
            "dpmc_studies.running.launch",
            f"--snakefile={HOME / 'Snakefile'}",
        ]
        # no run in the folder of another; the quick run has no data, whose mirror may be relative
        hidden = (RUN_VARIABLE, "SLURM_CONF", "DPMC_DATA_MIRROR")
        variables = {k: v for k, v in os.environ.items() if k not in hidden}
        with open(self.path / "output.txt", "w") as stream:
            self.run = subprocess.Popen(
                [*command, *where, "--", "quick"],
                cwd=self.path,
                env=variables,
                stdout=stream,
                stderr=stream,
            )
        return self.run

    def output(self):
        return (self.path / "output.txt").read_text()

    def ran(self, *where):
        """Run to the end; return what was printed."""
        status = self.started(*where).wait()
        assert status == 0, self.output()
        return self.output()

    def made(self):
        """Return the tables that there are."""
        return sorted((self.path / QUICK).rglob("[!.]*.csv"))

    def tables(self):
        """Return the text of every table, without what comes from a clock."""
        return {
            str(path.relative_to(self.path)): without_clock(path)
            for path in self.made()
            if not any(name in path.name for name in OF_THE_CLOCK)
        }


def without_clock(path):
    """Return the rows of a table without seconds, and of claims the verdicts."""
    with open(path, newline="") as stream:
        rows = list(csv.reader(stream))
    left_out = OF_VERDICTS if "verdict" in rows[0] else ()
    kept = [i for i, name in enumerate(rows[0]) if "seconds" not in name and name not in left_out]
    return [[row[i] for i in kept] for row in rows if row[0] not in BY_CLOCK]


def until(condition, seconds=1200):
    """Wait for something that other processes do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def slurm_jobs():
    """Return the ids of the jobs that run."""
    command = ["squeue", "--noheader", "--format=%i", "--states=RUNNING,COMPLETING"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def slurm():
    try:
        single_node.start()
    except single_node.Unavailable as reason:
        pytest.skip(f"no Slurm: {reason}")
    yield
    single_node.stop()


@pytest.fixture
def folder(slurm, tmp_path):
    folder = Folder(tmp_path / "slurm")
    yield folder
    if folder.run is not None:
        folder.run.kill()
        folder.run.wait()


def test_killed_and_resumed_it_makes_the_tables_of_a_local_run(folder, tmp_path):
    where = f"--profile={PROFILE}"
    run = folder.started(where)
    until(lambda: (folder.made() and slurm_jobs()) or run.poll() is not None)
    assert run.poll() is None, folder.output()
    run.kill()
    run.wait()
    # as docs/cluster.md says
    subprocess.run(["scancel", "--me"], check=True)
    until(lambda: not slurm_jobs())
    assert "going on from there" in folder.ran(where)
    local = Folder(tmp_path / "local")
    local.ran("--cores=2")
    assert folder.tables() == local.tables()
    assert "nothing to do; what was asked for" in folder.ran(where)
