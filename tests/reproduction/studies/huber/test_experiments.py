"""An experiment is a file that counts by lying in its folder."""

from pathlib import Path

from dpmc_studies.studies.huber import STUDY, experiments

FILES = {path.stem for path in Path(experiments.__file__).parent.glob("*.py")}


def test_every_file_is_a_job_of_the_study():
    modules = {job.run.partition(":")[0].rpartition(".")[2] for job in STUDY.jobs}
    assert modules == FILES - {"__init__", "common"}
    assert len(STUDY.jobs) == len(modules)
