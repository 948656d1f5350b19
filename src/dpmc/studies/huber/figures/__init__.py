"""Every figure of the results and of the thesis; their texts are in ``figures.yaml``."""

from pathlib import Path

import pandas as pd

from dpmc.frame.showing.style import draw_all, read_figures
from dpmc.studies.huber.figures import mechanisms as noise
from dpmc.studies.huber.figures import results
from dpmc.studies.huber.figures.convergence import convergence_by_iteration, describe_convergence
from dpmc.studies.huber.figures.differences import describe_differences, paired_differences

TEXTS = Path(__file__).parents[1] / "figures.yaml"
NEW_FIGURES = read_figures(
    TEXTS,
    {
        "published_reproduced": (results.published_reproduced, results.describe_reproduction),
        "rmse_by_fraction": (results.rmse_by_fraction, results.describe_fractions),
        "paired_differences": (paired_differences, describe_differences),
        "convergence": (convergence_by_iteration, describe_convergence),
    },
    band_percent=100 * results.BAND,
)
THESIS_FIGURES = read_figures(
    TEXTS,
    {
        "figure_2_5": (noise.laplace_densities, None),
        "figure_2_6": (noise.normal_densities, None),
        "figure_4_1": (noise.densities_at_variance_two, None),
        "figure_4_2": (noise.huber_densities, None),
        "figure_4_3": (noise.inverse_cdf_histogram, noise.describe_histogram),
        "figure_4_4": (noise.variance_curve, None),
    },
)
FIGURES = NEW_FIGURES + THESIS_FIGURES
FORENSICS = read_figures(TEXTS, dict.fromkeys(("heatmap_synthetic", "heatmap_real")))


def write_figures(
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    convergence: pd.DataFrame | None,
    folder: str | Path,
) -> None:
    """Draw every figure of :data:`FIGURES` into ``folder``."""
    inputs = {"trials": trials, "comparison": comparison, "convergence": convergence}
    draw_all(FIGURES, inputs, folder)
