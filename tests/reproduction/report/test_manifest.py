"""The manifest: what can be known is right, what cannot is null, and nothing raises."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpmc
from dpmc_studies.report.manifest import (
    blas_libraries,
    git_state,
    manifest,
    run_times,
)


def git(folder, *arguments):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_the_whole_manifest_is_plain_and_right(tmp_path):
    raw = tmp_path / "u.data"
    raw.write_bytes(b"1\t2\t3\n")
    result = manifest(
        root=tmp_path,
        configuration={"huber": {"trials": 3}},
        changed={"huber.trials": 3},
        seeds={"results/huber": 2206},
        raw_files={"ml-100k": raw, "sweetrs": None},
    )
    assert json.loads(json.dumps(result)) == result
    assert result["dpmc"] == dpmc.__version__
    assert result["python"] == ".".join(map(str, sys.version_info[:3]))
    assert result["packages"]["numpy"] == np.__version__
    assert result["changed_settings"] == {"huber.trials": 3}
    assert result["cores"] == os.cpu_count()
    assert result["seeds"] == {"results/huber": 2206}
    digest = hashlib.sha256(b"1\t2\t3\n").hexdigest()
    assert result["data"] == {"ml-100k": {"file": "u.data", "sha256": digest}, "sweetrs": None}
    assert result["git"] == {"commit": None, "dirty": None}
    assert result["wall_seconds"] is None
    assert result["date"].endswith("+00:00")


def test_git_commit_and_dirty_flag(repository):
    head = subprocess.run(
        ["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert git_state(repository) == {"commit": head, "dirty": False}
    (repository / "untracked").write_text("x")
    assert git_state(repository)["dirty"] is False
    (repository / "file").write_text("two")
    assert git_state(repository) == {"commit": head, "dirty": True}


def test_an_archive_inside_of_another_repository_has_no_commit(repository):
    (repository / "archive").mkdir()
    assert git_state(repository / "archive") == {"commit": None, "dirty": None}


def test_without_git(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository))
    assert git_state(repository) == {"commit": None, "dirty": None}


def test_blas_is_the_one_that_numpy_uses():
    libraries = blas_libraries()
    assert libraries
    assert {"name", "version", "architecture", "threads"} == set(libraries[0])


def test_wall_time_counts_overlap_once_and_pauses_not_at_all(tmp_path):
    paths = []
    for number, (end, seconds) in enumerate([(110, 10), (108, 4), (115, 8), (500, 5)]):
        path = Path(tmp_path / f"{number}.tsv")
        path.write_text(f"s\th:m:s\tmax_rss\n{seconds}.0\t0:00:10\t5\n")
        os.utime(path, (end, end))
        paths.append(path)
    # 100 to 115 without a gap, then 495 to 500
    assert run_times(paths) == {"job_seconds": 27.0, "wall_seconds": 20.0}
