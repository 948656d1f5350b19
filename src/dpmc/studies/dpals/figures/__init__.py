"""Every figure of DPALS; titles, captions and alternative texts are in ``figures.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.dpals.figures import budgets, rates, speed
from dpmc.studies.dpals.figures import coverage as popularity
from dpmc.studies.dpals.figures import items as variants
from dpmc.studies.dpals.figures import users as sizes
from dpmc.studies.dpals.frames import read_dpals

TEXTS = Path(__file__).parents[1] / "figures.yaml"
DPALS_FIGURES = read_figures(
    TEXTS,
    {
        "dpals_1_coverage": (popularity.coverage, popularity.describe_coverage),
        "dpals_2_large": (budgets.large_data, budgets.describe_budgets),
        "dpals_3_users": (sizes.users, sizes.describe_users),
        "dpals_4_synthetic": (budgets.synthetic, budgets.describe_budgets),
        "dpals_5_items": (variants.items, variants.describe_items),
        "dpals_6_projection": (variants.projection, variants.describe_projection),
        "dpals_7_iterations": (speed.by_iteration, speed.describe_iterations),
        "dpals_8_ratings": (budgets.small_data, budgets.describe_budgets),
        "dpals_9_side_by_side": (budgets.side_by_side, budgets.describe_budgets),
        "dpals_10_timing": (speed.timing, speed.describe_timing),
        "dpals_11_rates": (rates.rates, rates.describe_rates),
        "dpals_12_default": (budgets.default_method, budgets.describe_budgets),
    },
)


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Draw all figures into ``folder``, see :func:`dpmc.frame.showing.style.draw_all`.

    They are made of the tables that :func:`~dpmc.studies.dpals.frames.read_dpals` reads. A figure
    whose table is missing becomes a box that says so.
    """
    draw_all(DPALS_FIGURES, read_dpals(results_folder), folder)
