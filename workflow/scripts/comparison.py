"""Set every published number beside ours."""

import pandas as pd

from dpmc.jobs import logged
from dpmc.privacy.nominal import table_one
from dpmc.studies.huber import published
from dpmc.study.runs import read_frame, write_frame

with logged(snakemake.log[0]):
    numbers = published.load(snakemake.params.paper, real_variances=snakemake.params.variances)
    trials = read_frame(snakemake.input.trials)
    write_frame(snakemake.output[0], published.compare(trials, numbers, pd.DataFrame(table_one())))
