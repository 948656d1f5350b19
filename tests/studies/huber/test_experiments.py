"""An experiment is a file that counts by lying in its folder; what shows it is not its code."""

from pathlib import Path

import pytest

from dpmc.frame.jobs.digest import imports_of
from dpmc.studies.huber import STUDY, experiments

FILES = {path.stem for path in Path(experiments.__file__).parent.glob("*.py")}
# an edited table, figure, claim or entry of the registry reruns no experiment
SHOWN = ("dpmc.frame.showing", "dpmc.frame.judging", "dpmc.report", "dpmc.datasets.registry")


def test_every_file_is_a_job_of_the_study():
    modules = {job.run.partition(":")[0].rpartition(".")[2] for job in STUDY.jobs}
    assert modules == FILES - {"__init__", "common"}
    assert len(STUDY.jobs) == len(modules)


@pytest.mark.parametrize("job", STUDY.jobs, ids=lambda job: job.name)
def test_what_shows_an_experiment_is_not_its_code(job):
    closure, waiting = set(), [job.run.partition(":")[0]]
    while waiting:
        name = waiting.pop()
        if name not in closure:
            closure.add(name)
            waiting += imports_of(name)
    assert "dpmc.studies.huber.experiments.common" in closure or job.name == "totals"
    assert not [name for name in closure if name.startswith(SHOWN)]
    assert "dpmc.studies.huber" not in closure  # which imports everything
