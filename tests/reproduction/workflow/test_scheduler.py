"""What is done to Snakemake beside its interface is there, and still works and is needed."""

import subprocess
import sys

import pytest
from workspaces import HOME

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

JOBS = 60
RULES = """
import threading

onsuccess:
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    print("timers", len(timers))

rule all:
    input: [f"{number}.txt" for number in range(JOBS)]

rule one:
    output: "{number}.txt"
    shell: "touch {output}"
"""


def timers_left(folder, onstart):
    """Return how many timers that wake the scheduler are alive after many short jobs."""
    folder.mkdir()
    (folder / "Snakefile").write_text(f"JOBS = {JOBS}\n{onstart}\n{RULES}")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    (line,) = [each for each in result.stdout.splitlines() if each.startswith("timers ")]
    return int(line.split()[1])


def test_finished_jobs_leave_no_timers_that_wake_the_scheduler(tmp_path):
    """Without the rate limiter there are none; with it almost one for every job."""
    text = (HOME / "Snakefile").read_text(encoding="utf-8")
    onstart = text[text.index("\nonstart:") :].split("\n\n\n")[0].strip()
    assert "job_rate_limiter" in onstart
    assert timers_left(tmp_path / "as_in_the_snakefile", onstart) == 0
    # nearly one a job on idle cores, a third of that beside other work
    assert timers_left(tmp_path / "as_snakemake_has_it", "") > JOBS / 10
