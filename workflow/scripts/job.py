"""Run one job of a study and write its part of each table."""

from dpmc_studies.frame.jobs.job import function, make_importable, run_job
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]):
    params, files = snakemake.params, list(snakemake.output)
    make_importable(params.folder)
    run, cell = function(params.run), function(params.cell)
    with timed():
        run_job(
            run,
            params.columns,
            dict(zip(params.columns, files, strict=False)),
            {cell(**coordinates): settings for coordinates, settings in params.cells},
            dict(zip(params.inputs, snakemake.input, strict=True)),
            files[-1] if len(files) > len(params.columns) else None,
        )
