"""Join the parts of a table; beside a table of trials, write the settings of its cells."""

from dpmc.files import write_text
from dpmc_studies import tables
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]), timed():
    if snakemake.params.settings:
        write_text(snakemake.output.settings, snakemake.params.settings)
    tables.join(snakemake.output[0], snakemake.params.columns, snakemake.input)
