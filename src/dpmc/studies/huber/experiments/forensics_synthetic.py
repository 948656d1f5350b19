"""A sweep over what the papers leave open: which choice gives the numbers that they print?

Not stated are the size and scale of the synthetic matrices, the law of the starting values (the
paper and the thesis differ), and on real data the noise variance, the split, the number of inner
iterations (they differ) and whether predictions are clipped. Each variant is one choice; its cells
are trained by :func:`dpmc.studies.huber.trial.run_cell` with changed settings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from dpmc.datasets.synthetic import SyntheticInstance
from dpmc.frame.api import Job
from dpmc.frame.jobs import cells
from dpmc.frame.jobs.cells import SYNTHETIC, format_coordinate
from dpmc.frame.jobs.task import Task
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments.common import FORENSICS, method_settings, papers_modules
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell, synthetic_instance

SIZES = ((100, 500), (100, 600), (80, 500), (120, 400), (200, 200), (300, 300), (943, 1682))
SCALES = (0.95, 1.0, 1.05, None)
STARTS = ("normal", "uniform")
LARGEST_RATING = 5.0  # the papers say that ratings range from 1 to 5
# of the published tables 3, 6 and 7: columns whose noise has no parameter but its variance
RANKS = (5, 10, 20)
FRACTIONS = (0.05, 0.10, 0.15)
NOISES = (("none", None), ("gaussian", 1.0), ("gaussian", 2.0))
# a mean over more than a million entries varies too little to need more than one trial
ONE_TRIAL_ENTRIES = 1_000_000


@dataclass(frozen=True)
class SyntheticVariant(cells.Cell):
    """One choice on synthetic data.

    ``scale`` is the factor c in M = c P Q^T; None: each matrix is rescaled to a largest entry of 5.
    ``start`` is the law of the starting values, ``"normal"`` or ``"uniform"``.
    """

    users: int
    items: int
    scale: float | None
    start: str

    @property
    def variant(self) -> str:
        """Name for a file."""
        scale = (
            f"scale-{format_coordinate(self.scale)}"
            if self.scale
            else f"largest-{LARGEST_RATING:g}"
        )
        return f"{self.users}x{self.items}_{scale}_{self.start}"


def synthetic_variants() -> list[SyntheticVariant]:
    """Return every combination of size, scale and start."""
    return [
        SyntheticVariant(users, items, scale, start)
        for users, items in SIZES
        for scale in SCALES
        for start in STARTS
    ]


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run one choice."""
    name, rows = task.cell.variant, run_synthetic(task.cell, task.settings)
    return {"forensics_synthetic": ({"variant": name, **row} for row in rows)}


def run_synthetic(variant: SyntheticVariant, settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the trial rows of the 27 cells of a variant: ALS without and with Gaussian noise.

    ``settings`` has ``seed``, ``trials`` and the settings of the method.
    """
    settings = dict(settings) | {
        "users": variant.users,
        "items": variant.items,
        "scale": variant.scale or 1.0,
        "start": variant.start,
    }
    if variant.users * variant.items > ONE_TRIAL_ENTRIES:
        settings["trials"] = 1
    for rank in RANKS:
        for fraction in FRACTIONS:
            shared = {"rank": rank, "observed_fraction": fraction}
            instances = [
                synthetic_instance(shared, settings, trial) for trial in range(settings["trials"])
            ]
            if variant.scale is None:
                instances = [rescaled(instance, LARGEST_RATING) for instance in instances]
            for mechanism, variance in NOISES:
                cell = Cell(SYNTHETIC, rank, variance, fraction, "als", mechanism, None)
                yield from run_cell(cell, settings, instances=instances)


def rescaled(instance: SyntheticInstance, largest: float) -> SyntheticInstance:
    """Multiply a matrix by the factor that makes its largest entry ``largest``."""
    factor = largest / instance.matrix().max()
    observed = replace(instance.observed, values=factor * instance.observed.values)
    return SyntheticInstance(factor * instance.user_factors, instance.item_factors, observed)


JOB = Job(
    name="forensics_synthetic",
    run=f"{__name__}:run",
    tables={"forensics_synthetic": ("variant", *TRIAL_COLUMNS)},
    cell=SyntheticVariant,
    cells=lambda section: synthetic_variants(),
    by=("variant",),
    settings=lambda section, cell: method_settings(section, FORENSICS),
    modules=papers_modules,
    target=FORENSICS,
    seconds=5.0,
)
