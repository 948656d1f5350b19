"""Folders with configurations of their own in which the tests run the workflow."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

from dpmc_studies.configuration import load
from dpmc_studies.running import recovery

HOME = Path(__file__).parents[3]
DEFAULTS, QUICK = (load(HOME / "config" / f"{name}.yaml") for name in ("config", "quick"))

# each study with a few cells of every kind, where that costs little
SMALL = {
    # 12 cells: no noise, all mechanisms, both methods, baselines
    "huber": {
        "trials": 2,
        "ranks": [3],
        "variances": [2],
        "observed_fractions": [0.2],
        "iterations": 4,
        "irls_iterations": 3,
        "synthetic": {"users": 20, "items": 30},
        "real": {"ml-100k": None, "sweetrs": None},
        "starts": {"ranks": [3], "count": 2},
        "timing": {"repeats": 1},
        "totals": {"releases": [50]},
        "transcript": {"neighbours": 5},
    },
    # Gaussian noise alone, so that nothing needs a search
    "equal_privacy": {
        "trials": 2,
        "epsilons": [0.5, 20],
        "mechanisms": {"entry_level": ["gaussian"], "user_level": ["gaussian"]},
        "baseline_mechanisms": {"entry_level": ["gaussian"]},
        "datasets": {
            "synthetic": {"users": 30, "items": 20, "relations": ["user_add_remove"]},
            **dict.fromkeys(["synthetic_large", "ml-100k", "sweetrs", "jester"]),
        },
    },
    # two observed fractions, and two mechanisms beside no privacy
    "onebit": {
        "links": ["logistic"],
        "datasets": {"synthetic": {"users": 16, "items": 12}},
        "experiments": {
            **dict.fromkeys(DEFAULTS["onebit"]["experiments"]),
            "budgets": {
                "observed_fractions": [0.3, 0.6],
                "epsilons": [1, 4],
                "trials": 2,
                "mechanisms": ["inp", "grap"],
            },
        },
    },
    # two data sets
    "dpals": {
        "datasets": {
            "synthetic-5k": {"users": 300, "items": 40, "ratings_factor": 2, "test_entries": 500},
            "synthetic-20k": {"users": 400, "items": 40, "ratings_factor": 2, "test_entries": 500},
        },
        "experiments": {
            **dict.fromkeys(DEFAULTS["dpals"]["experiments"]),
            "tradeoff_small": {
                "datasets": ["synthetic-5k"],
                "methods": ["als", "dpals"],
                "epsilons": [1, 10],
                "trials": 2,
            },
            "tradeoff_20k": {
                "methods": ["als", "dpals"],
                "epsilons": [1, 10],
                "trials": 2,
            },
        },
        "coverage": {"datasets": []},
    },
    # it is only planned
    "which_model": {**QUICK["which_model"], "search": {"datasets": []}},
}
TABLES = {
    "huber": "results/huber/trials.csv",
    "equal_privacy": "results/equal_privacy/calibrated.csv",
    "onebit": "results/onebit/trials.csv",
    "dpals": "results/dpals/trials.csv",
}
OTHER_TABLE = re.compile(r"\.[a-z_]+(\.[a-z_]+)*\.csv$")
OWN_STUDY = HOME / "examples" / "own_study"


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

    def refused(self, *targets, **variables):
        """Return the one sentence with which a run that cannot be is refused."""
        output = self.run(*targets, code=1, **variables)
        assert "Traceback" not in output
        (sentence,) = [line for line in output.splitlines() if line.startswith("dpmc: ")]
        return sentence

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

    def killed(self, *targets, when):
        """Start a run, kill it with all its jobs (kill -9) as soon as ``when`` holds."""
        process = subprocess.Popen(
            [str(part) for part in self.command(*targets)],
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

    def rows(self, path=TABLES["huber"]):
        """Return the rows of a table without the column that no two runs share."""
        with open(self.folder / path, newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            row.pop("seconds", None)
        return rows

    def tables(self):
        """Return the rows of the main table of every study."""
        return {name: self.rows(path) for name, path in TABLES.items()}

    def cells(self, job="huber/cell"):
        """Return a file for every finished job of a kind: its part of its first table."""
        found = (self.folder / "results" / job).rglob("[!.]*~*.csv")
        return sorted(path for path in found if not OTHER_TABLE.search(path.name))

    def copied(self, folder):
        """Return a copy of the folder, times and records included."""
        subprocess.run(["cp", "-a", self.folder, folder], check=True)
        return Workspace(folder, self.overlay)


class Launched(Workspace):
    """A workspace in which the workflow is started as `make reproduce` does it."""

    def command(self, *targets, cores=2):
        return [
            *(
                sys.executable,
                "-m",
                "dpmc_studies.running.launch",
                "--snakefile",
                HOME / "Snakefile",
            ),
            *("--cores", str(cores), "--config", self.folder / "overlay.yaml", *targets),
        ]

    def started(self, *targets, stderr=subprocess.DEVNULL):
        """Start a run in a process group of its own."""
        return subprocess.Popen(
            [str(part) for part in self.command(*targets)],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )

    def strays(self):
        names = [path for path in (self.folder / "results").rglob(".*") if path.is_file()]
        return [path for path in names if recovery.is_stray(path.name)]

    def every_table(self):
        """Return the rows of every table below results/huber, without what is of seconds."""
        found = {}
        for path in sorted((self.folder / "results" / "huber").rglob("[!.]*.csv")):
            with open(path, newline="") as stream:
                rows = list(csv.reader(stream))
            kept = [i for i, name in enumerate(rows[0]) if "seconds" not in name]
            name = str(path.relative_to(self.folder))
            # nor claims about seconds
            rows = [rows[0], *(row for row in rows[1:] if "seconds" not in "".join(row).lower())]
            found[name] = [[row[i] for i in kept if i < len(row)] for row in rows]
        return found


def until(condition, seconds=600):
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
