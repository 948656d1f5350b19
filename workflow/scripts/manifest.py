"""Write down what the run was made with."""

import json
from pathlib import Path

from dpmc.files import write_text
from dpmc.jobs import logged
from dpmc.report.manifest import manifest
from dpmc.study.runs import raw_files

with logged(snakemake.log[0]):
    files = snakemake.input
    tables = [*files.trials, files.calibrated, files.onebit, files.dpals]
    folders = [Path(path).parent / "benchmarks" for path in tables]
    content = manifest(
        root=snakemake.params.home,
        configuration=snakemake.params.configuration,
        seeds=snakemake.params.seeds,
        raw_files=raw_files(files.sources),
        benchmarks=[path for folder in folders for path in folder.rglob("*.tsv")],
    )
    write_text(snakemake.output[0], json.dumps(content, indent=2) + "\n")
