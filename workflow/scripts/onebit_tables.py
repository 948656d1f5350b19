"""Write the tables of the one-bit part."""

from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.onebit.tables import write_onebit_tables

with logged(snakemake.log[0]):
    write_onebit_tables(Path(snakemake.input[0]).parent, snakemake.output[0])
