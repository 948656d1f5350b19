"""Every figure at equal privacy; titles, captions and alternatives are in ``figures.yaml``."""

from functools import partial
from pathlib import Path

from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.privacy.relations import ENTRY_ADD_REMOVE, ENTRY_CHANGE, USER_ADD_REMOVE, USER_REPLACE
from dpmc.studies.equal_privacy.figures import equal, maps
from dpmc.studies.equal_privacy.figures.equal import by_budget
from dpmc.studies.equal_privacy.frames import NAMES, describe_frontier

TEXTS = Path(__file__).parents[1] / "figures.yaml"
FIGURES = read_figures(
    TEXTS,
    {
        "privacy_cost": (equal.cost, None),
        "privacy_equal_entry": (partial(by_budget, relations=[ENTRY_CHANGE]), equal.describe_equal),
        "privacy_equal_user": (
            partial(by_budget, relations=[USER_ADD_REMOVE]),
            equal.describe_equal,
        ),
        "privacy_equal_other": (
            partial(by_budget, relations=[ENTRY_ADD_REMOVE, USER_REPLACE]),
            equal.describe_equal,
        ),
        "privacy_frontier": (maps.frontier_map, describe_frontier),
    },
    worthwhile_percent=100 * maps.WORTHWHILE,
)


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Draw every figure; one whose table is missing becomes a box that says so."""
    draw_all(FIGURES, read_results(results_folder, NAMES), folder)
