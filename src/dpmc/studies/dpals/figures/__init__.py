"""Every figure of DPALS, as ``figures.yaml`` declares it."""

from pathlib import Path

from dpmc.frame.showing.style import drawing_step, read_figures
from dpmc.studies.dpals.figures import budgets, coverage, items, rates, speed
from dpmc.studies.dpals.frames import read_dpals

YAML = Path(__file__).parents[1] / "figures.yaml"
DPALS_FIGURES = read_figures(YAML, budgets, coverage, items, rates, speed)
run = drawing_step(DPALS_FIGURES, read_dpals)
