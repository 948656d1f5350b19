"""Every figure of the results and of the thesis, as ``figures.yaml`` declares it."""

from functools import partial

from dpmc_studies.frame.showing.style import read_figures
from dpmc_studies.studies.huber.figures import advantage, methods, noise, privacy, results

read = partial(read_figures, advantage, methods, noise, privacy, results)
NEW_FIGURES = read(
    names=("published_reproduced", "rmse_by_fraction", "paired_differences", "convergence"),
    band_percent=100 * results.CLOSE,
)
THESIS = ("2_5", "2_6", "4_1", "4_2", "4_3", "4_4")
THESIS_FIGURES = read(names=[f"figure_{number}" for number in THESIS])
FIGURES = NEW_FIGURES + THESIS_FIGURES
METHOD_FIGURES = read(
    names=("weights_below_one", "heldout_by_iteration", "error_by_seconds"),
    highest=methods.HIGHEST,
)
PRIVACY_FIGURES = read(names=("privacy_totals", "privacy_losses"))
HUBER_COLUMNS = read(names=["huber_columns"])
