"""A job finds its function and its ratings, and writes its tables whole or not at all."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dpmc.ratings import Ratings
from dpmc_studies import tables
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.job import function, make_importable, plain_cells, run_job
from dpmc_studies.frame.jobs.task import Task

HOME = Path(__file__).parents[3]
COLUMNS = {"trials": ("trial", "error"), "more/steps": ("trial", "step")}
NOTHING = {Cell(): {}}
SEEN = []


@dataclass(frozen=True)
class Drawn(Cell):
    rank: int


def two_tables(task):
    """The function of a job, with what it was given."""
    SEEN.append(task)
    if task.settings.get("fails"):
        raise ValueError("no")
    if task.file is not None:
        task.file.write_bytes(b"other")
    return {
        "trials": ({"trial": trial, "error": 0.1 + trial} for trial in range(2)),
        "more/steps": [{"trial": 0, "step": 3}],
    }


@pytest.fixture
def paths(tmp_path):
    return {"trials": tmp_path / "trials.csv", "more/steps": tmp_path / "steps.csv"}


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.npz"
    rated = Ratings(np.array([0, 1]), np.array([1, 0]), np.array([3.0, 4.0]), 2, 2)
    rated.save(path)
    return path


def test_every_table_has_its_rows(paths):
    run_job(two_tables, COLUMNS, paths, {Drawn(5): {"seed": 1}}, {})
    assert paths["trials"].read_text() == "trial,error\n0,0.1\n1,1.1\n"
    assert paths["more/steps"].read_text() == "trial,step\n0,3\n"
    task = SEEN[-1]
    assert (task.cell, task.settings, task.inputs) == (Drawn(5), {"seed": 1}, {})
    assert task.ratings is None
    assert task.file is None


def test_a_task_knows_what_its_cells_have_in_common():
    cells = {Drawn(2): {"seed": 1, "trials": 3, "own": 1}, Drawn(5): {"seed": 1, "trials": 4}}
    task = Task(cells, {})
    assert (task.cell, task.settings) == (Drawn(2), {"seed": 1})
    carried = plain_cells(cells)
    assert carried[1] == ({"rank": 5}, {"seed": 1, "trials": 4})
    assert {Drawn(**fields): settings for fields, settings in carried} == cells


def test_the_ratings_are_loaded_and_other_inputs_are_paths(paths, ratings):
    run_job(two_tables, COLUMNS, paths, NOTHING, {"ratings": str(ratings), "data": "x.npz"})
    assert SEEN[-1].ratings.values.tolist() == [3.0, 4.0]
    assert SEEN[-1].inputs["data"] == "x.npz"


def test_without_data_tables_have_no_rows_and_nothing_runs(tmp_path, paths):
    (tmp_path / "ratings.npz").touch()
    count = len(SEEN)
    other = tmp_path / "other.npz"
    run_job(
        two_tables, COLUMNS, paths, NOTHING, {"ratings": str(tmp_path / "ratings.npz")}, str(other)
    )
    assert len(SEEN) == count
    assert paths["trials"].read_text() == "trial,error\n"
    assert paths["more/steps"].read_text() == "trial,step\n"
    assert other.read_bytes() == b""
    tables.join(tmp_path / "joined.csv", COLUMNS["trials"], [paths["trials"]])


def test_a_job_that_fails_leaves_no_table(paths):
    with pytest.raises(ValueError, match="no"):
        run_job(two_tables, COLUMNS, paths, {Cell(): {"fails": True}}, {})
    assert not any(path.exists() for path in paths.values())


def test_a_job_with_one_table_may_return_its_rows_alone(paths):
    rows = ({"trial": trial, "error": 0.5} for trial in range(2))
    path = paths["trials"]
    run_job(lambda task: rows, {"trials": COLUMNS["trials"]}, {"trials": path}, NOTHING, {})
    assert path.read_text() == "trial,error\n0,0.5\n1,0.5\n"
    with pytest.raises(KeyError, match="more/steps"):
        run_job(lambda task: rows, COLUMNS, paths, NOTHING, {})


def test_a_study_from_outside_is_importable_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    package = tmp_path / "package_of_a_study"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "run.py").write_text("def fit(task):\n    return 7\n")
    before = list(sys.path)
    make_importable(None)
    assert sys.path == before
    make_importable(package)
    make_importable(str(package))
    assert sys.path == [str(tmp_path), *before]
    assert function("package_of_a_study.run:fit")(None) == 7


@pytest.mark.usefixtures("unmeasured")
def test_numba_is_kept_from_importing_coverage():
    """What is done for that is needed as long as numba does it, and coverage.py can be imported."""
    pytest.importorskip("coverage")
    code = "import sys, {}; print('coverage' in sys.modules); import coverage"
    said = [
        subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, check=True)
        for name in ("dpmc_studies.methods.factorization.als", "numba")
    ]
    assert [each.stdout.strip() for each in said] == [b"False", b"True"]


def test_a_job_imports_next_to_nothing_before_its_method():
    modules = ("frame.jobs.job", "studies.huber.experiments.grid")
    names = ", ".join(f"dpmc_studies.{name}" for name in modules)
    text = f"import sys, {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    heavy = {"pandas", "matplotlib", "numba", "scipy", "jsonschema"}
    assert heavy.isdisjoint(done.stdout.split())
