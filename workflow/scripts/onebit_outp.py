"""What one flip changes in the published solution, and an attack on output perturbation."""

from dpmc import tables
from dpmc.jobs import logged
from dpmc.studies.onebit.outp import OUTP_ATTACK_COLUMNS, OUTP_CHANGE_COLUMNS, run_outp

with logged(snakemake.log[0]):
    change, attack = run_outp(snakemake.params.settings)
    tables.write(snakemake.output.change, OUTP_CHANGE_COLUMNS, change)
    tables.write(snakemake.output.attack, OUTP_ATTACK_COLUMNS, attack)
