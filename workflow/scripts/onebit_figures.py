"""Draw the figures of the one-bit part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.onebit.figures import write_onebit_figures

with logged(snakemake.log[0]):
    write_onebit_figures(Path(snakemake.input[0]).parent, snakemake.output[0])
