"""The ratings that are generated in place of real files: what jobs on them read."""

from pathlib import Path
from tempfile import TemporaryDirectory

from dpmc.frame.api import Cells, Effort, Job, Section
from dpmc.frame.jobs.task import Task
from dpmc.studies.dpals.cells import SurrogateCell
from dpmc.studies.dpals.forms import FORMS


def settings(section: Section, cell: SurrogateCell) -> dict[str, object]:
    """Return the settings of :func:`dpmc.studies.dpals.surrogate.surrogate`."""
    entry = section["datasets"][cell.surrogate]
    own = {name: entry[name] for name in ("like", "scale")}
    return {"seed": section["seed"], "name": cell.surrogate} | own


def effort(section: Section, cells: Cells) -> Effort:
    """Return what the cost grows with: ratings."""
    (used,) = cells.values()
    return Effort(used["like"], size=FORMS[used["like"]].ratings_at(used["scale"]))


def run(task: Task) -> dict:
    """Generate the ratings and save them to the job's file; there are no tables."""
    from dpmc.studies.dpals.surrogate import surrogate  # imports numba

    with TemporaryDirectory(dir=Path(task.file).parent) as folder:
        surrogate(task.settings, Path(folder)).save(task.file)
    return {}


JOB = Job(
    name="surrogate",
    run=f"{__name__}:run",
    cell=SurrogateCell,
    cells=None,  # those that are read
    settings=settings,
    file="npz",
    seconds=16.0,
    effort=effort,
)
