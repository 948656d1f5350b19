"""The sweep over what the papers leave open, on real data; see ``forensics_synthetic``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dpmc.frame.api import Job, Section
from dpmc.frame.jobs import cells
from dpmc.frame.jobs.task import Task
from dpmc.ratings import Ratings
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments.common import (
    FORENSICS,
    method_settings,
    papers_data,
    papers_modules,
    ratings_of,
    splits_of,
)
from dpmc.studies.huber.experiments.forensics_synthetic import STARTS
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell

SPLITS = ("ratings", "matrix")
INNER_ITERATIONS = (20, 10)


@dataclass(frozen=True)
class RealVariant(cells.Cell):
    """One choice on real data; noise variances and inner iterations are cells of each variant.

    ``split`` says what the visible fraction is a share of: ``"ratings"`` or ``"matrix"``.
    """

    dataset: str
    split: str
    start: str

    @property
    def variant(self) -> str:
        """Name for a file."""
        return f"{self.dataset}_share-of-{self.split}_{self.start}"


def variants(section: Section) -> list[RealVariant]:
    """Return the choices on those real data sets of the papers that the section has."""
    names = papers_data(section)
    return [each for name in names for each in real_variants(name, splits_of(section, name))]


def real_variants(dataset: str, splits: Mapping[float, float]) -> list[RealVariant]:
    """Return the variants of a data set; ``splits`` is reported visible fraction to training share.

    Where these differ the split is known (the 80/20 split of MovieLens 100K), so only the start is
    open.
    """
    known = any(fraction != share for fraction, share in splits.items())
    return [
        RealVariant(dataset, split, start)
        for split in (SPLITS[:1] if known else SPLITS)
        for start in STARTS
    ]


def settings_of_data(section: Section, dataset: str, names: tuple[str, ...]) -> dict[str, object]:
    """Return the settings of the sweep on a real data set, among them its own ``names``."""
    entry = section["real"][dataset]
    own = {name: entry[name] for name in names if name in entry}
    return method_settings(section, FORENSICS) | own | {"splits": splits_of(section, dataset)}


def settings(section: Section, cell: RealVariant) -> dict[str, object]:
    """Return what does not depend on the choice."""
    return settings_of_data(section, cell.dataset, ("rank", "iterations", "regularization"))


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run one choice."""
    name, rows = task.cell.variant, run_real(task.cell, task.settings, task.ratings)
    return {"forensics_real": ({"variant": name, **row} for row in rows)}


def real_cells(dataset: str, rank: int, fractions) -> list[Cell]:
    """Return the cells of a variant on real data: the published columns with what is open in them.

    Huber noise of scale 1 has a variance above 1 (1 stands for a = 3), and the loss of IRLS takes
    its parameter from it, so the variance 1/2 is tried with ALS only.
    """
    columns = [("als", "none", None, None)]
    columns += [("als", "gaussian", variance, None) for variance in (0.5, 1.0, 2.0)]
    for inner in INNER_ITERATIONS:
        columns.append(("irls", "none", None, inner))
        for mechanism in ("laplace", "huber"):
            columns += [("irls", mechanism, variance, inner) for variance in (1.0, 2.0)]
    columns += [("irls", "huber", variance, 2) for variance in (1.0, 2.0)]
    return [
        Cell(dataset, rank, variance, fraction, method, mechanism, inner)
        for fraction in fractions
        for method, mechanism, variance, inner in columns
    ]


def run_real(
    variant: RealVariant, settings: Mapping, ratings: Ratings
) -> Iterator[dict[str, object]]:
    """Yield the trial rows of the cells of a variant on real data.

    ``settings`` has ``seed``, ``trials``, ``rank``, the settings of the method, and ``splits``:
    reported visible fraction to training share.
    """
    splits = settings["splits"]
    for cell in real_cells(variant.dataset, settings["rank"], splits):
        share = splits[cell.observed_fraction]
        if variant.split == "matrix":
            share = cell.observed_fraction / ratings.density
        changed = {"start": variant.start, "training_share": share}
        yield from run_cell(cell, dict(settings) | changed, ratings=ratings)


JOB = Job(
    name="forensics_real",
    run=f"{__name__}:run",
    tables={"forensics_real": ("variant", *TRIAL_COLUMNS)},
    cell=RealVariant,
    cells=variants,
    by=("variant",),
    settings=settings,
    inputs=ratings_of,
    modules=papers_modules,
    target=FORENSICS,
    seconds=55.0,
)
