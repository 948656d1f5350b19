"""Every figure of DPALS, as ``figures.yaml`` declares it."""

from dpmc_studies.frame.showing.style import drawing_step, read_figures
from dpmc_studies.studies.dpals.figures import budgets, items, speed
from dpmc_studies.studies.dpals.frames import read_dpals

DPALS_FIGURES = read_figures(budgets, items, speed)
run = drawing_step(DPALS_FIGURES, read_dpals)
