"""Account for the published noise exactly."""

from dpmc import tables
from dpmc.dpals.accounting import ACCOUNTING_COLUMNS, accounting_rows
from dpmc.jobs import logged

with logged(snakemake.log[0]):
    tables.write(
        snakemake.output[0], ACCOUNTING_COLUMNS, accounting_rows(**snakemake.params.settings)
    )
