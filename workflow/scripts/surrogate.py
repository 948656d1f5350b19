"""Generate ratings of the shape of a data set that may not be at hand."""

from pathlib import Path
from tempfile import TemporaryDirectory

from dpmc.datasets.surrogate import surrogate
from dpmc.jobs import logged

with logged(snakemake.log[0]), TemporaryDirectory(dir=Path(snakemake.output[0]).parent) as folder:
    surrogate(snakemake.params.settings, Path(folder)).save(snakemake.output[0])
