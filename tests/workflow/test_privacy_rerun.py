"""Fits at equal privacy under Snakemake: what runs again, what survives a kill, what is refused."""

import csv

import pytest
from conftest import HOME, SMALL, Workspace

from dpmc.configuration import merge

pytestmark = pytest.mark.workflow

CALIBRATED = "results/privacy/calibrated.csv"
DEFAULTS = HOME / "config" / "privacy" / "hyperparameters.csv"
# 10 private cells and 2 references, Gaussian noise alone so that nothing needs a search
PRIVACY = {
    "trials": 2,
    "epsilons": [0.5, 20],
    "mechanisms": {"entry_level": ["gaussian"], "user_level": ["gaussian"]},
    "baseline_mechanisms": {"entry_level": ["gaussian"]},
    "datasets": {
        "synthetic": {"users": 30, "items": 20, "relations": ["user_add_remove"]},
        **dict.fromkeys(["synthetic_large", "ml-100k", "sweetrs", "jester"]),
    },
    "hyperparameters": "mine.csv",
}


def written(space, edit=None):
    """Write the default hyper-parameters into the workspace, one value edited."""
    with open(DEFAULTS, newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        names = ("dataset", "relation", "epsilon", "solver", "mechanism")
        if edit and tuple(row[name] for name in names) == edit[0]:
            row |= edit[1]
    with open(space.folder / "mine.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("privacy") / "work"
    space = Workspace(folder, merge(SMALL, {"privacy": PRIVACY}))
    written(space)
    space.run(CALIBRATED, cores=1)
    return space


def test_one_hyperparameter_reruns_its_job_alone(done):
    assert len(done.rows(CALIBRATED)) == 2 * (10 + 2)
    assert done.planned(CALIBRATED) == {}
    before = done.rows(CALIBRATED)
    cell = ("synthetic", "user_add_remove", "20", "private_als", "gaussian")
    written(done, (cell, {"regularization": "123"}))
    assert done.planned(CALIBRATED) == {"calibrated_cell": 1, "calibrated": 1}
    done.run(CALIBRATED)
    after = done.rows(CALIBRATED)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert {(row["solver"], row["epsilon"]) for row in changed} == {("private_als", "20")}
    written(done)
    done.run(CALIBRATED)
    assert done.rows(CALIBRATED) == before


def test_kill_and_resume_lose_nothing_on_two_cores(done, tmp_path):
    space = Workspace(tmp_path / "work", done.overlay)
    written(space)
    cells = space.folder / "results" / "privacy" / "cells"
    assert space.killed(CALIBRATED, when=lambda: len(list(cells.rglob("*.csv"))) >= 3)
    space.run("--unlock")
    space.run(CALIBRATED, "--rerun-incomplete")
    assert space.rows(CALIBRATED) == done.rows(CALIBRATED)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hyperparameters": "nowhere.csv"}, ["nowhere.csv", "missing"]),
        ({"epsilons": [0.5, 3]}, ["no hyper-parameters", "epsilon 3"]),
        ({"solvers": ["private_asl"]}, ["private_asl"]),
        ({"datasets": {"synthetic": {"rating_range": [3, 1]}}}, ["rating_range"]),
        ({"tuning_seed": 2206}, ["tuning_seed", "seed"]),
    ],
)
def test_what_could_not_run_is_refused_in_one_sentence(workspace, change, words):
    workspace.write(merge(SMALL, {"privacy": merge(PRIVACY, change)}))
    if "hyperparameters" not in change:
        written(workspace)
    output = workspace.run(CALIBRATED, code=1)
    (sentence,) = [line for line in output.splitlines() if line.startswith("dpmc: ")]
    assert all(word in sentence for word in words)
    assert "Traceback" not in output
