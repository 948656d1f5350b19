"""Write the errata, each with the number that shows it."""

from pathlib import Path

from dpmc.files import write_text
from dpmc.jobs import logged
from dpmc.report.errata import errata, errata_markdown
from dpmc.studies.dpals.frames import read_dpals
from dpmc.studies.huber import published
from dpmc.studies.onebit.frames import read_onebit
from dpmc.study.erratum import Sources
from dpmc.study.runs import raw_files, read_frame

with logged(snakemake.log[0]):
    sources = Sources(
        published.load(snakemake.params.paper),
        {name: path for name, path in raw_files(snakemake.input.sources).items() if path},
        read_frame(snakemake.input.trials),
        read_onebit(Path(snakemake.input.onebit[0]).parent),
        read_dpals(Path(snakemake.input.dpals[0]).parent),
    )
    write_text(snakemake.output[0], errata_markdown(errata(sources)))
