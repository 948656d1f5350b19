import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

HOME = Path(__file__).parents[2]

# a grid of 14 cells that still has every kind: no noise, all mechanisms, both solvers, baselines
SMALL = {
    "huber": {
        "replication_seed": None,
        "trials": 2,
        "ranks": [3],
        "variances": [2],
        "observed_fractions": [0.2],
        "iterations": 4,
        "irls_iterations": 3,
        "synthetic": {"users": 20, "items": 30},
        "real": {"ml-100k": None, "sweetrs": None},
        "starts": {"count": 2},
        "timing": {"repeats": 1},
    }
}


class Workspace:
    """A folder with a configuration of its own, in which the workflow runs."""

    def __init__(self, folder: Path, overlay: dict = SMALL):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.write(overlay)

    def write(self, overlay):
        self.overlay = overlay
        (self.folder / "overlay.yaml").write_text(yaml.safe_dump(overlay))

    def command(self, *targets, cores=2):
        return [
            *(sys.executable, "-m", "snakemake", "-s", HOME / "Snakefile"),
            *("--directory", self.folder, "--configfile", self.folder / "overlay.yaml"),
            *("--workflow-profile", HOME / "workflow" / "profiles" / "default"),
            *("--cores", str(cores), *targets),
        ]

    def environment(self, **variables):
        # no test may reach the internet
        closed = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
        lower = {name.lower(): value for name, value in closed.items()}
        clean = {k: v for k, v in os.environ.items() if k != "DPMC_DATA_MIRROR"}
        return clean | closed | lower | variables

    def run(self, *targets, cores=2, code=0, timeout=600, **variables):
        result = subprocess.run(
            [str(part) for part in self.command(*targets, cores=cores)],
            cwd=self.folder,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        output = result.stdout + result.stderr
        assert (result.returncode == 0) == (code == 0), output
        return output

    def planned(self, *targets, **variables):
        """Return how many jobs of each rule a dry run plans."""
        output = self.run("--dry-run", *targets, **variables)
        counts = {}
        for line in output.split("Job stats:")[-1].splitlines():
            parts = line.split()
            if len(parts) == 2 and parts[1].isdigit():
                counts[parts[0]] = int(parts[1])
            if parts[:1] == ["total"]:
                break
        counts.pop("total", None)
        return counts

    def killed(self, target, when):
        """Start a run, kill it with all its jobs (kill -9) as soon as ``when`` holds."""
        process = subprocess.Popen(
            [str(part) for part in self.command(target)],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        end = time.monotonic() + 120
        while not when() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        alive = process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return alive

    def rows(self, path="results/huber/trials.csv"):
        """Return the rows of a table without the column that no two runs share."""
        with open(self.folder / path, newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            row.pop("seconds", None)
        return rows

    def cells(self):
        return sorted((self.folder / "results" / "huber" / "cells").rglob("solver~*.csv"))


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "work")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A finished run of the small grid; tests that change something copy it."""
    space = Workspace(tmp_path_factory.mktemp("finished") / "work")
    space.run("results/huber/trials.csv", cores=1)
    return space


@pytest.fixture
def copy(finished, tmp_path):
    """A copy of the finished run, times and records included."""
    folder = tmp_path / "copy"
    subprocess.run(["cp", "-a", finished.folder, folder], check=True)
    return Workspace(folder)
