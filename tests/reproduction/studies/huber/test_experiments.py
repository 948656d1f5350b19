"""An experiment is a file that counts by lying in its folder."""

from pathlib import Path

from dpmc_studies.studies.huber import STUDY, experiments
from dpmc_studies.studies.huber.claims import contrasts

FILES = {path.stem for path in Path(experiments.__file__).parent.glob("*.py")}


def test_every_file_is_a_job_of_the_study():
    modules = {job.run.partition(":")[0].rpartition(".")[2] for job in STUDY.jobs}
    assert modules == FILES - {"__init__", "common"}
    assert len(STUDY.jobs) == len(modules)


def test_what_claims_are_about_is_what_their_grid_has():
    grid = contrasts.RANKS, contrasts.VARIANCES, contrasts.FRACTIONS
    assert tuple(STUDY.claimed.values()) == grid
    assert list(STUDY.claimed) == ["ranks", "variances", "observed_fractions"]
