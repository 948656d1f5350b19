"""Audit one part: the mechanisms, the solvers under one relation, or the planted faults."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.audit import AUDIT_COLUMNS, audit_part

with logged(snakemake.log[0]):
    rows = audit_part(snakemake.wildcards.part, snakemake.params.settings)
    tables.write(snakemake.output[0], AUDIT_COLUMNS, rows)
