"""Make tables or a folder of files of a study's tables."""

from pathlib import Path

from dpmc_studies.frame.checking.runs import write_frame
from dpmc_studies.frame.jobs.job import function, make_importable
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]):
    params = snakemake.params
    make_importable(params.folder)
    run, results = function(params.run), Path(params.results)
    with timed():
        if params.makes:
            made = run(results, params.settings)
            for name, path in zip(params.makes, snakemake.output, strict=True):
                write_frame(path, made[name])
        else:
            out = Path(snakemake.output[0])
            out.mkdir(parents=True, exist_ok=True)
            run(results, params.settings, out)
