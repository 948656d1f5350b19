"""Estimates of a run's cost: its jobs, and the CPU seconds that they take.

Each study keeps the mean costs of its jobs in ``costs.csv``
(:attr:`dpmc_studies.frame.api.Study.costs`). The means of joining tables, reading data and making
pages are in a file next to this module. There is one line for each kind of job or, if methods
differ, for each kind and method. The estimate of a job is :data:`START_SECONDS` plus the mean for
each trial, or :data:`UNKNOWN_SECONDS` for kinds without a measurement.
"""

import csv
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from dpmc.errors import InputError
from dpmc_studies import tables
from dpmc_studies.frame.api import Job, OutputOf, Study
from dpmc_studies.frame.jobs import plan as places
from dpmc_studies.frame.jobs.plan import Place, Plan

SHARED = "data and report"  # stands for a study where a job belongs to none
SHARED_COSTS = Path(__file__).with_suffix(".csv")
JOIN, RATINGS, DOWNLOAD, PAGE = "join", "ratings", "download", "page"
SECONDS = re.compile(r"^CPU seconds: ([\d.]+) to start, ([\d.]+) to run$", re.MULTILINE)
COLUMNS = ("kind", "method", "seconds")
START_SECONDS = 0.4
"""CPU seconds for starting Python and importing, once for each job."""
UNKNOWN_SECONDS = 3.0
"""CPU seconds of a job of a kind without a measurement."""
FIRST = 10**6
"""Priority of a job that needs all cores; the priority of other jobs is their seconds."""
DIGITS = 3  # that are kept of a mean


@dataclass(frozen=True)
class Planned:
    """One job of a run."""

    study: str  # SHARED if it belongs to none
    kind: str
    log: str  # where it says what it took
    files: tuple[str, ...]  # what it writes
    method: str = ""
    trials: int = 1  # of all of its cells


# -- the jobs of a run --------------------------------------------------------------------------


def planned(run: Plan) -> list[Planned]:
    """Return all jobs that a run needs when it starts without results."""
    own = [job for study in run.studies.values() for job in _of_study(run, study)]
    return own + list(_shared(run))


def planned_job(run: Plan, study: Study, job: Job, place: Place) -> Planned:
    """Return one job of a kind."""
    cells = run.settings(study, job, place)
    files = [places.part_file(run.top, study, job, table) for table in job.tables]
    files += [places.other_file(run.top, study, job)] if job.file else []
    return Planned(
        study.name,
        job.name,
        places.at(places.log_file(run.top, study, job.name, job), job, place),
        tuple(places.at(file, job, place) for file in files),
        str(getattr(next(iter(cells)), job.differ_by, "")),
        sum(used.get("trials", 1) for used in cells.values()),
    )


def _of_study(run: Plan, study: Study) -> Iterator[Planned]:
    jobs = [job for job in study.jobs if job.target is None]
    for job in jobs:
        for place in run.jobs(study, job):
            yield planned_job(run, study, job, place)
    for table in dict.fromkeys(table for job in jobs if job.coordinates for table in job.tables):
        log = places.log_file(run.top, study, f"join_{table}")
        yield Planned(study.name, JOIN, log, (places.table_file(run.top, study, table),))
    for step in study.steps:
        if step.target is None:
            log = places.log_file(run.top, study, step.name)
            files = tuple(places.step_files(run.top, study, step))
            yield Planned(study.name, step.name, log, files)


def _shared(run: Plan) -> Iterator[Planned]:
    for name in run.real_data(run.studies.values()):
        for kind, file in (
            (DOWNLOAD, places.source_file(name)),
            (RATINGS, places.ratings_file(name)),
        ):
            made = (f"{run.top}/{Path(file).relative_to('results')}",)
            yield Planned(SHARED, kind, f"{run.top}/logs/{kind}/{name}.log", made)
    page = (f"{run.top}/report/index.html",)
    yield Planned(SHARED, PAGE, f"{run.top}/logs/all_page.log", page)


def _keeper(job: Planned) -> str:
    """Return the study whose file has the means of a job; joining costs the same everywhere."""
    return SHARED if job.kind == JOIN else job.study


# -- what they will cost ------------------------------------------------------------------------


class Costs:
    """Estimates of the costs of jobs, from the means of studies."""

    def __init__(self, studies: Iterable[Study]):
        self._means: dict[tuple[str, str, str], float] = {}
        of_kinds: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, path in files_of(studies).items():
            for (kind, method), seconds in read(path).items():
                self._means[name, kind, method] = seconds
                of_kinds[name, kind].append(seconds)
        self._kinds = {kind: fmean(seconds) for kind, seconds in of_kinds.items()}

    def was_measured(self, job: Planned) -> bool:
        """Return whether such jobs were measured."""
        return (_keeper(job), job.kind, job.method) in self._means

    def seconds(self, job: Planned) -> float:
        """Return the CPU seconds that a job is expected to take.

        A method without a measurement gets the mean of the methods of its kind.
        """
        of_kind = self._kinds.get((_keeper(job), job.kind))
        if of_kind is None:
            return UNKNOWN_SECONDS
        mean = self._means.get((_keeper(job), job.kind, job.method), of_kind)
        return START_SECONDS + mean * job.trials


@dataclass(frozen=True)
class Total:
    """The estimate for several jobs together."""

    jobs: int
    seconds: float  # of CPU
    longest: float  # CPU seconds of the longest job
    guessed: int  # jobs that are like none that was measured


def total(jobs: Iterable[Planned], costs: Costs) -> Total:
    """Return the estimate for all jobs together."""
    jobs = list(jobs)
    seconds = [costs.seconds(job) for job in jobs]
    guessed = sum(not costs.was_measured(job) for job in jobs)
    return Total(len(jobs), math.fsum(seconds), max(seconds, default=0.0), guessed)


def totals(jobs: Iterable[Planned], costs: Costs) -> dict[str, Total]:
    """Return the estimate for each study's jobs, and for jobs outside studies."""
    groups: dict[str, list[Planned]] = defaultdict(list)
    for job in jobs:
        groups[job.study].append(job)
    return {name: total(group, costs) for name, group in groups.items()}


def estimates(run: Plan, costs: Costs) -> dict[str, float]:
    """Return, for each rule of a run, the mean estimate of its jobs in CPU seconds.

    Each job is also listed, by the first file that it writes, with its own estimate.
    """
    found, own = defaultdict(list), {}
    for job in planned(run):
        kind = Path(job.log).stem if job.kind == JOIN else job.kind  # its table
        rule = kind if job.study == SHARED else f"{job.study}_{kind}"
        own[job.files[0]] = costs.seconds(job)
        found[rule].append(own[job.files[0]])
    return {rule: fmean(seconds) for rule, seconds in found.items()} | own


def priorities(run: Plan, study: Study, costs: Costs) -> dict[str, int]:
    """Return each kind's priority: the seconds of its longest job or the longest one that waits.

    Long jobs thus start early, and no core waits for one at the end. A job that measures wall-clock
    time comes first, because no cores are kept free for it while it waits.
    """
    own, readers = {}, defaultdict(set)
    for job in study.jobs:
        every = run.jobs(study, job)
        seconds = (costs.seconds(planned_job(run, study, job, place)) for place in every)
        own[job.name] = FIRST if job.alone else round(max(seconds, default=0))
        for place in every if job.target is None else ():
            for _, source in run.sources(study, job, place):
                if isinstance(source, OutputOf):
                    readers[source.job].add(job.name)

    def latest(name: str) -> int:
        return max([own[name], *map(latest, readers[name])])

    return {name: latest(name) for name in own}


# -- measuring ----------------------------------------------------------------------------------


def measure(runs: Iterable[Plan]) -> dict[str, dict[tuple[str, str], float]]:
    """Return the means of finished runs by study; the top of each run is a folder of results."""
    found: dict[tuple[str, str, str], list[tuple[float, int]]] = defaultdict(list)
    for run in runs:
        finished = [(job, taken) for job in planned(run) if (taken := _taken(job)) is not None]
        if not finished:
            raise InputError(f"{run.top} holds no log of a finished job.")
        for job, taken in finished:
            found[_keeper(job), job.kind, job.method].append((taken, job.trials))
    means: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for (keeper, *key), group in found.items():
        work = math.fsum(taken - START_SECONDS for taken, _ in group)
        means[keeper][tuple(key)] = max(work, 0.0) / sum(trials for _, trials in group)
    return means


def _taken(job: Planned) -> float | None:
    """Return the CPU seconds of a job; None if it is not finished, or did nothing for want of
    data.
    """
    log = Path(job.log)
    if not log.exists() or not all(Path(file).exists() for file in job.files):
        return None
    found = SECONDS.search(log.read_text(encoding="utf-8"))
    return None if found is None else math.fsum(map(float, found.groups()))


# -- their files --------------------------------------------------------------------------------


def files_of(studies: Iterable[Study]) -> dict[str, Path]:
    """Return each study's file of means."""
    own = {study.name: study.costs for study in studies if study.costs is not None}
    return {**own, SHARED: SHARED_COSTS}


def read(path: Path) -> dict[tuple[str, str], float]:
    """Return the means of a file by kind and method; none if there is no such file."""
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as stream:
        return {
            (row["kind"], row["method"]): float(row["seconds"]) for row in csv.DictReader(stream)
        }


def update(path: Path, means: Mapping[tuple[str, str], float]) -> None:
    """Write means to a file; means of other jobs in the file stay."""
    kept = {**read(path), **means}
    rows = [(*key, f"{kept[key]:.{DIGITS}g}") for key in sorted(kept)]
    tables.write(path, COLUMNS, [dict(zip(COLUMNS, row, strict=True)) for row in rows])
