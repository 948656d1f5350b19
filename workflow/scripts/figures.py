"""Draw all figures."""

from dpmc.jobs import logged
from dpmc.studies.huber.figures import write_figures
from dpmc.study.runs import read_frame

with logged(snakemake.log[0]):
    write_figures(
        read_frame(snakemake.input.trials),
        read_frame(snakemake.input.comparison),
        read_frame(snakemake.input.convergence),
        snakemake.output[0],
    )
