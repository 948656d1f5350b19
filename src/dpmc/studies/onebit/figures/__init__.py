"""Every figure of the one-bit study; titles, captions and alternatives are in ``figures.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.onebit.figures import bounds, outp, real_data, synthetic
from dpmc.studies.onebit.frames import read_onebit

ONEBIT_FIGURES = read_figures(
    Path(__file__).parents[1] / "figures.yaml",
    {
        "onebit_1_budgets_gaussian": (synthetic.by_budget, synthetic.describe_budgets),
        "onebit_2_budgets_logistic": (synthetic.by_budget, synthetic.describe_budgets),
        "onebit_3_fractions_gaussian": (synthetic.by_fraction, synthetic.describe_fractions),
        "onebit_4_fractions_logistic": (synthetic.by_fraction, synthetic.describe_fractions),
        "onebit_5_accuracy": (real_data.accuracy, real_data.describe_accuracy),
        "onebit_5b_ranks": (real_data.accuracy_by_rank, real_data.describe_ranks),
        "onebit_6_large": (synthetic.by_budget, synthetic.describe_budgets),
        "onebit_7_outp_privacy": (outp.claimed_and_real, outp.describe_outp),
        "onebit_8_bounds": (bounds.bounds_and_errors, bounds.describe_bounds),
    },
)


def run(results_folder: str | Path, settings: Mapping[str, object], folder: str | Path) -> None:
    """Draw every figure; one whose table is missing becomes a box that says so."""
    draw_all(ONEBIT_FIGURES, read_onebit(results_folder), folder)
