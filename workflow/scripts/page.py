"""Write the page of one study or of all, with errata and manifest beside it."""

import json
from pathlib import Path

from dpmc import studies
from dpmc.files import write_text
from dpmc.jobs import logged, timed
from dpmc.report.errata import errata_markdown
from dpmc.report.manifest import manifest
from dpmc.report.page import write_page
from dpmc.study.job import function
from dpmc.study.runs import raw_files

with logged(snakemake.log[0]), timed():
    given, top = snakemake.params.settings, Path(snakemake.wildcards.top)
    known = studies.load(given["outside"])
    chosen = [known[name] for name in given["studies"]]
    raw = raw_files(snakemake.input.sources)
    available = {name: Path(path) for name, path in raw.items() if path}
    errata = [
        entry
        for study in chosen
        if study.errata is not None
        for entry in function(study.errata)(top / study.name, available)
    ]
    chapters = {
        study.name: function(study.chapter)(top / study.name, given["chapters"][study.name])
        for study in chosen
    }
    content = manifest(
        root=given["home"],
        configuration=given["configuration"],
        seeds=given["seeds"],
        raw_files=raw,
        benchmarks=[
            path for study in chosen for path in (top / study.name / "benchmarks").rglob("*.tsv")
        ],
    )
    write_text(snakemake.output.errata, errata_markdown(errata))
    write_text(snakemake.output.manifest, json.dumps(content, indent=2) + "\n")
    title = given["configuration"]["report"]["title"]
    write_page(snakemake.output.page, chapters, errata, content, title)
