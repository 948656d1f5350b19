"""Every figure of the results and of the thesis; their texts are in ``figures.yaml``."""

from functools import partial
from pathlib import Path

from dpmc.frame.showing.style import read_figures
from dpmc.studies.huber.figures import advantage, methods, noise, privacy, results

read = partial(read_figures, Path(__file__).parents[1] / "figures.yaml")
NEW_FIGURES = read(
    {
        "published_reproduced": (results.published_reproduced, results.describe_reproduction),
        "rmse_by_fraction": (results.rmse_by_fraction, results.describe_fractions),
        "paired_differences": (advantage.paired_differences, advantage.describe_differences),
        "convergence": (methods.convergence, methods.describe_convergence),
    },
    band_percent=100 * results.BAND,
)
THESIS_FIGURES = read(
    {
        "figure_2_5": (noise.densities, None),
        "figure_2_6": (noise.densities, None),
        "figure_4_1": (noise.densities_at_variance, None),
        "figure_4_2": (noise.densities, None),
        "figure_4_3": (noise.inverse_cdf_histogram, noise.describe_histogram),
        "figure_4_4": (noise.variance_curve, None),
    },
)
FIGURES = NEW_FIGURES + THESIS_FIGURES
METHOD_FIGURES = read(
    {
        "weights_below_one": (methods.weights_below_one, methods.describe_weights),
        "heldout_by_iteration": (methods.heldout, methods.describe_heldout),
        "error_by_seconds": (methods.error_by_seconds, None),
    },
    highest=methods.HIGHEST,
)
PRIVACY_FIGURES = read(
    {
        "privacy_totals": (privacy.totals_by_releases, privacy.describe_totals),
        "privacy_losses": (privacy.losses_by_cell, privacy.describe_losses),
    }
)
HUBER_COLUMNS = read({"huber_columns": (advantage.huber_columns, advantage.describe_columns)})
FORENSICS = read(dict.fromkeys(("heatmap_synthetic", "heatmap_real")))
