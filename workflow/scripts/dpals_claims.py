"""Judge the claims about DPALS, on the data they are about and on generated ones."""

from dpmc.jobs import logged
from dpmc.studies.huber import published
from dpmc.study.runs import read_frame, write_frame

with logged(snakemake.log[0]):
    frames = {name: read_frame(path) for name, path in snakemake.input.items()}
    claims = published.load_dpals_claims(snakemake.params.claims)
    write_frame(snakemake.output.claims, published.judge_dpals(frames, claims))
    surrogate = published.judge_dpals(frames, claims, surrogate=True)
    write_frame(snakemake.output.surrogate, surrogate)
