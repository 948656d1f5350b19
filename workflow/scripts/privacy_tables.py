"""Write the tables of the privacy part."""

from pathlib import Path

from dpmc import published
from dpmc.jobs import logged
from dpmc.report.tables_privacy import write_privacy_tables

with logged(snakemake.log[0]):
    write_privacy_tables(
        Path(snakemake.input[0]).parent,
        published.load(snakemake.params.paper, real_variances=snakemake.params.variances),
        snakemake.output[0],
    )
