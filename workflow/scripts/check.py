"""Compare a run with the committed reference; end with status 1 if it is not the same."""

import sys
from pathlib import Path

from dpmc.check import check_run, outcome
from dpmc.check_dpals import check_dpals_run, dpals_counts, read_dpals_run
from dpmc.check_onebit import check_onebit_run, onebit_counts, read_onebit_run
from dpmc.check_privacy import check_privacy, counts, read_privacy_run
from dpmc.jobs import logged
from dpmc.runs import raw_files, read_run

with logged(snakemake.log[0]):
    sources = raw_files(snakemake.input.sources)
    unavailable = [name for name, path in sources.items() if path is None]
    run = read_run(Path(snakemake.input.trials).parent)
    privacy = read_privacy_run(Path(snakemake.input.calibrated).parent)
    onebit = read_onebit_run(Path(snakemake.input.onebit).parent)
    dpals = read_dpals_run(Path(snakemake.input.dpals).parent)
    reference = Path(snakemake.params.reference)
    findings = [
        *check_run(run, reference, unavailable),
        *check_privacy(privacy, reference, unavailable),
        *check_onebit_run(onebit, reference, unavailable),
        *check_dpals_run(dpals, reference, unavailable),
    ]
    text = outcome(run, findings, counts(privacy) + onebit_counts(onebit) + dpals_counts(dpals))
    print(text)
    if any(finding.fails for finding in findings):
        sys.exit(1)
print(text.splitlines()[0])
