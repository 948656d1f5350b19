"""Compare studies with the committed reference; end with status 1 if one is not the same."""

import sys
from pathlib import Path

from dpmc_studies import studies
from dpmc_studies.frame.checking.check import check, outcome, read_for_check
from dpmc_studies.frame.checking.runs import raw_files
from dpmc_studies.jobs import logged

with logged(snakemake.log[0]):
    params, top = snakemake.params, Path(snakemake.log[0]).parent
    sources = raw_files(snakemake.input.sources)
    unavailable = [name for name, path in sources.items() if path is None]
    known = studies.load(params.outside)
    results, differences = [], {}
    for name in params.studies:
        study = known[name]
        reference = Path(params.reference) / name
        if study.folder is not None:
            reference = study.folder / "reference"
        results.append(read_for_check(study, top / name))
        differences[name] = check(results[-1], reference, unavailable)
    text = outcome(results, differences)
    print(text)
    if any(each.fails for found in differences.values() for each in found):
        sys.exit(1)
print(text.splitlines()[0])
