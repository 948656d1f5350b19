"""Draw the figures of the DPALS part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.dpals.figures import write_dpals_figures

with logged(snakemake.log[0]):
    write_dpals_figures(
        Path(snakemake.input[0]).parent, snakemake.output[0], snakemake.params.published
    )
