"""Every figure of the results and of the thesis, as ``figures.yaml`` declares it."""

from functools import partial

from dpmc_studies.frame.showing.style import drawing_step, read_figures
from dpmc_studies.studies.huber.figures import advantage, noise, results

read = partial(read_figures, advantage, noise, results)
NEW_FIGURES = read(
    names=("published_reproduced", "rmse_by_fraction", "paired_differences"),
    band_percent=100 * results.CLOSE,
)
HUBER_COLUMNS = read(names=["huber_columns"])
THESIS = ("2_5", "2_6", "4_1", "4_2", "4_3", "4_4")
THESIS_FIGURES = read(names=[f"figure_{number}" for number in THESIS])
FIGURES = NEW_FIGURES + HUBER_COLUMNS + THESIS_FIGURES
run = drawing_step(FIGURES)
