"""Join the rows of all cells, and write down the settings of each."""

from dpmc import tables
from dpmc.files import write_text
from dpmc.jobs import logged
from dpmc.study.runs import Settings, settings_text

with logged(snakemake.log[0]):
    settings = Settings(snakemake.params.reference, snakemake.params.settings)
    write_text(snakemake.output.settings, settings_text(settings))
    tables.join(snakemake.output[0], snakemake.params.columns, snakemake.input)
