"""Every figure of the one-bit study, as ``figures.yaml`` declares it."""

from pathlib import Path

from dpmc.frame.showing.style import drawing_step, read_figures
from dpmc.studies.onebit.figures import bounds, outp, real_data, synthetic

YAML = Path(__file__).parents[1] / "figures.yaml"
ONEBIT_FIGURES = read_figures(YAML, bounds, outp, real_data, synthetic)
run = drawing_step(ONEBIT_FIGURES)
