"""Every figure of the one-bit study; titles, captions and alternatives are in ``figures.yaml``."""

from collections.abc import Collection, Mapping
from pathlib import Path

from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.onebit.figures import accuracy as real
from dpmc.studies.onebit.figures import bounds, budgets, fractions, outp, ranks
from dpmc.studies.onebit.frames import read_onebit

TEXTS = Path(__file__).parents[1] / "figures.yaml"
ONEBIT_FIGURES = read_figures(
    TEXTS,
    {
        "onebit_1_budgets_gaussian": (budgets.budgets_gaussian, budgets.describe_budgets),
        "onebit_2_budgets_logistic": (budgets.budgets_logistic, budgets.describe_budgets),
        "onebit_3_fractions_gaussian": (fractions.fractions_gaussian, fractions.describe_fractions),
        "onebit_4_fractions_logistic": (fractions.fractions_logistic, fractions.describe_fractions),
        "onebit_5_accuracy": (real.accuracy, real.describe_accuracy),
        "onebit_5b_ranks": (ranks.accuracy_by_rank, ranks.describe_ranks),
        "onebit_6_large": (budgets.larger_instance, budgets.describe_budgets),
        "onebit_7_outp_privacy": (outp.claimed_and_real, outp.describe_outp),
        "onebit_8_bounds": (bounds.bounds_and_errors, bounds.describe_bounds),
    },
)


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Run the step."""
    write_onebit_figures(results_folder, folder)


def write_onebit_figures(
    results_folder: str | Path, folder: str | Path, figures: Collection[str] | None = None
) -> None:
    """Draw figures from the tables of ``results_folder``, see :func:`draw_all`.

    A figure whose table is missing becomes a box that says so.
    """
    draw_all(ONEBIT_FIGURES, read_onebit(results_folder), folder, figures)
