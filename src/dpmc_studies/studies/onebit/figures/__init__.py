"""Every figure of the one-bit study, as ``figures.yaml`` declares it."""

from dpmc_studies.frame.showing.style import drawing_step, read_figures
from dpmc_studies.studies.onebit.figures import errors, outp

ONEBIT_FIGURES = read_figures(errors, outp)
run = drawing_step(ONEBIT_FIGURES)
