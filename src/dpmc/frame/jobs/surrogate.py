"""The job that generates ratings in the shape of a file that may not be available."""

from pathlib import Path
from tempfile import TemporaryDirectory

from dpmc.datasets.surrogate import surrogate
from dpmc.frame.jobs.task import Task


def run(task: Task) -> dict:
    """Generate the ratings and save them to the job's file; there are no tables."""
    with TemporaryDirectory(dir=Path(task.file).parent) as folder:
        surrogate(task.settings, Path(folder)).save(task.file)
    return {}
