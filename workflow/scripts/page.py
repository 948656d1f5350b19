"""Write the report page."""

import json
from pathlib import Path

from dpmc.jobs import logged
from dpmc.report.page import write_page
from dpmc.runs import read_frame

with logged(snakemake.log[0]):
    files = snakemake.input
    write_page(
        snakemake.output[0],
        trials=read_frame(files.trials),
        comparison=read_frame(files.comparison),
        claims=read_frame(files.claims),
        stability=read_frame(files.stability) if files.stability else None,
        tables_folder=files.tables,
        figures_folder=files.figures,
        errata=Path(files.errata).read_text(encoding="utf-8"),
        manifest=json.loads(Path(files.manifest).read_text(encoding="utf-8")),
        forensics_folder=snakemake.params.forensics,
        title=snakemake.params.title,
    )
