"""Every figure at equal privacy; titles, captions and alternatives are in ``figures.yaml``."""

from pathlib import Path

from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.equal_privacy.figures import equal, maps
from dpmc.studies.equal_privacy.frames import NAMES, describe_frontier

FIGURES = read_figures(
    Path(__file__).parents[1] / "figures.yaml",
    {
        "privacy_cost": (equal.cost, None),
        "privacy_equal_entry": (equal.by_budget, equal.describe_equal),
        "privacy_equal_user": (equal.by_budget, equal.describe_equal),
        "privacy_equal_other": (equal.by_budget, equal.describe_equal),
        "privacy_frontier": (maps.frontier_map, describe_frontier),
    },
    worthwhile_percent=100 * maps.WORTHWHILE,
)


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Draw every figure; one whose table is missing becomes a box that says so."""
    draw_all(FIGURES, read_results(results_folder, NAMES), folder)
