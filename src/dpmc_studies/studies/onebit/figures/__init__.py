"""Every figure of the one-bit study, as ``figures.yaml`` declares it."""

from dpmc_studies.frame.showing.style import drawing_step, read_figures
from dpmc_studies.studies.onebit.figures import bounds, outp, real_data, synthetic

ONEBIT_FIGURES = read_figures(bounds, outp, real_data, synthetic)
run = drawing_step(ONEBIT_FIGURES)
