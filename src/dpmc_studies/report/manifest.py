"""What a run was made with: versions, machine, seeds, data, settings, time."""

import importlib.metadata
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import threadpoolctl

import dpmc
from dpmc.files import content_digest, file_digest

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def manifest(
    *,
    root: str | Path,
    configuration: Mapping,
    changed: Mapping[str, object],
    seeds: Mapping[str, int],
    raw_files: Mapping[str, str | Path | None],
    benchmarks: Iterable[str | Path] = (),
) -> dict[str, object]:
    """Describe a finished run as plain values, ready for JSON.

    ``root`` is the folder of the project, which gives the commit. ``configuration`` is the whole
    merged configuration; ``changed`` is its difference from the defaults
    (:func:`dpmc_studies.configuration.changes`). ``seeds`` maps a run to its seed. ``raw_files``
    maps a data set to the raw file that was read, or to None if the data are not available.
    ``benchmarks`` are Snakemake's benchmark files of the cells. A value that cannot be determined
    is None: the commit without git, the times without benchmark files.
    """
    return {
        "changed_settings": dict(changed),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "dpmc": dpmc.__version__,
        "git": git_state(root),
        "python": platform.python_version(),
        "packages": package_versions(),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "blas": blas_libraries(),
        "threads": {name: os.environ.get(name) for name in THREAD_VARIABLES},
        "seeds": dict(seeds),
        "configuration_sha256": content_digest(configuration),
        "data": {
            name: None if path is None else {"file": Path(path).name, "sha256": file_digest(path)}
            for name, path in raw_files.items()
        },
        **run_times(benchmarks),
    }


def package_versions() -> dict[str, str]:
    """Return the installed version of everything that the reproduction depends on directly."""
    names = {
        re.match(r"[A-Za-z0-9._-]+", requirement).group()
        for requirement in importlib.metadata.requires("dpmc") or []
        if "extra ==" not in requirement or requirement.endswith('extra == "workflow"')
    }
    return {name: importlib.metadata.version(name) for name in sorted(names)}


def git_state(root: str | Path) -> dict[str, object]:
    """Return the commit checked out in a folder, and whether tracked files were changed since.

    Both are None without git, and where the folder is not the top of a repository (an unpacked
    archive inside of another one).
    """
    root = Path(root).resolve()
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "HEAD")
    if top is None or commit is None or Path(top).resolve() != root:
        return {"commit": None, "dirty": None}
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changes is None else changes != ""}


def _git(root: Path, *arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def cpu_model(cpuinfo: str | Path = "/proc/cpuinfo") -> str | None:
    """Return the name of the processor, None if the system does not tell."""
    try:
        text = Path(cpuinfo).read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, flags=re.MULTILINE)
    return found.group(1).strip() if found else platform.processor() or None


def blas_libraries() -> list[dict[str, object]]:
    """Return name, version, architecture and threads of every BLAS library in use."""
    import numpy.linalg  # noqa: F401  what is not loaded is not found

    fields = ("internal_api", "version", "architecture", "num_threads")
    names = ("name", "version", "architecture", "threads")
    return [
        {name: library.get(field) for name, field in zip(names, fields, strict=True)}
        for library in threadpoolctl.threadpool_info()
        if library["user_api"] == "blas"
    ]


def run_times(benchmarks: Iterable[str | Path]) -> dict[str, float | None]:
    """Return how long the cells took, from Snakemake's benchmark files.

    ``job_seconds`` is the sum over the cells. ``wall_seconds`` is the time during which at least
    one cell ran, so the pauses of an interrupted run do not count. A job writes its benchmark file
    when it ends, so the date of the file is the end of the job.
    """
    spans = sorted(span(Path(path)) for path in benchmarks)
    if not spans:
        return {"job_seconds": None, "wall_seconds": None}
    wall, end = 0.0, float("-inf")
    for begin, finish in spans:
        wall += max(0.0, finish - max(begin, end))
        end = max(end, finish)
    total = sum(finish - begin for begin, finish in spans)
    return {"job_seconds": round(total, 1), "wall_seconds": round(wall, 1)}


def span(path: Path) -> tuple[float, float]:
    header, row = (line.split("\t") for line in path.read_text().splitlines()[:2])
    end = path.stat().st_mtime
    return end - float(row[header.index("s")]), end
