"""Write the tables of the privacy part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.equal_privacy.tables import write_privacy_tables
from dpmc.studies.huber import published

with logged(snakemake.log[0]):
    write_privacy_tables(
        Path(snakemake.input[0]).parent,
        published.load(snakemake.params.paper, real_variances=snakemake.params.variances),
        snakemake.output[0],
    )
