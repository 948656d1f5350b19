"""Judge every claim on our trials and on the papers' own printed numbers."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.privacy.nominal import table_one
from dpmc.studies.huber import published
from dpmc.study.runs import read_frame, write_frame

with logged(snakemake.log[0]):
    paper = Path(snakemake.params.paper)
    claims = published.judge(
        read_frame(snakemake.input.trials),
        published.load(paper, real_variances=snakemake.params.variances),
        table_one(),
        published.load_claims(paper / "claims.yaml"),
        convergence=read_frame(snakemake.input.convergence),
        starts=read_frame(snakemake.input.starts),
        timing=read_frame(snakemake.input.timing),
        calibrated=read_frame(snakemake.input.calibrated),
        seed=snakemake.params.seed,
    )
    write_frame(snakemake.output[0], claims)
