"""Write the tables of the DPALS part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.dpals.tables import write_dpals_tables

with logged(snakemake.log[0]):
    write_dpals_tables(
        Path(snakemake.input[0]).parent, snakemake.output[0], snakemake.params.published
    )
