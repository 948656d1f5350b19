"""What each job asks a cluster for, how many of a kind share one submission, and which come first.

Only the last matters to a run on one machine. Asked for is a multiple of what the job is expected
to take (:mod:`dpmc.frame.costs.model`, as in ``dpmc plan``), and what Snakemake takes around it; a
job that needs more all the same is submitted again and asks for twice as much. A job of seconds
must not cost a submission of its own, so as many of a kind are bundled as fit into
:data:`BUNDLE_MINUTES`. They run one after the other, on one core.
"""

import math
from collections.abc import Mapping

from dpmc.frame.api import Job, OutputOf, Study
from dpmc.frame.costs.model import Cost, CostModel
from dpmc.frame.jobs.plan import Place, Plan

START_SECONDS = 120.0
"""Room for starting: two Snakemake processes and the job each import from a shared file system."""
SNAKEMAKE_MB = 500
"""What two Snakemake processes and the commands of Slurm around the job take: 330 measured."""
SLOWER = 2.0
"""How much slower than the core that was measured on a node may be, and wrong the plan."""
LARGER = 1.5
"""How wrong the plan may be about memory."""
UNKNOWN_MB = 1000.0
"""Memory of a kind of job that was never measured."""
BUNDLE_MINUTES = 60
"""Asked for a bundle at most: few queues are shorter."""
FIRST = 10**6
"""Priority of a job that wants all cores; others have their seconds."""


class Requests:
    """What the jobs of runs ask a cluster for, and which of them begin.

    ``runs`` are plans by the folder of the run.
    """

    def __init__(self, runs: Mapping[str, Plan]):
        self._runs = runs
        studies = {name: each for run in runs.values() for name, each in run.studies.items()}
        self._costs = CostModel(studies.values())
        self._awaited: dict[tuple[str, str, str], set[str]] = {}

    def minutes(self, top: str, study: Study, job: Job, place: Place, attempt: int = 1) -> int:
        """Return the minutes to ask for; twice as many in each further attempt."""
        seconds = START_SECONDS + SLOWER * self._cost(top, study, job, place).seconds
        return math.ceil(seconds / 60) * 2 ** (attempt - 1)

    def megabytes(self, top: str, study: Study, job: Job, place: Place, attempt: int = 1) -> int:
        """Return the memory to ask for; twice as much in each further attempt."""
        memory = self._cost(top, study, job, place).memory
        expected = UNKNOWN_MB if math.isnan(memory) else LARGER * memory
        return (math.ceil(expected) + SNAKEMAKE_MB) * 2 ** (attempt - 1)

    def priority(self, top: str, study: Study, job: Job) -> int:
        """Return the priority of a kind of job: the seconds that its longest one should take, or
        the longest that waits for it.

        So no long job is left for the end, when the other cores have nothing to do. A job whose
        clock counts comes before all others: no cores are kept free for it while it waits.
        """
        if job.alone:
            return FIRST
        places = self._runs[top].jobs(study, job)
        own = round(max((self._cost(top, study, job, each).seconds for each in places), default=0))
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

    def _cost(self, top: str, study: Study, job: Job, place: Place) -> Cost:
        effort = self._runs[top].effort(study, job, place)
        return self._costs.expected(study.name, job.name, effort, job.seconds)

    def bundles(self) -> Mapping[str, int]:
        """Return how many jobs share a submission, by the name of their group."""
        longest: dict[str, int] = {}
        for top, run in self._runs.items():
            for study in run.studies.values():
                for job in study.jobs:
                    if (name := group(study, job)) is None:
                        continue
                    for place in run.jobs(study, job):
                        minutes = self.minutes(top, study, job, place)
                        longest[name] = max(minutes, longest.get(name, 0))
        return {name: max(1, BUNDLE_MINUTES // each) for name, each in longest.items()}


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
