"""What each kind of job asks a cluster for, and how many of a kind share one submission.

Nothing here matters to a run on one machine. Asked for is what :class:`dpmc.study.api.Job` says was
measured, and what Snakemake takes around it; a job that needs more all the same (larger data, a
slower node) is submitted again and asks for twice as much. A job of seconds must not cost a
submission of its own, so as many of a kind are bundled as fit into :data:`BUNDLE_MINUTES`. They run
one after the other, on one core.
"""

import math
from collections.abc import Iterable, Mapping

from dpmc.study.api import Job, Study

START_SECONDS = 120.0
"""Room for starting: two Snakemake processes and the job each import from a shared file system."""
SNAKEMAKE_MB = 500
"""What two Snakemake processes and the commands of Slurm around the job take: 330 measured."""
BUNDLE_MINUTES = 60
"""Asked for a bundle at most: few queues are shorter."""


def minutes(job: Job, attempt: int = 1) -> int:
    """Return the minutes to ask for; twice as many in each further attempt."""
    return math.ceil((START_SECONDS + job.longest) / 60) * 2 ** (attempt - 1)


def megabytes(job: Job, attempt: int = 1) -> int:
    """Return the memory to ask for; twice as much in each further attempt."""
    return (job.memory + SNAKEMAKE_MB) * 2 ** (attempt - 1)


def options(job: Job) -> str:
    """Return further options of ``sbatch``: a job whose clock counts gets a node to itself."""
    return "--exclusive" if job.alone else ""


def group(study: Study, job: Job) -> str | None:
    """Return the name under which jobs are bundled: those of a kind, or those that run once.

    None if the job's clock counts.
    """
    if job.alone:
        return None
    return f"{study.name}_{job.name if job.coordinates else 'once'}"


def step_group(study: Study) -> str:
    """Return the name under which all that follows the jobs of a study is one submission."""
    return f"{study.name}_results"


def bundles(studies: Iterable[Study]) -> Mapping[str, int]:
    """Return how many jobs share a submission, by the name of their group."""
    longest: dict[str, int] = {}
    for study in studies:
        for job in study.jobs:
            if (name := group(study, job)) is not None:
                longest[name] = max(minutes(job), longest.get(name, 0))
    return {name: max(1, BUNDLE_MINUTES // each) for name, each in longest.items()}
