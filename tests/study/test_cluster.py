"""What jobs ask a cluster for, and which share a submission."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpmc import studies
from dpmc.study import cluster
from dpmc.study.api import Job

STUDIES = studies.load()
JOBS = [(study, job) for study in STUDIES.values() for job in study.jobs]
every_job = pytest.mark.parametrize(
    ("study", "job"), JOBS, ids=[f"{study.name}-{job.name}" for study, job in JOBS]
)
FIT = Job("fit", "x:y", coordinates=("method",), longest=100.0, memory=400)


def test_a_job_asks_for_what_was_measured_and_for_what_snakemake_takes():
    assert cluster.minutes(FIT) == 4
    assert cluster.megabytes(FIT) == 400 + cluster.SNAKEMAKE_MB


def test_each_further_attempt_asks_for_twice_as_much():
    assert [cluster.minutes(FIT, attempt) for attempt in (1, 2, 3)] == [4, 8, 16]
    first = cluster.megabytes(FIT)
    assert [cluster.megabytes(FIT, attempt) for attempt in (2, 3)] == [2 * first, 4 * first]


def test_jobs_of_a_kind_share_submissions_of_an_hour():
    study = SimpleNamespace(name="mine", jobs=[FIT])
    assert cluster.bundles([study]) == {"mine_fit": 15}
    study.jobs = [replace(FIT, longest=7200.0)]
    assert cluster.bundles([study]) == {"mine_fit": 1}


def test_jobs_that_run_once_share_submissions_with_each_other():
    once = replace(FIT, coordinates=())
    study = SimpleNamespace(name="mine", jobs=[once, replace(once, name="b", longest=500.0)])
    assert cluster.bundles([study]) == {"mine_once": 5}


def test_a_job_whose_clock_counts_has_a_node_to_itself():
    timing = replace(FIT, alone=True)
    assert cluster.group(SimpleNamespace(name="mine"), timing) is None
    assert (cluster.options(timing), cluster.options(FIT)) == ("--exclusive", "")


@every_job
def test_every_kind_of_short_jobs_is_bundled(study, job):
    group = cluster.group(study, job)
    assert (group is None) == job.alone
    if group is not None and job.longest < 1000:
        assert cluster.bundles(STUDIES.values())[group] > 1


@every_job
def test_the_longest_job_takes_no_less_than_the_usual_one(study, job):
    assert job.longest >= job.seconds
