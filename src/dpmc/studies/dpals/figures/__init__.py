"""Every figure of DPALS; titles, captions and alternative texts are in ``figures.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.dpals.figures import budgets, coverage, items, rates, speed
from dpmc.studies.dpals.frames import read_dpals

DPALS_FIGURES = read_figures(
    Path(__file__).parents[1] / "figures.yaml",
    {
        "dpals_1_coverage": (coverage.coverage, coverage.describe_coverage),
        "dpals_2_large": (budgets.by_budget, budgets.describe_budgets),
        "dpals_3_users": (budgets.users, budgets.describe_users),
        "dpals_4_synthetic": (budgets.by_budget, budgets.describe_budgets),
        "dpals_5_items": (items.items, items.describe_items),
        "dpals_6_projection": (items.projection, items.describe_projection),
        "dpals_7_iterations": (speed.by_iteration, speed.describe_iterations),
        "dpals_8_ratings": (budgets.by_budget, budgets.describe_budgets),
        "dpals_9_side_by_side": (budgets.side_by_side, budgets.describe_budgets),
        "dpals_10_timing": (speed.timing, speed.describe_timing),
        "dpals_11_rates": (rates.rates, rates.describe_rates),
    },
)


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Draw all figures of the tables that :func:`read_dpals` reads into ``folder``."""
    draw_all(DPALS_FIGURES, read_dpals(results_folder), folder)
