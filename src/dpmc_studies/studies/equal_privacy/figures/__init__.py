"""Every figure at equal privacy, as ``figures.yaml`` declares it."""

from dpmc.privacy.calibration import WORTHWHILE
from dpmc_studies.frame.showing.style import drawing_step, read_figures
from dpmc_studies.studies.equal_privacy import frames
from dpmc_studies.studies.equal_privacy.figures import equal, maps

FIGURES = read_figures(equal, maps, frames, worthwhile_percent=100 * WORTHWHILE)
run = drawing_step(FIGURES)
