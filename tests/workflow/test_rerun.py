import csv
import json

import pytest
from conftest import SMALL

from dpmc.configuration import merge

pytestmark = pytest.mark.workflow
TRIALS = "results/huber/trials.csv"


def test_nothing_runs_twice(copy):
    assert copy.planned(TRIALS) == {}


def test_one_changed_setting_reruns_its_cell_and_the_aggregation(copy):
    where = {"solver": "irls", "mechanism": "laplace"}
    override = {"where": where, "set": {"regularization": 0.4}}
    copy.write(merge(SMALL, {"huber": {"overrides": [override]}}))
    before = copy.rows()
    assert copy.planned(TRIALS) == {"cell": 1, "trials": 1}
    copy.run(TRIALS)
    changed = [new for old, new in zip(before, copy.rows(), strict=True) if old != new]
    assert {(row["solver"], row["mechanism"]) for row in changed} == {("irls", "laplace")}
    assert len(changed) == 2
    assert copy.planned(TRIALS) == {}


def test_a_setting_of_irls_leaves_als_alone(copy):
    copy.write(merge(SMALL, {"huber": {"loss_parameter": 1.5}}))
    # irls: none and three mechanisms
    assert copy.planned(TRIALS) == {"cell": 4, "trials": 1}


def test_a_new_mechanism_grid_keeps_what_is_there(copy):
    copy.write(merge(SMALL, {"huber": {"variances": [2, 3]}}))
    # gaussian, laplace, huber with als and irls at the new variance
    assert copy.planned(TRIALS) == {"cell": 6, "trials": 1}


def test_more_trials_leave_old_rows_identical(copy):
    before = copy.rows()
    copy.write(merge(SMALL, {"huber": {"trials": 3}}))
    copy.run(TRIALS)
    after = copy.rows()
    assert len(after) == len(before) * 3 // 2
    assert [row for row in after if row["trial"] != "2"] == before


def test_one_core_and_two_cores_give_the_same_rows(finished, workspace):
    workspace.run(TRIALS, cores=2)
    assert workspace.rows() == finished.rows()


def test_kill_and_resume_lose_nothing(finished, workspace):
    assert workspace.killed(TRIALS, when=lambda: len(workspace.cells()) >= 3)
    kept = {path: path.stat().st_mtime_ns for path in workspace.cells()}
    assert kept
    assert not (workspace.folder / TRIALS).exists()
    for path in kept:
        with open(path, newline="") as stream:
            assert len(list(csv.DictReader(stream))) == 2, f"{path} is half-written"
    workspace.run("--unlock")
    workspace.run(TRIALS)
    assert workspace.rows() == finished.rows()
    again = [path for path, when in kept.items() if path.stat().st_mtime_ns != when]
    # Snakemake repeats at most the jobs that it had not yet recorded when it was killed
    assert len(again) <= 2


def test_settings_are_recorded_with_the_run(finished):
    stored = json.loads((finished.folder / "results/huber/settings.json").read_text())
    assert stored["reference"] == "full"
    assert len(stored["cells"]) == len({tuple(r.items())[:7] for r in finished.rows()})
