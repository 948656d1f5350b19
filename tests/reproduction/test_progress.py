import fcntl
import logging
import os
import re
import select
import struct
import sys
import termios
import time
import types

import pytest
from snakemake.exceptions import ProtectedOutputException
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_dpmc import (
    SECONDS,
    SNAKEMAKE_SECONDS,
    STEADY,
    STOPPED,
    LogHandler,
)


@pytest.fixture
def handler(monkeypatch):
    monkeypatch.setitem(SECONDS, "slow_figures", 14.0)
    monkeypatch.setitem(SECONDS, "other_figures", 14.0)
    return new_handler()


def new_handler():
    settings = types.SimpleNamespace(
        dryrun=False, verbose=False, quiet=set(), show_failed_logs=True, nocolor=True
    )
    return LogHandler(settings, None)


def send(handler, event=None, level=logging.INFO, message="", **fields):
    record = logging.LogRecord("snakemake", level, "", 0, message, (), None)
    record.__dict__.update(fields)
    if event is not None:
        record.event = event
    handler.emit(record)


def test_first_line_says_jobs_and_time(handler, capsys):
    send(handler, message="Assuming unrestricted shared filesystem usage.")
    send(handler, LogEvent.RESOURCES_INFO, cores=2)
    send(handler, LogEvent.RUN_INFO, stats={"cell": 10, "trials": 1, "total": 11})
    line = capsys.readouterr().err
    assert line.startswith("dpmc: 11 jobs to run, about ")
    assert line.endswith("on 2 cores\n")


def test_progress_counts_jobs_and_time_left_falls(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 2, "trials": 1, "total": 3})
    before = handler._seconds_left()
    handler.last_line -= 100
    send(handler, LogEvent.JOB_INFO, jobid=7, rule_name="cell")
    send(handler, LogEvent.JOB_FINISHED, job_id=7)
    assert "1 of 3 jobs done" in capsys.readouterr().err
    assert handler._seconds_left() < before
    for job in (8, 9):
        send(handler, LogEvent.JOB_INFO, jobid=job, rule_name="cell" if job == 8 else "trials")
        send(handler, LogEvent.JOB_FINISHED, job_id=job)
    assert handler._seconds_left() == 0


def test_time_left_follows_each_job_and_what_this_machine_takes(handler, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("snakemake_logger_plugin_dpmc.time.monotonic", lambda: clock[0])
    for name, seconds in {"fit": 250.0, "long.csv": 400.0, "short.csv": 100.0}.items():
        monkeypatch.setitem(SECONDS, name, seconds)
    send(handler, LogEvent.RESOURCES_INFO, cores=1)
    send(handler, LogEvent.RUN_INFO, stats={"fit": 2, "total": 2})
    of_snakemake = 2 * SNAKEMAKE_SECONDS
    assert handler._seconds_left() == pytest.approx(500 + of_snakemake)
    send(handler, LogEvent.JOB_INFO, jobid=1, rule_name="fit", output=["long.csv"])
    clock[0] = 300.0
    assert handler._seconds_left() == pytest.approx(200 + of_snakemake)
    clock[0] = 820.0  # twice as long, and what STEADY adds: it tells before it is done
    pace = (820 + STEADY) / (400 + STEADY)
    assert pace == 2
    assert handler._seconds_left() == pytest.approx(100 * pace + of_snakemake)
    send(handler, LogEvent.JOB_FINISHED, job_id=1)
    assert handler._seconds_left() == pytest.approx(100 * pace + SNAKEMAKE_SECONDS)
    send(handler, LogEvent.JOB_INFO, jobid=2, rule_name="fit", output=["short.csv"])
    send(handler, LogEvent.RESOURCES_INFO, cores=8)
    assert handler._seconds_left() == pytest.approx(100 * pace)  # no core can help the last job


def test_a_cluster_has_no_time_left_and_few_words_for_much_at_once(handler, capsys):
    send(handler, LogEvent.RESOURCES_INFO, nodes=100)
    send(handler, LogEvent.RUN_INFO, stats={"a": 1, "b": 1, "slow_figures": 1, "c": 1, "total": 4})
    assert capsys.readouterr().err == "dpmc: 4 jobs to run on a cluster\n"
    for job, rule in enumerate(("a", "b", "c", "slow_figures", "d", "e")):
        send(handler, LogEvent.JOB_INFO, jobid=job, rule_name=rule)
    assert capsys.readouterr().err == ""
    handler.last_line -= 100
    send(handler, LogEvent.JOB_FINISHED, job_id=1)
    line = capsys.readouterr().err
    assert line == "dpmc: 1 of 4 jobs done, now a and c and slow figures and 2 more, 0 s gone\n"


def test_a_failed_job_shows_its_log_once(handler, capsys, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("dpmc: the file is wrong.\n")
    send(handler, LogEvent.JOB_ERROR, rule_name="cell", output=["a.csv"], log=[str(log)])
    send(handler, LogEvent.ERROR, logging.ERROR, "RuleException: ...", exception="RuleException")
    assert capsys.readouterr().err == "dpmc: cell failed: a.csv\ndpmc: the file is wrong.\n"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full; make room there"),
        ("[Errno 30] Read-only file system: 'results'", "the file system is read-only"),
        (
            "older than input. This could indicate a clock skew problem",
            "The clock was set back, and",
        ),
    ],
)
def test_what_to_do_is_said_once(handler, capsys, message, words):
    for _ in range(2):
        send(handler, LogEvent.ERROR, logging.ERROR, message, exception="WorkflowError")
    last = "WorkflowError:\nAt least one job did not complete successfully."
    send(handler, LogEvent.ERROR, logging.ERROR, last, exception="WorkflowError")
    send(handler, None, logging.ERROR, "Exiting because a job execution failed. Look above")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("dpmc: ")
    assert words in line


@pytest.fixture
def terminal(monkeypatch):
    """Return a function: standard error becomes a terminal of some width; what it then shows."""
    ours, theirs = os.openpty()
    stream = os.fdopen(theirs, "w")

    def shown(columns, *, say):
        size = struct.pack("HHHH", 24 * bool(columns), columns, 0, 0)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
        monkeypatch.setattr(sys, "stderr", stream)
        say()
        stream.flush()
        text = b""
        while select.select([ours], [], [], 0.1)[0]:
            text += os.read(ours, 10_000)
        return text.decode()

    yield shown
    stream.close()
    os.close(ours)


@pytest.mark.parametrize("columns", [120, 0])
def test_a_terminal_gets_a_bar_if_it_has_a_width(terminal, columns, handler):
    def say():
        send(handler, LogEvent.RUN_INFO, stats={"cell": 2, "total": 2})
        send(handler, LogEvent.JOB_INFO, jobid=1, rule_name="cell")
        handler.last_line -= 100
        send(handler, LogEvent.JOB_FINISHED, job_id=1)
        send(handler, None, logging.WARNING, "careful")
        handler.close()

    shown = terminal(columns, say=say)
    assert "careful\r\n" in shown
    assert bool(re.search(r"\r 50%\|█+ +\| 1 of 2 jobs done, ", shown)) == (columns > 0)
    assert ("\ndpmc: 1 of 2 jobs done, " in shown) == (columns == 0)
    assert ", 0 of 2" not in shown


def test_the_time_is_that_of_the_command_and_not_of_its_jobs_alone(monkeypatch, capsys):
    monkeypatch.setattr("snakemake_logger_plugin_dpmc.BEGIN", time.monotonic() - 200)
    handler = new_handler()
    send(handler, LogEvent.RUN_INFO, stats={"cell": 1, "total": 1})
    run_job(handler, 1, "cell")
    handler.close()
    assert capsys.readouterr().err.endswith("dpmc: done in 3 min\n")


def run_job(handler, job, rule, output=()):
    send(handler, LogEvent.JOB_INFO, jobid=job, rule_name=rule, output=list(output))
    send(handler, LogEvent.JOB_FINISHED, job_id=job)


def test_it_says_what_is_going_on_and_announces_what_takes_long(handler, capsys):
    stats = {"cell": 2, "slow_figures": 2, "other_figures": 1, "page": 1, "total": 6}
    send(handler, LogEvent.RUN_INFO, stats=stats)
    run_job(handler, 1, "cell")
    capsys.readouterr()
    send(handler, LogEvent.JOB_INFO, jobid=3, rule_name="slow_figures")
    send(handler, LogEvent.JOB_INFO, jobid=4, rule_name="other_figures")
    _, line = capsys.readouterr().err.splitlines()
    assert "1 of 6 jobs done, now slow figures and other figures, " in line
    send(handler, LogEvent.JOB_INFO, jobid=6, rule_name="slow_figures")
    assert capsys.readouterr().err == ""  # once for each rule
    handler.last_line -= 100
    send(handler, LogEvent.JOB_INFO, jobid=7, rule_name="page")
    assert "the report" in capsys.readouterr().err


def test_the_end_names_the_report_and_the_time(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 1, "page": 1, "total": 2})
    run_job(handler, 1, "cell")
    run_job(handler, 2, "page", ["results/quick/report/index.html"])
    capsys.readouterr()
    handler.begin -= 200
    handler.close()
    expected = "dpmc: done in 3 min; the report is results/quick/report/index.html\n"
    assert capsys.readouterr().err == expected
    handler.close()
    assert capsys.readouterr().err == ""


def test_a_job_that_is_submitted_again_is_no_failed_run(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 1, "total": 1})
    send(handler, LogEvent.JOB_ERROR, rule_name="cell", output=["a.csv"], log=[])
    run_job(handler, 1, "cell")
    capsys.readouterr()
    handler.close()
    assert capsys.readouterr().err == "dpmc: done in 0 s\n"


@pytest.mark.parametrize("fails", [True, False])
def test_a_run_that_fails_or_is_stopped_names_no_report(handler, capsys, fails):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 1, "page": 1, "total": 2})
    run_job(handler, 1, "cell")
    if fails:
        send(handler, LogEvent.JOB_INFO, jobid=2, rule_name="page", output=["index.html"])
        send(handler, LogEvent.JOB_ERROR, rule_name="page", output=["index.html"], log=[])
    capsys.readouterr()
    handler.close()
    assert capsys.readouterr().err == "dpmc: ended after 0 s with 1 of 2 jobs done\n"


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(handler, capsys):
    job = types.SimpleNamespace(
        rule=types.SimpleNamespace(name="cell", lineno=1, snakefile="x"),
        output=["a/b.csv"],
        wildcards=None,
    )
    error = ProtectedOutputException(job, ["results/huber/trials.csv"])
    text = f"ProtectedOutputException in rule cell:\n{error}"
    send(handler, LogEvent.ERROR, logging.ERROR, text, exception="ProtectedOutputException")
    assert capsys.readouterr().err == (
        "dpmc: results/huber/trials.csv cannot be written; make it and its folder writable, then "
        "run this again.\n"
    )


def test_after_ctrl_c_jobs_that_it_ended_have_not_failed(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 3, "total": 3})
    STOPPED.set()
    try:
        send(handler, LogEvent.JOB_ERROR, rule_name="cell", output=["a.csv"], log=[])
        send(handler, LogEvent.ERROR, exception="CalledProcessError")
        send(handler, level=logging.ERROR, message="At least one job did not complete")
        handler.close()
    finally:
        STOPPED.clear()
    _, line = capsys.readouterr().err.splitlines()
    assert line.endswith("with 0 of 3 jobs done; the same command goes on from there")
