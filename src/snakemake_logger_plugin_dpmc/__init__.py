"""Snakemake logger plug-in: one line first, then progress with the time left, then what failed.

Chosen by ``logger: dpmc`` in the profiles. Dry runs and ``--verbose`` get Snakemake's own output.
"""

import logging
import sys
import time
from pathlib import Path

from snakemake.logging import DefaultFormatter, get_event
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

# seconds of one job, measured on two cores of an AMD EPYC (2026): only for telling the time left
SECONDS = {
    "cell": 1.8,
    "convergence": 8.0,
    "starts": 6.0,
    "timing": 16.0,
    "claims": 6.0,
    "figures": 14.0,
    "errata": 5.0,
    "calibrated_cell": 2.5,
    "transcript_part": 15.0,
    "frontier_part": 15.0,
    "audit_part": 20.0,
    "privacy_totals": 10.0,
    "privacy_figures": 14.0,
    "tune_part": 10.0,
    "dpals_tune_part": 60.0,
    "onebit_clear": 3.0,
    "onebit_cell": 2.0,
    "onebit_outp": 40.0,
    "onebit_figures": 14.0,
    "surrogate": 40.0,
    "dpals_cell": 4.5,
    "dpals_timing": 30.0,
    "dpals_coverage_part": 10.0,
    "dpals_figures": 14.0,
    "forensics_synthetic": 5.0,
    "forensics_real": 55.0,
}
OTHER_SECONDS = 1.5
CELL_RULES = ("cell", "calibrated_cell", "onebit_clear", "onebit_cell", "dpals_cell")


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
        self.rules: dict[int, str] = {}
        self.remaining: dict[str, int] = {}
        self.cells = self.cells_done = self.jobs = self.jobs_done = 0
        self.bar: tqdm | None = None
        self.begin = self.last_line = time.monotonic()
        self.cores = 1

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
            (self._print if self.verbose else handle)(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        super().close()

    def _plan(self, record) -> None:
        stats = getattr(record, "stats", None) or {}
        self.remaining = {rule: n for rule, n in stats.items() if rule != "total"}
        self.cells = sum(stats.get(rule, 0) for rule in CELL_RULES)
        self.jobs = sum(self.remaining.values())
        self._line(
            f"dpmc: {self.cells} cells to run ({self.jobs} jobs in all), "
            f"about {_duration(self._seconds_left())} on {_count(self.cores, 'core')}"
        )
        self.begin = self.last_line = time.monotonic()
        if sys.stderr.isatty():
            self.bar = tqdm(total=self.cells, unit="cell", bar_format="{l_bar}{bar}| {postfix}")

    def _resources(self, record) -> None:
        self.cores = getattr(record, "cores", None) or self.cores

    def _start(self, record) -> None:
        self.rules[record.jobid] = record.rule_name

    def _finish(self, record) -> None:
        rule = self.rules.get(getattr(record, "job_id", None), "")
        if rule in self.remaining:
            self.remaining[rule] -= 1
            self.cells_done += rule in CELL_RULES
            self.jobs_done += 1
        # a run without cells, as that of the forensics, counts jobs
        cells = (self.cells_done, self.cells, "cells")
        done, total, unit = cells if self.cells else (self.jobs_done, self.jobs, "jobs")
        state = (
            f"{done} of {total} {unit} done, "
            f"{_duration(time.monotonic() - self.begin)} gone, "
            f"about {_duration(self._seconds_left())} left"
        )
        if self.bar is not None:
            self.bar.n = self.cells_done
            self.bar.set_postfix_str(state)
        elif time.monotonic() - self.last_line > 5:
            self.last_line = time.monotonic()
            self._line(f"dpmc: {state}")

    def _failure(self, record) -> None:
        self._line(f"dpmc: {record.rule_name} failed: {', '.join(record.output)}")
        for log in map(Path, record.log):
            if log.exists() and self.common_settings.show_failed_logs:
                self._line(log.read_text(encoding="utf-8", errors="replace").rstrip())

    def _error(self, record) -> None:
        # a failed script comes as JOB_ERROR too, where its log says more than its command line
        if getattr(record, "exception", "") not in ("RuleException", "CalledProcessError"):
            self._print(record)

    def _seconds_left(self) -> float:
        work = sum(n * SECONDS.get(rule, OTHER_SECONDS) for rule, n in self.remaining.items())
        return work / self.cores

    def _other(self, record) -> None:
        # what Snakemake says beside its events is chatter, with two exceptions
        text = str(record.msg)
        if record.levelno >= logging.WARNING or text.startswith("Nothing to be done"):
            self._print(record)

    def _print(self, record) -> None:
        text = self.format(record)
        if text:
            self._line(text)

    def _line(self, text: str) -> None:
        if self.bar is not None:
            self.bar.clear()
        print(text, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{seconds / 60:.0f} min"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
