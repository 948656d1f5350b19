"""Make tables or a folder of files of a study's tables."""

from pathlib import Path

from dpmc_studies.frame.jobs.job import make_importable
from dpmc_studies.frame.jobs.step import run_step
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]):
    params = snakemake.params
    make_importable(params.folder)
    with timed():
        run_step(
            params.run, Path(params.results), params.settings, params.makes, list(snakemake.output)
        )
