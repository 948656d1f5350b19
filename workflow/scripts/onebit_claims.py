"""Judge the claims of the one-bit paper, and what it prints that is not right."""

from dpmc.jobs import logged
from dpmc.studies.huber import published
from dpmc.study.runs import read_frame, write_frame

with logged(snakemake.log[0]):
    claims = published.judge_onebit(
        read_frame(snakemake.input.trials),
        read_frame(snakemake.input.change),
        read_frame(snakemake.input.attack),
        published.load_onebit_claims(snakemake.params.claims),
    )
    write_frame(snakemake.output[0], claims)
