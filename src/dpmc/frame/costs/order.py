"""Which kinds of jobs begin first, so that no long one is left for the end, when cores idle."""

from collections.abc import Mapping

from dpmc.frame.api import Job, OutputOf, Study
from dpmc.frame.costs.model import CostModel
from dpmc.frame.jobs.plan import Plan

FIRST = 10**6
"""Priority of a job that wants all cores; others have their seconds."""


class Order:
    """Which of the jobs of runs begin; ``runs`` are plans by the folder of the run."""

    def __init__(self, runs: Mapping[str, Plan]):
        self._runs = runs
        studies = {name: each for run in runs.values() for name, each in run.studies.items()}
        self._costs = CostModel(studies.values())
        self._awaited: dict[tuple[str, str, str], set[str]] = {}

    def priority(self, top: str, study: Study, job: Job) -> int:
        """Return the priority of a kind of job: the seconds that its longest one should take, or
        the longest that waits for it.

        A job whose clock counts comes before all others: no cores are kept free for it while it
        waits.
        """
        if job.alone:
            return FIRST
        run = self._runs[top]
        costs = (
            self._costs.expected(study.name, job.name, run.effort(study, job, place), job.seconds)
            for place in run.jobs(study, job)
        )
        own = round(max((cost.seconds for cost in costs), default=0))
        waiting = (each for each in study.jobs if job.name in self._waits_for(top, study, each))
        return max([own, *(self.priority(top, study, each) for each in waiting)])

    def _waits_for(self, top: str, study: Study, job: Job) -> set[str]:
        """Return the names of the kinds of jobs whose output a kind reads, if all run."""
        key = top, study.name, job.name
        if key not in self._awaited:
            run = self._runs[top]
            places = run.jobs(study, job) if job.target is None else ()
            self._awaited[key] = {
                source.job
                for place in places
                for _, source in run.sources(study, job, place)
                if isinstance(source, OutputOf)
            }
        return self._awaited[key]
