"""Read a raw file into ratings; an empty file stands for data that are not available."""

import json
from pathlib import Path

from dpmc.datasets import read, resolve
from dpmc.files import atomic_path
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]), timed():
    record = json.loads(Path(snakemake.input[0]).read_text(encoding="utf-8"))
    if record["path"] is None:
        with atomic_path(snakemake.output[0]):
            pass
    else:
        dataset = resolve(snakemake.wildcards.dataset, snakemake.config["data"]["sets"])
        read(dataset, record["path"]).save(snakemake.output[0])
