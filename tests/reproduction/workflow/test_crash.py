"""`make reproduce` goes on after any crash, and what it cannot do it says in one sentence.

The test of many kills runs only when asked for:
``DPMC_KILLS=10 pytest -s -k many_kills tests/reproduction/workflow/test_crash.py``.
"""

import os
import random
import signal
import subprocess
import time

import pytest
import yaml
from workspaces import SMALL, TABLES, Launched, Workspace, until

from dpmc_studies.configuration import merge
from dpmc_studies.running.run_lock import LOCK

pytestmark = [pytest.mark.workflow, pytest.mark.slow]
TRIALS = TABLES["huber"]
KILLS = int(os.environ.get("DPMC_KILLS", "0"))


@pytest.fixture
def launched(tmp_path):
    return Launched(tmp_path / "launched")


def test_the_same_command_goes_on_after_kill_9(finished, launched):
    assert launched.killed(TRIALS, when=lambda: len(launched.cells()) >= 3)
    kept = {path: path.stat().st_mtime_ns for path in launched.cells()}
    (launched.folder / "results" / "huber" / ".trials.csv.abcdefgh.csv").write_text("half")
    assert "going on from there" in launched.run(TRIALS)
    assert launched.rows() == finished.rows()
    assert launched.strays() == []
    again = [path for path, when in kept.items() if path.stat().st_mtime_ns != when]
    # Snakemake repeats at most the jobs that it had not yet recorded when it was killed
    assert len(again) <= 2
    assert "nothing to do; what was asked for" in launched.run(TRIALS)


def test_jobs_that_outlive_their_run_do_not_write_old_numbers_over_new_ones(launched):
    process = launched.started(TRIALS)
    until(lambda: len(launched.cells()) >= 3)
    # its jobs go on
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    launched.write(merge(SMALL, {"huber": {"iterations": 3}}))
    launched.run(TRIALS)
    undisturbed = Launched(launched.folder.parent / "undisturbed", launched.overlay)
    undisturbed.run(TRIALS)
    assert launched.every_table() == undisturbed.every_table()


def test_a_live_run_of_snakemake_by_hand_is_left_alone(finished, workspace):
    process = subprocess.Popen(
        [str(part) for part in workspace.command(TRIALS)],
        cwd=workspace.folder,
        env=workspace.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: (workspace.folder / LOCK).exists() and len(workspace.cells()) >= 1)
    sentence = Launched(workspace.folder).run(TRIALS, code=2)
    assert f"process {process.pid}, since 20" in sentence
    assert process.wait() == 0
    assert workspace.rows() == finished.rows()
    assert "nothing to do; what was asked for" in Launched(workspace.folder).run(TRIALS)


@pytest.mark.parametrize(
    ("kind", "target", "overlay", "words"),
    [
        (Launched, "quik", "", ["There is no target 'quik' (did you mean 'quick'?)", "huber"]),
        (Launched, "results/nosuch.csv", "", ["No rule makes results/nosuch.csv"]),
        (
            Workspace,
            TRIALS,
            "huber: {trials: 1, trials: 2}",
            ["overlay.yaml, line 1: the key 'trials' stands there twice"],
        ),
        (
            Workspace,
            TRIALS,
            "onebit: {experiments: {movilens: null}}",
            ["onebit.experiments.movilens is null", "did you mean 'movielens'?"],
        ),
        (
            Workspace,
            TRIALS,
            "data: {sets: {mine: {path: no.csv, rating_range: [1, 5]}}}",
            ["data.sets.mine.path: there is no file no.csv"],
        ),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, kind, target, overlay, words):
    space = kind(tmp_path, {})
    (tmp_path / "overlay.yaml").write_text(overlay or yaml.safe_dump(SMALL))
    result = subprocess.run(
        [str(part) for part in space.command(target)],
        cwd=tmp_path,
        env=space.environment(),
        capture_output=True,
        text=True,
    )
    output = result.stdout + result.stderr
    assert result.returncode == 2, output
    (sentence,) = [line for line in output.splitlines() if line.startswith("dpmc: ")]
    for word in words:
        assert word in sentence
    assert "Traceback" not in output
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("target", "overlay", "refusal"),
    [
        ("hubr", SMALL, "There is no target 'hubr'"),
        (TRIALS, {"data": {"sets": {"mine": {"path": "no.csv"}}}}, "there is no file no.csv"),
        (TRIALS, {"huber": {"trials": "many"}}, "huber.trials must be a whole number"),
    ],
)
def test_what_is_refused_warns_of_no_results_that_would_go(tmp_path, target, overlay, refusal):
    space = Launched(tmp_path, overlay)
    (tmp_path / "results" / "huber").mkdir(parents=True)
    (tmp_path / "results" / "manifest.json").write_text('{"changed_settings": {"huber.seed": 1}}')
    assert refusal in space.refused(target)


@pytest.mark.skipif(not KILLS, reason="only when asked for: DPMC_KILLS=10")
def test_many_kills_at_random_times(tmp_path, record_property):
    targets = (TRIALS, "results/huber/tables", "results/huber/convergence.csv")
    undisturbed = Launched(tmp_path / "undisturbed")
    begin = time.monotonic()
    undisturbed.run(*targets)
    length = time.monotonic() - begin
    times = random.Random(int(os.environ.get("DPMC_KILLS_SEED", "0")))
    killed = whole = 0
    disturbed = Launched(tmp_path / "disturbed 0")
    while killed < KILLS:
        wait = times.uniform(0, length / 2)
        killed += killed_after(wait, disturbed.started(*targets), alone=killed % 2 == 1)
        print(
            f"{killed} killed, the last after {wait:.1f} s, {len(disturbed.every_table())} tables"
        )
        if disturbed.every_table().keys() == undisturbed.every_table().keys():
            check_resumed(disturbed, targets, undisturbed)
            whole += 1
            disturbed = Launched(tmp_path / f"disturbed {whole}")
    check_resumed(disturbed, targets, undisturbed)
    record_property("fault", f"{killed} kills at random times")
    record_property("seen", "went on each time; every table as undisturbed")


def killed_after(seconds, process, alone):
    """Kill a run and its jobs, or the run alone, after some time; return whether it still ran."""
    try:
        assert process.wait(seconds) == 0
        return False
    except subprocess.TimeoutExpired:
        if alone:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def check_resumed(disturbed, targets, undisturbed):
    disturbed.run(*targets)
    assert disturbed.every_table() == undisturbed.every_table()
    assert disturbed.strays() == []
    assert "nothing to do; what was asked for" in disturbed.run(*targets)
