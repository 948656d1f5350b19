"""Write the report page."""

import json
from pathlib import Path

from dpmc.jobs import logged
from dpmc.report.page import write_page
from dpmc.study.runs import read_frame

with logged(snakemake.log[0]):
    files = snakemake.input
    left_out = " and ".join(snakemake.params.left_out)
    notes = [
        f"The configuration of this run leaves out {left_out} (huber.real): that is why their "
        "numbers are marked as not available."
    ]
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
        notes=notes if left_out else [],
        forensics_folder=snakemake.params.forensics,
        privacy_folder=snakemake.params.privacy,
        onebit_folder=snakemake.params.onebit,
        dpals_folder=snakemake.params.dpals,
        dpals_published=snakemake.params.dpals_published,
        title=snakemake.params.title,
    )
