"""Run one job of a study and write its part of each table."""

import sys

# numba imports coverage.py where it is installed, as beside the tests: 0.06 of the 0.37 seconds
# that importing numba takes, in each of thousands of jobs. A module that is None cannot be
# imported, so numba takes it for not installed; where coverage itself runs, it is there and stays.
sys.modules.setdefault("coverage", None)

from dpmc.frame.jobs.job import function, make_importable, run_job  # noqa: E402
from dpmc.jobs import logged, timed  # noqa: E402

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
