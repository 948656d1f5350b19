"""Where the CPU time of a run goes: computing, starting Python, scheduling; study by study.

    python benchmarks/bench_workflow.py [--config quick|ci|full] [STUDY ...]

Runs the target of each study in a folder of its own, from nothing, and prints a line for it:

- jobs: processes that the run started
- compute: what jobs and steps did, by the last line of their logs
- start: interpreter and imports of jobs and steps, by the same line
- other: data, joining tables, pages
- scheduling: Snakemake's own process, in all and for each job

All in CPU seconds; "run / compute" is all of it over what it was for. Compiled kernels are cached
by a first run of `make test` or `make reproduce`; without, the first study pays for them. At the
end the CPU time of 300 jobs that sleep with Snakemake's rate limiter over that without: the
Snakefile turns the limiter off.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
STUDIES = ("huber", "equal_privacy", "audit", "onebit", "dpals")
LINE = re.compile(r"CPU seconds: ([\d.]+) to start, ([\d.]+) to run")
RUN = """
import resource, sys
from dpmc_studies.running.launch import main
status = main(sys.argv[1:])
for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    used = resource.getrusage(who)
    print("used", used.ru_utime + used.ru_stime)
sys.exit(status)
"""
SLEEPING = """
onstart:
    if {off}:
        workflow.scheduler.job_rate_limiter = None
rule all:
    input: [f"{{i}}.txt" for i in range(300)]
rule one:
    output: "{{i}}.txt"
    shell: "sleep .2; touch {{output}}"
"""


def used_by(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run the workflow in a folder; return the CPU seconds of Snakemake and of its jobs."""
    command = [sys.executable, "-c", RUN, "--snakefile", str(HOME / "Snakefile"), *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stdout + result.stderr)
    own, jobs = re.findall(r"^used ([\d.]+)$", result.stdout, re.MULTILINE)
    return float(own), float(jobs)


def line(study: str, config: str) -> str:
    """Return the line of a study."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "data").mkdir()
        files = [] if config == "full" else ["--config", str(HOME / "config" / f"{config}.yaml")]
        own, children = used_by(folder, *files, "--cores", "2", study)
        logs = [path.read_text(encoding="utf-8") for path in folder.rglob("logs/**/*.log")]
    found = [match for text in logs for match in LINE.findall(text)]
    start, compute = (sum(float(pair[i]) for pair in found) for i in (0, 1))
    columns = (compute, start, children - start - compute, own)
    numbers = "".join(f"{value:11.1f}" for value in columns)
    ratio = (own + children) / compute
    return f"{study:14}{len(logs):6d}{numbers}{own / len(logs):11.3f}{ratio:11.2f}"


def sleeping_jobs(off: bool) -> float:
    """Return the CPU seconds of 300 jobs that sleep, without or with the rate limiter."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "Snakefile").write_text(SLEEPING.format(off=off), encoding="utf-8")
        before = os.times()
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all"]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default="quick", choices=["quick", "ci", "full"])
    parser.add_argument("studies", nargs="*", default=STUDIES)
    given = parser.parse_args()
    headings = ("compute", "start", "other", "scheduling", "per job", "run/compute")
    print(f"{'study':14}{'jobs':>6}{''.join(f'{name:>11}' for name in headings)}")
    for study in given.studies:
        print(line(study, given.config), flush=True)
    print(f"rate limiter on / off: {sleeping_jobs(off=False) / sleeping_jobs(off=True):.1f}")


if __name__ == "__main__":
    main()
