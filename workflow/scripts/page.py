"""Write the report of a study or of all: a site, errata and manifest beside it."""

import json
from pathlib import Path

from dpmc.files import write_text
from dpmc_studies import studies
from dpmc_studies.frame.checking.runs import raw_files
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.jobs import logged, timed
from dpmc_studies.report.crate import write_crate
from dpmc_studies.report.errata import errata_markdown
from dpmc_studies.report.page import write_site
from dpmc_studies.report.site import report_of

with logged(snakemake.log[0]), timed():
    given = snakemake.params.settings
    known = studies.load(given["outside"])
    shown = {name: known[name] for name in given["studies"]}
    plan = Plan(snakemake.wildcards.top, given["configuration"], shown)
    report = report_of(plan, given, raw_files(snakemake.input.sources))
    entries = [entry for page in report.studies.values() for entry in page.errata]
    write_text(snakemake.output.errata, errata_markdown(entries))
    write_text(snakemake.output.manifest, json.dumps(report.manifest, indent=2) + "\n")
    write_site(Path(snakemake.output.index).parent, report)
    root, others = Path(snakemake.output.crate).parent, snakemake.output
    write_crate(root, report, plan, given["home"], [others.manifest, others.errata])
