"""What jobs ask a cluster for, and which share a submission."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

from dpmc import configuration, studies
from dpmc.frame.api import Effort, Job, OutputOf, Study
from dpmc.frame.costs import cluster
from dpmc.frame.costs.model import COLUMNS, CostModel
from dpmc.frame.jobs.cells import Cell
from dpmc.frame.jobs.plan import Plan
from dpmc.tables import write

HOME = Path(__file__).parents[2]
STUDIES = studies.load()
JOBS = [(study, job) for study in STUDIES.values() for job in study.jobs]
CELLS = [("short",), ("long",)]


@dataclass(frozen=True)
class Fit(Cell):
    method: str


FIT = Job(
    "fit", "x:y", cell=Fit, cells=lambda section: [Fit(*each) for each in CELLS], seconds=30.0
)


def requests(tmp_path, *jobs, samples=()):
    """Return what the jobs of a study ask for, and the study."""
    costs = tmp_path / "costs.csv"
    if samples:
        write(costs, COLUMNS, [dict(zip(COLUMNS, row, strict=True)) for row in samples])
    study = Study("mine", "Mine", jobs, (), "x:y", costs=costs)
    run = Plan("results", {"mine": {}, "data": {"sets": {}}}, {"mine": study})
    return cluster.Requests({"results": run}), study


MEASURED = [
    ("fit", "short", 1.0, 3.0, 1.0, 9.0, 200.0, 0.1),
    ("fit", "long", 1.0, 3.0, 1.0, 599.0, 400.0, 0.1),
]


def test_a_job_asks_for_a_multiple_of_what_is_planned_and_for_what_snakemake_takes(tmp_path):
    asked, study = requests(tmp_path, FIT, samples=MEASURED)
    of_job = ("results", study, FIT)
    seconds = [cluster.START_SECONDS + cluster.SLOWER * planned for planned in (10.0, 600.0)]
    assert [asked.minutes(*of_job, cell) for cell in CELLS] == [
        math.ceil(each / 60) for each in seconds
    ]
    assert [asked.megabytes(*of_job, cell) for cell in CELLS] == [
        cluster.LARGER * planned + cluster.SNAKEMAKE_MB for planned in (200, 400)
    ]


def test_larger_data_ask_for_more(tmp_path):
    larger = replace(FIT, effort=lambda section, cells: Effort("long", size=10.0))
    asked, study = requests(tmp_path, larger, samples=MEASURED)
    of_job = ("results", study, larger, CELLS[1])
    assert asked.minutes(*of_job) >= cluster.SLOWER * 5990 / 60
    assert asked.megabytes(*of_job) >= cluster.LARGER * (200 + 10 * 200)


def test_a_kind_that_was_never_measured_asks_by_what_its_study_states(tmp_path):
    asked, study = requests(tmp_path, FIT)
    of_job = ("results", study, FIT, CELLS[0])
    assert asked.minutes(*of_job) == math.ceil((cluster.START_SECONDS + cluster.SLOWER * 30) / 60)
    assert asked.megabytes(*of_job) == cluster.UNKNOWN_MB + cluster.SNAKEMAKE_MB


def test_each_further_attempt_asks_for_twice_as_much(tmp_path):
    asked, study = requests(tmp_path, FIT, samples=MEASURED)
    of_job = ("results", study, FIT, CELLS[0])
    for ask in (asked.minutes, asked.megabytes):
        first = ask(*of_job)
        assert [ask(*of_job, attempt) for attempt in (2, 3)] == [2 * first, 4 * first]


def test_jobs_of_a_kind_share_submissions_of_an_hour_at_most(tmp_path):
    asked, study = requests(tmp_path, FIT, samples=MEASURED)
    longest = asked.minutes("results", study, FIT, CELLS[1])
    assert asked.bundles() == {"mine_fit": 60 // longest}
    asked, _ = requests(tmp_path, replace(FIT, name="slow", seconds=7200.0))
    assert asked.bundles() == {"mine_slow": 1}


def test_jobs_that_run_once_share_submissions_with_each_other(tmp_path):
    once = Job("a", "x:y", seconds=10.0)
    other = replace(once, name="b", seconds=180.0)
    asked, study = requests(tmp_path, once, other)
    assert asked.bundles() == {"mine_once": 60 // asked.minutes("results", study, other, ())}


def test_a_job_whose_clock_counts_has_a_node_to_itself(tmp_path):
    timing = replace(FIT, alone=True)
    assert cluster.group(SimpleNamespace(name="mine"), timing) is None
    assert (cluster.options(timing), cluster.options(FIT)) == ("--exclusive", "")
    asked, _ = requests(tmp_path, timing)
    assert asked.bundles() == {}


def test_kinds_with_long_jobs_come_first_and_a_clock_that_counts_before_them(tmp_path):
    short = Job("short", "x:y", seconds=7.0)
    timing = replace(short, name="timing", alone=True)
    none = replace(short, name="none", cells=lambda section: [])
    asked, study = requests(tmp_path, FIT, short, timing, none, samples=MEASURED)
    places = [asked.priority("results", study, job) for job in study.jobs]
    assert places == [600, 7, cluster.FIRST, 0]


def test_what_long_jobs_wait_for_comes_as_early_as_they(tmp_path):
    made, later = (replace(FIT, name=name, seconds=5.0) for name in ("made", "later"))
    middle = replace(
        later, name="middle", inputs=lambda section, cell: {"x": OutputOf("made", cell)}
    )
    long = replace(FIT, inputs=lambda section, cell: {"x": OutputOf("middle", cell)})
    asked, study = requests(tmp_path, made, later, middle, long, samples=MEASURED)
    places = [asked.priority("results", study, job) for job in study.jobs]
    assert places == [600, 5, 600, 600]
    asked, study = requests(tmp_path, made, replace(middle, target="more", seconds=90.0))
    assert asked.priority("results", study, made) == 5  # of a target that is not asked for


def test_every_kind_of_short_jobs_of_the_full_run_is_bundled():
    settings = configuration.load(HOME / "config" / "config.yaml")
    run = Plan("results", configuration.checked(settings, STUDIES), STUDIES)
    asked = cluster.Requests({"results": run})
    bundles = asked.bundles()
    for study, job in JOBS:
        group, name = cluster.group(study, job), f"{study.name}, {job.name}"
        assert (group is None) == job.alone, name
        if group is not None:
            places = run.jobs(study, job)
            minutes = [asked.minutes("results", study, job, each) for each in places]
            assert bundles[group] > 1 or max(minutes) > cluster.BUNDLE_MINUTES / 2, name


def test_every_kind_of_the_full_run_was_measured():
    costs = CostModel(STUDIES.values())
    for study, job in JOBS:
        if job.target is None:
            cost = costs.expected(study.name, job.name, Effort("like no other"), 0.0)
            assert cost.seconds > 0, f"{study.name}, {job.name}"
