import logging
import re
import types

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_dpmc import LogHandler


@pytest.fixture
def handler():
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


def test_first_line_says_cells_and_time(handler, capsys):
    send(handler, message="Assuming unrestricted shared filesystem usage.")
    send(handler, LogEvent.RESOURCES_INFO, cores=2)
    send(handler, LogEvent.RUN_INFO, stats={"cell": 10, "trials": 1, "total": 11})
    line = capsys.readouterr().err
    assert line.startswith("dpmc: 10 cells to run (11 jobs in all), about ")
    assert line.endswith("on 2 cores\n")


def test_a_long_run_is_announced_in_minutes(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 9000, "total": 9000})
    assert re.search(r"about \d+ min", capsys.readouterr().err)


def test_progress_counts_cells_and_time_left_falls(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"cell": 2, "trials": 1, "total": 3})
    before = handler._seconds_left()
    handler.last_line -= 100
    send(handler, LogEvent.JOB_INFO, jobid=7, rule_name="cell")
    send(handler, LogEvent.JOB_FINISHED, job_id=7)
    assert "1 of 2 cells done" in capsys.readouterr().err
    assert handler._seconds_left() < before
    for job in (8, 9):
        send(handler, LogEvent.JOB_INFO, jobid=job, rule_name="cell" if job == 8 else "trials")
        send(handler, LogEvent.JOB_FINISHED, job_id=job)
    assert handler._seconds_left() == 0


def test_a_run_without_cells_counts_jobs(handler, capsys):
    send(handler, LogEvent.RUN_INFO, stats={"forensics_real": 3, "total": 3})
    handler.last_line -= 100
    send(handler, LogEvent.JOB_INFO, jobid=1, rule_name="forensics_real")
    send(handler, LogEvent.JOB_FINISHED, job_id=1)
    assert "1 of 3 jobs done" in capsys.readouterr().err


def test_a_failed_job_shows_its_log_once(handler, capsys, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("dpmc: the file is wrong.\n")
    send(handler, LogEvent.JOB_ERROR, rule_name="cell", output=["a.csv"], log=[str(log)])
    send(handler, LogEvent.ERROR, logging.ERROR, "RuleException: ...", exception="RuleException")
    assert capsys.readouterr().err == "dpmc: cell failed: a.csv\ndpmc: the file is wrong.\n"


def test_other_errors_and_warnings_are_shown(handler, capsys):
    send(handler, LogEvent.ERROR, logging.ERROR, "disk full", exception="WorkflowError")
    send(handler, None, logging.WARNING, "careful")
    send(handler, None, logging.INFO, "Nothing to be done (all files are up to date).")
    send(handler, None, logging.INFO, "Building DAG of jobs...")
    assert capsys.readouterr().err == (
        "disk full\ncareful\nNothing to be done (all files are up to date).\n"
    )


def test_a_terminal_gets_a_bar(handler, capsys, monkeypatch):
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    send(handler, LogEvent.RUN_INFO, stats={"cell": 2, "total": 2})
    send(handler, LogEvent.JOB_INFO, jobid=1, rule_name="cell")
    send(handler, LogEvent.JOB_FINISHED, job_id=1)
    send(handler, None, logging.WARNING, "careful")
    handler.close()
    shown = capsys.readouterr().err
    assert "1 of 2 cells done" in shown
    assert "careful\n" in shown


def test_a_record_it_cannot_read_does_not_stop_the_run(handler, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    send(handler, LogEvent.JOB_INFO)  # neither jobid nor rule_name
