"""Set the verdicts of two seeds side by side."""

from dpmc.jobs import logged
from dpmc.studies.huber import published
from dpmc.study.runs import read_frame, write_frame

with logged(snakemake.log[0]):
    first, second = read_frame(snakemake.input.first), read_frame(snakemake.input.second)
    write_frame(snakemake.output[0], published.stability(first, second))
