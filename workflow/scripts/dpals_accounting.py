"""Account for the published noise exactly."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.dpals.accounting import ACCOUNTING_COLUMNS, accounting_rows

with logged(snakemake.log[0]):
    tables.write(
        snakemake.output[0], ACCOUNTING_COLUMNS, accounting_rows(**snakemake.params.settings)
    )
