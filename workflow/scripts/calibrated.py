"""Join the fits of all cells at equal privacy, and write down the settings of each cell."""

from dpmc import tables
from dpmc.experiments.calibrated import CALIBRATED_COLUMNS
from dpmc.files import write_text
from dpmc.jobs import logged
from dpmc.runs import Settings, settings_text

with logged(snakemake.log[0]):
    settings = Settings(snakemake.params.reference, snakemake.params.settings)
    write_text(snakemake.output.settings, settings_text(settings))
    tables.join(snakemake.output.table, CALIBRATED_COLUMNS, snakemake.input)
