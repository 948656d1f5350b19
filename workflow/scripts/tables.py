"""Write the papers' tables with ours beside theirs."""

import pandas as pd

from dpmc.jobs import logged
from dpmc.privacy.nominal import table_one
from dpmc.studies.huber.tables import write_tables
from dpmc.study.runs import read_frame

with logged(snakemake.log[0]):
    write_tables(
        read_frame(snakemake.input.trials),
        read_frame(snakemake.input.comparison),
        pd.DataFrame(table_one()),
        snakemake.output[0],
    )
