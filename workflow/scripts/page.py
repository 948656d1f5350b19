"""Write the report of a study or of all: a site, errata and manifest beside it."""

import json
from pathlib import Path

from dpmc.files import write_text
from dpmc_studies import studies
from dpmc_studies.frame.checking.runs import raw_files
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.showing.items import item_rows, judged_and_compared
from dpmc_studies.jobs import logged, timed
from dpmc_studies.report.crate import write_crate
from dpmc_studies.report.errata import errata_markdown
from dpmc_studies.report.manifest import manifest
from dpmc_studies.report.numbers import Numbers
from dpmc_studies.report.page import Report, StudyPage, write_site

with logged(snakemake.log[0]), timed():
    given, top = snakemake.params.settings, Path(snakemake.wildcards.top)
    known = studies.load(given["outside"])
    shown = {name: known[name] for name in given["studies"]}
    plan = Plan(str(top), given["configuration"], shown)
    raw = raw_files(snakemake.input.sources)
    available = {name: Path(path) for name, path in raw.items() if path}

    def provenance(names):
        """Return the manifest of some studies."""
        data = plan.real_data(shown[name] for name in names)
        return manifest(
            root=given["home"],
            configuration=given["configuration"],
            changed=given["changed"],
            seeds={run: seed for name in names for run, seed in given["seeds"][name].items()},
            raw_files={name: raw[name] for name in data},
            benchmarks=[
                path for name in names for path in (top / name / "benchmarks").rglob("*.tsv")
            ],
        )

    pages = {}
    for name, study in shown.items():
        folder = top / name
        chapter = function(study.chapter)(folder, given["chapters"][name])
        errata = [] if study.errata is None else function(study.errata)(folder, available)
        rows = Numbers(plan, study, chapter, given["snakemake"]).rows()
        items = item_rows(plan, study, *judged_and_compared(chapter))
        pages[name] = StudyPage(chapter, errata, provenance([name]), rows, items)
    content = provenance(given["studies"])
    title = given["configuration"]["report"]["title"]
    if len(pages) == 1 and "report.title" not in given["changed"]:  # the user's wins
        (title,) = (page.chapter.heading for page in pages.values())
    report = Report(title, pages, content)
    entries = [entry for page in pages.values() for entry in page.errata]
    write_text(snakemake.output.errata, errata_markdown(entries))
    write_text(snakemake.output.manifest, json.dumps(content, indent=2) + "\n")
    write_site(Path(snakemake.output.index).parent, report)
    root, others = Path(snakemake.output.crate).parent, snakemake.output
    write_crate(root, report, plan, given["home"], [others.manifest, others.errata])
