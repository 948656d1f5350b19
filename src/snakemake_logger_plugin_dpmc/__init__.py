"""Snakemake logger plug-in: one line first, then progress with the time left, then what failed.

Once the cells are done it says what is going on instead, and at the end where the report is.

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
WORDS = {
    "download": "downloads",
    "ratings": "reading data",
    "synthetic": "synthetic data",
    "surrogate": "generating data in place of large ones",
    "trials": "collecting trials",
    "convergence": "convergence curves",
    "starts": "the effect of the start",
    "timing": "timing",
    "comparison": "comparing with published numbers",
    "claims": "judging claims",
    "stability": "comparing the verdicts of both seeds",
    "tables": "tables",
    "figures": "figures",
    "errata": "errata",
    "manifest": "the manifest",
    "page": "the report",
    "check": "comparing with the reference",
    "calibrated": "collecting private fits",
    "privacy_totals": "what published budgets add up to",
    "transcript_part": "what published runs reveal",
    "transcript_loss": "what published runs reveal",
    "frontier_part": "the least noise by budget",
    "frontier": "the least noise by budget",
    "audit_part": "auditing",
    "audit_table": "auditing",
    "audit_figure": "the figure of the audit",
    "tune_part": "choosing hyper-parameters",
    "dpals_tune_part": "choosing hyper-parameters of DPALS",
    "onebit_outp": "what output perturbation reveals",
    "onebit_bounds": "bounds on one-bit errors",
    "dpals_timing": "timing DPALS",
    "dpals_coverage_part": "how many ratings count",
    "dpals_coverage": "how many ratings count",
    "dpals_accounting": "accounting for DPALS",
    "forensics_synthetic": "the sweep on synthetic data",
    "forensics_real": "the sweep on real data",
    "forensics_summary": "the summary of the sweep",
}
"""What a rule does, for people; names of others are words already, but for prefix and suffix."""
PARTS = {"onebit": "one-bit", "dpals": "DPALS", "privacy": "privacy"}
PAGE = "page"
LONG = 5.0
"""Seconds between two lines, and of a job that is announced when it starts."""
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
        self.running: dict[int, str] = {}
        self.announced: set[str] = set()
        self.page: str | None = None
        self.failed = self.ended = False
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
        """End the bar, and say how the run ended."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.jobs and not self.verbose and not self.ended:
            self.ended = True
            self._line(self._ending())
        super().close()

    def _ending(self) -> str:
        gone = _duration(time.monotonic() - self.begin)
        if self.failed or self.jobs_done < self.jobs:
            return f"dpmc: ended after {gone} with {self.jobs_done} of {self.jobs} jobs done"
        return f"dpmc: done in {gone}" + (f"; the report is {self.page}" if self.page else "")

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
            self.bar = tqdm(total=self.jobs, unit="job", bar_format="{l_bar}{bar}| {postfix}")

    def _resources(self, record) -> None:
        self.cores = getattr(record, "cores", None) or self.cores

    def _start(self, record) -> None:
        rule = record.rule_name
        self.rules[record.jobid] = self.running[record.jobid] = rule
        if rule == PAGE:
            self.page = next(iter(getattr(record, "output", None) or []), None)
        # after the cells nothing may finish for as long as this takes
        long = SECONDS.get(rule, OTHER_SECONDS) >= LONG and self.cells_done == self.cells
        self._tell(at_once=long and rule not in self.announced)
        if long:
            self.announced.add(rule)

    def _finish(self, record) -> None:
        job = getattr(record, "job_id", None)
        self.running.pop(job, None)
        rule = self.rules.get(job, "")
        if rule in self.remaining:
            self.remaining[rule] -= 1
            self.cells_done += rule in CELL_RULES
            self.jobs_done += 1
        self._tell()

    def _tell(self, at_once: bool = False) -> None:
        """Show the state: on a terminal always, elsewhere at once or every few seconds."""
        if self.bar is not None:
            self.bar.n = self.jobs_done
            self.bar.set_postfix_str(self._state())
        elif at_once:
            self._line(f"dpmc: {self._state()}")
        elif self.jobs_done and time.monotonic() - self.last_line > LONG:
            self.last_line = time.monotonic()
            self._line(f"dpmc: {self._state()}")

    def _state(self) -> str:
        cells, jobs = (
            f"{self.cells_done} of {self.cells} cells done",
            f"{self.jobs_done} of {self.jobs} jobs done",
        )
        if self.cells_done < self.cells:
            state = cells
        else:  # a run without cells, as that of the forensics, has jobs only
            state = f"{cells}, {jobs}" if self.cells else jobs
            doing = dict.fromkeys(map(_words, self.running.values()))
            state += f", now {' and '.join(doing)}" if doing else ""
        gone = _duration(time.monotonic() - self.begin)
        return f"{state}, {gone} gone, about {_duration(self._seconds_left())} left"

    def _failure(self, record) -> None:
        self.failed = True
        self._line(f"dpmc: {record.rule_name} failed: {', '.join(record.output)}")
        for log in map(Path, record.log):
            if log.exists() and self.common_settings.show_failed_logs:
                self._line(log.read_text(encoding="utf-8", errors="replace").rstrip())

    def _error(self, record) -> None:
        self.failed = True
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


def _words(rule: str) -> str:
    """Return what a rule does, such as "figures (privacy)" of privacy_figures."""
    if rule in WORDS:
        return WORDS[rule]
    part, _, rest = rule.partition("_")
    if part in PARTS and rest:
        return f"{_words(rest)} ({PARTS[part]})"
    return rule.replace("_", " ")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{seconds / 60:.0f} min"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
