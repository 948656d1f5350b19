"""Obtain the raw file of a data set and record where it is, or that it is not available."""

import json

from dpmc.datasets import resolve
from dpmc.files import write_text
from dpmc_studies.datasets.download import DataNotAvailable, obtain
from dpmc_studies.jobs import logged, timed

with logged(snakemake.log[0]), timed():
    data = snakemake.config["data"]
    dataset = resolve(snakemake.wildcards.dataset, data["sets"])
    record = {"dataset": dataset.name, "path": None, "reason": None}
    record["state"] = snakemake.params.state
    try:
        path = obtain(dataset, data["directory"], mirror=data["mirror"], progress=True)
        record["path"] = str(path)
    except DataNotAvailable as error:
        record["reason"] = str(error)
    write_text(snakemake.output[0], json.dumps(record, indent=2) + "\n")
