"""The job of a surrogate: ratings of the shape of a data set that may not be available."""

from pathlib import Path
from tempfile import TemporaryDirectory

from dpmc.frame.jobs.task import Task
from dpmc.studies.dpals.surrogate import surrogate


def run(task: Task) -> dict:
    """Generate the ratings and save them to the job's file; there are no tables."""
    with TemporaryDirectory(dir=Path(task.file).parent) as folder:
        surrogate(task.settings, Path(folder)).save(task.file)
    return {}
