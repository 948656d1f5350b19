"""Snakemake logger plug-in: one line first, then progress with the time left, then what failed.

Every line names the rules that run; the last one says how long it took and where the report is.

Chosen by ``logger: dpmc`` in the profiles. Dry runs and ``--verbose`` get Snakemake's own output.
"""

import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple, TextIO

from snakemake.logging import DefaultFormatter, get_event
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

from dpmc.files import refusal, refusal_in
from dpmc_studies.running.recovery import check_room

SECONDS: dict[str, float] = {}
"""About how long a job takes, by the first file that it writes; by its rule, what one of its jobs
takes on average. For the time left; the workflow fills it in."""
RUN = "results"
"""The folder of results that was asked for; the workflow says which."""
BEGIN: float | None = None
"""When the command began, by time.monotonic, if its launcher says so: long before it logs."""
OTHER_SECONDS = 1.5
SNAKEMAKE_SECONDS = 0.2
"""What Snakemake itself takes for a job."""
STEADY = 20.0
"""Seconds of jobs that weigh as much as what is expected, before what this machine takes counts."""
STOPPED = threading.Event()
"""Whether Ctrl-C was pressed: jobs that it ends have not failed."""
PAGE = "page"
REPETITIONS = ("Exiting because a job execution failed", "At least one job did not complete")
"""What Snakemake says at the end after each failed job was named."""
LONG = 5.0
"""Seconds between two lines, and of a job that is announced when it starts."""
NAMED = 3
"""Rules in a line at most: on a cluster everything may run at once."""


class _Job(NamedTuple):
    """A job that runs."""

    rule: str
    begin: float
    seconds: float  # that it is expected to take


class LogHandler(LogHandlerBase):
    """Write progress to stderr: a bar on a terminal, a line every few seconds elsewhere."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.verbose = self.common_settings.dryrun or self.common_settings.verbose
        self.setFormatter(
            DefaultFormatter(self.common_settings.quiet, self.common_settings.show_failed_logs)
        )
        self.remaining: dict[str, int] = {}
        self.work: dict[str, float] = {}  # seconds that remaining jobs are expected to take
        self.expected = self.taken = 0.0  # by jobs that are done
        self.jobs = self.jobs_done = 0
        self.bar: tqdm | None = None
        self.running: dict[int, _Job] = {}
        self.announced: set[str] = set()
        self.page: str | None = None
        self.said: set[str] = set()
        self.failed = self.ended = False
        self.last_line = time.monotonic()
        self.begin = self.last_line if BEGIN is None else BEGIN
        self.cores = 1
        # how long jobs wait in the queue of a cluster nobody knows
        self.is_cluster = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; see the class."""
        try:
            handle = {
                LogEvent.RUN_INFO: self._plan,
                LogEvent.RESOURCES_INFO: self._resources,
                LogEvent.JOB_INFO: self._start,
                LogEvent.JOB_FINISHED: self._finish,
                LogEvent.JOB_ERROR: self._failure,
                LogEvent.GROUP_ERROR: self._print,
                LogEvent.ERROR: self._error,
            }.get(get_event(record), self._other)
            if STOPPED.is_set() and handle != self._finish:
                return
            (self._print if self.verbose else handle)(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the bar, and say how the run ended."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if (self.jobs or STOPPED.is_set()) and not self.verbose and not self.ended:
            self.ended = True
            if self.failed and not self.said:
                self._explain()
            self._line(self._ending())
        super().close()

    def _explain(self) -> None:
        """Say that the disk is full, where a job failed without a word."""
        try:
            check_room(Path.cwd())
        except OSError as error:
            self._line(f"dpmc: {refusal(error)}")

    def _ending(self) -> str:
        gone = _duration(time.monotonic() - self.begin)
        if STOPPED.is_set():
            done = f" with {self.jobs_done} of {self.jobs} jobs done" if self.jobs else ""
            return f"dpmc: stopped after {gone}{done}; the same command goes on from there"
        if self.failed or self.jobs_done < self.jobs:
            return f"dpmc: ended after {gone} with {self.jobs_done} of {self.jobs} jobs done"
        return f"dpmc: done in {gone}" + (f"; the report is {self.page}" if self.page else "")

    def _plan(self, record) -> None:
        stats = getattr(record, "stats", None) or {}
        self.remaining = {rule: n for rule, n in stats.items() if rule != "total"}
        self.work = {rule: n * _seconds(rule) for rule, n in self.remaining.items()}
        self.jobs = sum(self.remaining.values())
        about = f"about {_duration(self._seconds_left())} on {_count(self.cores, 'core')}"
        jobs = _count(self.jobs, "job")
        self._line(f"dpmc: {jobs} to run{' on a cluster' if self.is_cluster else f', {about}'}")
        self.last_line = time.monotonic()
        if _has_width(sys.stderr):
            self.bar = tqdm(total=self.jobs, bar_format="{percentage:3.0f}%|{bar}| {desc}")

    def _resources(self, record) -> None:
        self.cores = getattr(record, "cores", None) or self.cores
        self.is_cluster = self.is_cluster or getattr(record, "nodes", None) is not None

    def _start(self, record) -> None:
        rule = record.rule_name
        file = next(iter(getattr(record, "output", None) or []), None)
        job = _Job(rule, time.monotonic(), SECONDS.get(file, _seconds(rule)))
        self.running[record.jobid] = job
        if rule == PAGE or rule.endswith(f"_{PAGE}"):
            self.page = file
        # nothing may finish for as long as this takes; on a cluster it is only submitted
        long = not self.is_cluster and job.seconds >= LONG
        self._tell(at_once=long and rule not in self.announced)
        if long:
            self.announced.add(rule)

    def _finish(self, record) -> None:
        job = self.running.pop(getattr(record, "job_id", None), None)
        if job is not None and job.rule in self.remaining:
            self.remaining[job.rule] -= 1
            left = self.work[job.rule] - job.seconds
            self.work[job.rule] = max(left, 0.0) if self.remaining[job.rule] else 0.0
            self.expected += job.seconds
            self.taken += time.monotonic() - job.begin
            self.jobs_done += 1
        self._tell()

    def _tell(self, at_once: bool = False) -> None:
        """Show the state: on a terminal always, elsewhere at once or every few seconds."""
        if self.bar is not None:
            self.bar.n = self.jobs_done
            self.bar.set_description_str(self._state())
        elif at_once:
            self._line(f"dpmc: {self._state()}")
        elif self.jobs_done and time.monotonic() - self.last_line > LONG:
            self.last_line = time.monotonic()
            self._line(f"dpmc: {self._state()}")

    def _state(self) -> str:
        kinds = list(dict.fromkeys(_words(job.rule) for job in self.running.values()))
        more = [f"{len(kinds) - NAMED} more"] if len(kinds) > NAMED else []
        doing = " and ".join(kinds[:NAMED] + more)
        state = f"{self.jobs_done} of {self.jobs} jobs done"
        gone = _duration(time.monotonic() - self.begin)
        left = "" if self.is_cluster else f", about {_duration(self._seconds_left())} left"
        return f"{state}{doing and f', now {doing}'}, {gone} gone{left}"

    def _failure(self, record) -> None:
        # not the end: a cluster's job may be submitted again
        self._line(f"dpmc: {record.rule_name} failed: {', '.join(record.output)}")
        for log in map(Path, record.log):
            if log.exists() and self.common_settings.show_failed_logs:
                text = log.read_text(encoding="utf-8", errors="replace").strip()
                # empty where the disk is full: then the job has said it itself
                if text:
                    self._line(text)

    def _error(self, record) -> None:
        self.failed = True
        # a failed script comes as JOB_ERROR too, where its log says more than its command line
        if getattr(record, "exception", "") not in ("RuleException", "CalledProcessError"):
            text = self.format(record) or ""
            sentence = _sentence(text)
            if sentence is None:
                if text and not any(each in text for each in REPETITIONS):
                    self._line(text)
            elif sentence not in self.said:
                self.said.add(sentence)
                self._line(f"dpmc: {sentence}")

    def _seconds_left(self) -> float:
        """What remains, as much slower or faster than expected as jobs were up to now.

        Those that are done tell it, and those that run for longer than they should.
        """
        now = time.monotonic()
        late = [job for job in self.running.values() if now - job.begin > job.seconds]
        taken = self.taken + sum(now - job.begin for job in late)
        expected = self.expected + sum(job.seconds for job in late)
        pace = (taken + STEADY) / (expected + STEADY)
        ahead = [max(pace * job.seconds - (now - job.begin), 0.0) for job in self.running.values()]
        begun = pace * sum(job.seconds for job in self.running.values()) - sum(ahead)
        work = pace * sum(self.work.values()) - begun
        work += SNAKEMAKE_SECONDS * sum(self.remaining.values())
        return max(work / self.cores, *ahead, 0.0)

    def _other(self, record) -> None:
        # what Snakemake says beside its events is chatter, with two exceptions
        text = str(record.msg)
        if text.startswith("Nothing to be done"):
            self._line(f"dpmc: nothing to do; what was asked for is up to date in {RUN}/")
        elif record.levelno >= logging.WARNING and not text.startswith(REPETITIONS):
            self._print(record)

    def _print(self, record) -> None:
        text = self.format(record)
        if text:
            self._line(text)

    def _line(self, text: str) -> None:
        if self.bar is not None:
            self.bar.clear()
        print(text, file=sys.stderr, flush=True)


def _sentence(text: str) -> str | None:
    """Return what is wrong and what to do where an error of Snakemake does not say it."""
    _, protected, files = text.partition("affected files:")
    if protected and "Write-protected output files" in text:
        file = files.split()[0]
        return f"{file} cannot be written; make it and its folder writable, then run this again."
    if "clock skew" in text:
        return (
            "The clock was set back, and results are dated in the future; delete them (`find "
            "results -path results/reference -prune -o -type f -newermt now -delete`), then run "
            "this again."
        )
    return refusal_in(text)


def _has_width(stream: TextIO) -> bool:
    """Say whether a stream is a terminal with room for a bar: some, of logs, are 0 columns wide."""
    try:
        return stream.isatty() and os.get_terminal_size(stream.fileno()).columns > 0
    except OSError:
        return False


def _seconds(rule: str) -> float:
    """Return about how long a job of a rule takes."""
    return SECONDS.get(rule, OTHER_SECONDS)


def _words(rule: str) -> str:
    """Return what a rule makes, in words."""
    return "the report" if rule == PAGE else rule.replace("_", " ")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{seconds / 60:.0f} min"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
