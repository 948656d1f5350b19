"""Compare a run with the committed reference; end with status 1 if it is not the same."""

import sys
from pathlib import Path

from dpmc.jobs import logged
from dpmc.studies.dpals.regression import DPALS
from dpmc.studies.equal_privacy.regression import check_privacy, counts, read_privacy_run
from dpmc.studies.onebit.regression import ONEBIT
from dpmc.study.check import check_run, outcome
from dpmc.study.check_parts import check_part, part_counts, read_part
from dpmc.study.runs import raw_files, read_run

with logged(snakemake.log[0]):
    sources = raw_files(snakemake.input.sources)
    unavailable = [name for name, path in sources.items() if path is None]
    run = read_run(Path(snakemake.input.trials).parent)
    privacy = read_privacy_run(Path(snakemake.input.calibrated).parent)
    parts = [
        read_part(ONEBIT, Path(snakemake.input.onebit).parent),
        read_part(DPALS, Path(snakemake.input.dpals).parent),
    ]
    reference = Path(snakemake.params.reference)
    findings = [
        *check_run(run, reference, unavailable),
        *check_privacy(privacy, reference, unavailable),
    ]
    for part in parts:
        findings += check_part(part, reference, unavailable)
    text = outcome(run, findings, counts(privacy) + "".join(map(part_counts, parts)))
    print(text)
    if any(finding.fails for finding in findings):
        sys.exit(1)
print(text.splitlines()[0])
