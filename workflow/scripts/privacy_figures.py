"""Draw figures of the privacy part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.equal_privacy.figures import write_privacy_figures

with logged(snakemake.log[0]):
    write_privacy_figures(Path(snakemake.input[0]).parent, snakemake.output[0])
