"""How many weights of A-IRLS are below 1: which cells are counted, :mod:`..weights` counts."""

from dpmc.frame.api import Job, Section
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.studies.huber.cells import COORDINATES, Cell, huber_cells
from dpmc.studies.huber.experiments.common import ratings_of, side_modules
from dpmc.studies.huber.settings import cell_settings

WEIGHTS_COLUMNS = (
    *COORDINATES, "trial", "loss_parameter", "weights_first", "below_first", "weights_later",
    "below_later", "rmse_irls", "rmse_als",
)  # fmt: skip


def cells(section: Section) -> list[Cell]:
    """Return the A-IRLS cells of the grid with the usual K of their data."""
    mechanisms, real = section["weights"]["trials"], section["real"]
    return [
        cell
        for cell in huber_cells(section)
        if cell.method == "irls"
        and cell.mechanism in mechanisms
        and cell.irls_iterations == real.get(cell.dataset, section)["irls_iterations"]
    ]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses. Real data run once: each trial has millions of weights."""
    own = section["weights"]
    trials = own["trials"][cell.mechanism] if cell.dataset == SYNTHETIC else 1
    counted = {"trials": trials, "counted_iterations": own["counted_iterations"]}
    return cell_settings(section, cell) | counted


JOB = Job(
    name="weights",
    run="dpmc.studies.huber.weights:run",  # imports kernels
    tables={"weights": WEIGHTS_COLUMNS},
    cell=Cell,
    cells=cells,
    by=("dataset",),
    settings=settings,
    inputs=ratings_of,
    modules=side_modules,
    seconds=12.0,
)
