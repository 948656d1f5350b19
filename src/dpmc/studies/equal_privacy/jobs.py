"""The jobs of the study: fits at a stated budget, the frontier, and the choice of parameters."""

from dpmc.methods import method_module
from dpmc.studies.equal_privacy.cells import (
    CALIBRATED_COLUMNS,
    HYPERPARAMETER_COLUMNS,
    CalibratedCell,
    calibrated_cells,
    calibrated_settings,
    tuning_settings,
)
from dpmc.studies.equal_privacy.frontier import COLUMNS as FRONTIER_COLUMNS
from dpmc.study.api import Effort, RatingsOf, Section
from dpmc.study.cells import format_coordinate
from dpmc.study.text_cells import Coordinates
from dpmc.study.text_cells import text_job as Job

CELL = ("dataset", "relation", "epsilon", "method")
CURVE = ("dataset", "relation", "method")


def curves(section: Section) -> list[Coordinates]:
    """Return data set, relation and method of every curve: a job runs all its epsilons."""
    found = dict.fromkeys(map(_curve, calibrated_cells(section)))
    return [dict(zip(CURVE, values, strict=True)) for values in found]


def fit_cells(section: Section) -> list[Coordinates]:
    """Return the formatted coordinates of every cell."""
    return [cell.formatted() for cell in calibrated_cells(section)]


def curve_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what each epsilon of a curve uses."""
    table, curve = section["hyperparameters"], tuple(coordinates[name] for name in CURVE)
    return {
        "fits": {
            format_coordinate(cell.epsilon): calibrated_settings(section, table, cell)
            for cell in calibrated_cells(section)
            if _curve(cell) == curve
        }
    }


def effort(section: Section, coordinates: Coordinates) -> Effort:
    """Return what a curve's cost grows with: trials, budgets, mechanisms; users of drawn data."""
    fits = curve_settings(section, coordinates)["fits"].values()
    return Effort(
        " ".join(coordinates.values()),
        sum(fit["trials"] * len(fit["hyperparameters"]) for fit in fits),
        section["datasets"][coordinates["dataset"]].get("users", 1),
    )


def _curve(cell: CalibratedCell) -> tuple[str, ...]:
    return cell.dataset, format_coordinate(cell.relation), cell.method


def effort_of_frontier(section: Section, coordinates: Coordinates) -> Effort:
    """Return what a part of the frontier costs: each budget the same."""
    return Effort(coordinates["releases"], len(section["frontier"]["epsilons"]))


def tune_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what the choice of a cell's hyper-parameters uses."""
    return tuning_settings(section, CalibratedCell.from_formatted(coordinates))


def ratings_of(section: Section, coordinates: Coordinates) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    dataset = coordinates["dataset"]
    return {} if "users" in section["datasets"][dataset] else {"ratings": RatingsOf(dataset)}


def modules_of(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the module of the cell's method, which is imported by its name."""
    return [method_module(coordinates["method"])]


def frontier_cells(section: Section) -> list[Coordinates]:
    """Return every number of releases."""
    return [{"releases": str(count)} for count in section["frontier"]["releases"]]


def frontier_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the arguments of :func:`dpmc.studies.equal_privacy.frontier.frontier_table`."""
    return {
        "releases": [int(coordinates["releases"])],
        "epsilons": section["frontier"]["epsilons"],
        "delta": section["delta"],
    }


FIT = Job(
    name="fit",
    run="dpmc.studies.equal_privacy.trial:run",
    tables={"calibrated": CALIBRATED_COLUMNS},
    coordinates=CURVE,
    cells=curves,
    settings=curve_settings,
    inputs=ratings_of,
    modules=modules_of,
    seconds=10.0,
    effort=effort,
)
FRONTIER = Job(
    name="frontier",
    run="dpmc.studies.equal_privacy.frontier:run",
    tables={"frontier": FRONTIER_COLUMNS},
    coordinates=("releases",),
    cells=frontier_cells,
    settings=frontier_settings,
    seconds=15.0,
    effort=effort_of_frontier,
)
# hyper-parameters are chosen once, on other seeds, and lie in hyperparameters.csv
TUNE = Job(
    name="tune",
    run="dpmc.studies.equal_privacy.tuning:run",
    tables={"hyperparameters": HYPERPARAMETER_COLUMNS},
    coordinates=CELL,
    cells=fit_cells,
    settings=tune_settings,
    inputs=ratings_of,
    modules=modules_of,
    target="tune",
    seconds=10.0,
)
