"""What a run will cost: every job that it needs, and what such jobs were measured to take.

A **sample** is what jobs of one kind took that do the same work on as many data; a study keeps its
own in a CSV file (:attr:`dpmc.frame.api.Study.costs`), those of joining tables, reading data and
making pages lie beside this module. A job is expected to take

- as long to start as its sample says, and for its work in proportion to amount and size;
- the memory of starting, and the rest in proportion to size;
- disk in proportion to amount and size,

from the sample of its likes whose size is nearest. A job that is like none that was measured is
expected to cost the mean of its kind, and the memory of the largest, whatever its size; one of a
kind that was never measured takes the ``seconds`` that its study states.
"""

import csv
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from dpmc import tables
from dpmc.datasets import resolve
from dpmc.errors import InputError
from dpmc.frame.api import Effort, RatingsOf, Study
from dpmc.frame.jobs import plan as places
from dpmc.frame.jobs.plan import Plan

SHARED = "data and report"  # stands for a study where a job belongs to none
SHARED_COSTS = Path(__file__).with_name("costs.csv")
JOIN, RATINGS, DOWNLOAD, PAGE = "join", "ratings", "download", "page"
SECONDS = re.compile(r"^CPU seconds: ([\d.]+) to start, ([\d.]+) to run$", re.MULTILINE)
MEGABYTE = 1e6
DIGITS = 4  # that are kept of a number


@dataclass(frozen=True)
class CostSample:
    """What jobs were measured to take: one row of a CSV file."""

    kind: str  # name of the job or step
    alike: str  # as in dpmc.frame.api.Effort, like the size
    size: float
    jobs: float  # how many were measured
    start: float  # CPU seconds to start one
    run: float  # CPU seconds for one unit of amount
    memory: float  # largest megabytes of a job; nan if unknown
    disk: float  # megabytes for one unit of amount


TEXTS = ("kind", "alike")
COLUMNS = tuple(each.name for each in fields(CostSample))


@dataclass(frozen=True)
class Cost:
    """What a job is expected to take."""

    seconds: float  # of CPU
    memory: float  # megabytes; nan if unknown
    disk: float  # megabytes
    measured: bool  # whether it rests on jobs that do the same work


@dataclass(frozen=True)
class Planned:
    """One job of a run."""

    study: str  # SHARED if it belongs to none
    kind: str
    effort: Effort
    stated: float  # seconds that are expected where nothing was measured
    data: tuple[str, ...]  # real data sets without which it has nothing to do
    log: str  # where it says what it took
    benchmark: str
    files: tuple[str, ...]  # what it writes


# -- the jobs of a run --------------------------------------------------------------------------


def planned(run: Plan) -> list[Planned]:
    """Return all jobs that a run needs if nothing of it is there yet."""
    own = [job for study in run.studies.values() for job in _of_study(run, study)]
    return own + list(_shared(run))


def _of_study(run: Plan, study: Study) -> Iterator[Planned]:
    top = run.top
    jobs = [job for job in study.jobs if job.target is None]
    for job in jobs:
        for place in run.jobs(study, job):
            sources = dict(run.sources(study, job, place)).values()
            files = [places.part_file(top, study, job, table) for table in job.tables]
            files += [places.other_file(top, study, job)] if job.file else []
            yield Planned(
                study.name,
                job.name,
                run.effort(study, job, place),
                job.seconds,
                tuple(source.dataset for source in sources if isinstance(source, RatingsOf)),
                places.at(places.log_file(top, study, job.name, job), job, place),
                places.at(places.benchmark_file(top, study, job), job, place),
                tuple(places.at(file, job, place) for file in files),
            )
    joined = dict.fromkeys(table for job in jobs if job.coordinates for table in job.tables)
    for table in joined:
        file = places.table_file(top, study, table)
        log = places.log_file(top, study, f"join_{table}")
        parts = len(run.parts(study, table))
        yield Planned(study.name, JOIN, Effort("", parts), 0.0, (), log, "", (file,))
    for step in study.steps:
        if step.target is None:
            yield Planned(
                study.name,
                step.name,
                Effort(""),
                step.seconds,
                (),
                places.log_file(top, study, step.name),
                places.step_benchmark_file(top, study, step),
                tuple(places.step_files(top, study, step)),
            )


def _shared(run: Plan) -> Iterator[Planned]:
    data = run.configuration["data"]
    for name in run.real_data(run.studies.values()):
        size = (resolve(name, data["sets"]).size or MEGABYTE) / MEGABYTE
        for kind, file in (
            (DOWNLOAD, places.source_file(name)),
            (RATINGS, places.ratings_file(name)),
        ):
            yield Planned(
                SHARED,
                kind,
                Effort(name, size=size),
                0.0,
                (name,) if kind == RATINGS else (),
                *_places(run.top, f"{kind}/{name}"),
                (f"{run.top}/{Path(file).relative_to('results')}",),
            )
    page = f"{run.top}/report/index.html"
    yield Planned(SHARED, PAGE, Effort(""), 0.0, (), *_places(run.top, "all_page"), (page,))


def _places(top: str, name: str) -> tuple[str, str]:
    return f"{top}/logs/{name}.log", f"{top}/benchmarks/{name}.tsv"


def _keeper(job: Planned) -> str:
    """Return the study whose file has the samples of a job; joining costs the same everywhere."""
    return SHARED if job.kind == JOIN else job.study


# -- what they will cost ------------------------------------------------------------------------


class CostModel:
    """Tells what a job will cost, from all samples of studies."""

    def __init__(self, studies: Iterable[Study]):
        self._of: dict[tuple[str, str], list[CostSample]] = defaultdict(list)
        for name, path in files_of(studies).items():
            for sample in read(path):
                self._of[name, sample.kind].append(sample)

    def cost(self, job: Planned) -> Cost:
        """Return what a job is expected to take."""
        return self.expected(_keeper(job), job.kind, job.effort, job.stated)

    def expected(self, study: str, kind: str, effort: Effort, stated: float) -> Cost:
        """Return what a job of a kind is expected to take: if none was measured, what is stated."""
        known = self._of.get((study, kind), [])
        if not known:
            return Cost(stated, math.nan, 0.0, False)
        least = -_largest(-each.memory for each in known)
        alike = [each for each in known if each.alike == effort.alike]
        if alike:
            nearest = min(alike, key=lambda each: abs(math.log(each.size / effort.size)))
            return _expected(nearest, effort, least)
        expected = [_expected(each, replace(effort, size=each.size), least) for each in known]
        return Cost(
            fmean(each.seconds for each in expected),
            _largest(each.memory for each in expected),
            fmean(each.disk for each in expected),
            measured=False,
        )


def _expected(sample: CostSample, effort: Effort, start_memory: float) -> Cost:
    """Return the cost of a job that does what others did, on more or fewer data.

    ``start_memory`` is the megabytes of a job of this kind that has next to no data.
    """
    ratio = effort.size / sample.size
    return Cost(
        sample.start + sample.run * effort.amount * ratio,
        start_memory + (sample.memory - start_memory) * ratio,
        sample.disk * effort.amount * ratio,
        measured=True,
    )


@dataclass(frozen=True)
class Total:
    """What several jobs are expected to take."""

    jobs: int
    seconds: float  # of CPU
    longest: float  # CPU seconds of the longest job
    memory: float  # megabytes of the job that needs most; nan if nothing is known
    disk: float  # megabytes
    guessed: int  # jobs that are like none that was measured


def total(jobs: Iterable[Planned], cost_of: Callable[[Planned], Cost]) -> Total:
    """Return what jobs are expected to take in all."""
    costs = [cost_of(job) for job in jobs]
    return Total(
        len(costs),
        math.fsum(cost.seconds for cost in costs),
        max((cost.seconds for cost in costs), default=0.0),
        _largest(cost.memory for cost in costs),
        math.fsum(cost.disk for cost in costs),
        sum(not cost.measured for cost in costs),
    )


def totals(jobs: Collection[Planned], cost_of: Callable[[Planned], Cost]) -> dict[str, Total]:
    """Return what the jobs of every study, and those of none, are expected to take."""
    groups: dict[str, list[Planned]] = defaultdict(list)
    for job in jobs:
        groups[job.study].append(job)
    return {name: total(group, cost_of) for name, group in groups.items()}


def estimates(run: Plan, model: CostModel) -> dict[str, float]:
    """Return for each rule of a run about how many CPU seconds one of its jobs takes, on average.

    For what the run does not need, such as a target of its own, that is what its study states. By
    the first file that it writes, each job has its own.
    """
    stated = {
        f"{study.name}_{each.name}": each.seconds
        for study in run.studies.values()
        for each in (*study.jobs, *study.steps)
    }
    found, own = defaultdict(list), {}
    for job in planned(run):
        kind = Path(job.log).stem if job.kind == JOIN else job.kind  # its table
        rule = kind if job.study == SHARED else f"{job.study}_{kind}"
        own[job.files[0]] = model.cost(job).seconds
        found[rule].append(own[job.files[0]])
    return stated | {rule: fmean(seconds) for rule, seconds in found.items()} | own


# -- measuring ----------------------------------------------------------------------------------


def measure(runs: Iterable[Plan]) -> dict[str, list[CostSample]]:
    """Return the samples of finished runs, whose tops are folders of results, by study."""
    found: dict[tuple[str, str, str, float], list[tuple[float, _Taken]]] = defaultdict(list)
    for run in runs:
        finished = [(job, taken) for job in planned(run) if (taken := _taken(job)) is not None]
        if not finished:
            raise InputError(f"{run.top} holds no log of a finished job.")
        for job, taken in finished:
            effort = job.effort
            found[_keeper(job), job.kind, effort.alike, effort.size].append((effort.amount, taken))
    samples: dict[str, list[CostSample]] = defaultdict(list)
    for (keeper, *of_what), group in found.items():
        samples[keeper].append(_sample(*of_what, group))
    return samples


class _Taken(NamedTuple):
    """What one job took: CPU seconds to start and to work, megabytes."""

    start: float
    run: float
    memory: float
    disk: float


def _taken(job: Planned) -> _Taken | None:
    """Return what a job took; None if it is not finished, or did nothing for want of data."""
    log, files = Path(job.log), [Path(file) for file in job.files]
    if not log.exists() or not all(file.exists() for file in files):
        return None
    found = SECONDS.search(log.read_text(encoding="utf-8"))
    if found is None:
        return None
    disk = sum(_bytes(file) for file in files) / MEGABYTE
    return _Taken(*map(float, found.groups()), _memory(job.benchmark), disk)


def _bytes(path: Path) -> int:
    held = path.rglob("*") if path.is_dir() else [path]
    return sum(each.stat().st_size for each in held if each.is_file())


def _memory(benchmark: str) -> float:
    """Megabytes that Snakemake saw; nan if it did not look, or the job was over before."""
    if not benchmark or not Path(benchmark).exists():
        return math.nan
    with open(benchmark, encoding="utf-8", newline="") as stream:
        seen = [row["max_rss"] for row in csv.DictReader(stream, delimiter="\t")]
    return _largest(float(text) for text in seen if text not in ("NA", "-"))


def _sample(kind: str, alike: str, size: float, group: list[tuple[float, _Taken]]) -> CostSample:
    amount = math.fsum(amount for amount, _ in group)
    return CostSample(
        kind,
        alike,
        size,
        len(group),
        fmean(taken.start for _, taken in group),
        math.fsum(taken.run for _, taken in group) / amount,
        _largest(taken.memory for _, taken in group),
        math.fsum(taken.disk for _, taken in group) / amount,
    )


def _largest(megabytes: Iterable[float]) -> float:
    """Return the largest that is known; nan if none is."""
    return max((each for each in megabytes if not math.isnan(each)), default=math.nan)


# -- their files --------------------------------------------------------------------------------


def files_of(studies: Iterable[Study]) -> dict[str, Path]:
    """Return where samples are kept, by study."""
    own = {study.name: study.costs for study in studies if study.costs is not None}
    return {**own, SHARED: SHARED_COSTS}


def read(path: Path) -> list[CostSample]:
    """Read the samples of a file; none if there is no such file."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        CostSample(**{name: row[name] if name in TEXTS else _number(row[name]) for name in COLUMNS})
        for row in rows
    ]


def _number(text: str) -> float:
    return float(text) if text else math.nan


def update(path: Path, samples: Iterable[CostSample]) -> None:
    """Write samples to a file; those of other jobs that it holds stay."""
    kept = {(each.kind, each.alike, _kept(each.size)): each for each in (*read(path), *samples)}
    tables.write(path, COLUMNS, [_row(kept[key]) for key in sorted(kept)])


def _kept(value: float) -> float:
    """Return a number with the digits that are kept of it."""
    return float(f"{value:.{DIGITS}g}")


def _row(sample: CostSample) -> dict[str, object]:
    row = asdict(sample)
    numbers = {name: value for name, value in row.items() if name not in TEXTS}
    return row | {
        name: None if math.isnan(value) else _kept(value) for name, value in numbers.items()
    }
