"""Compare every choice with the printed numbers: tables, heat maps and summary."""

from pathlib import Path

from dpmc.files import write_text
from dpmc.jobs import logged
from dpmc.studies.huber import published
from dpmc.studies.huber.forensics import RealVariant, SyntheticVariant
from dpmc.studies.huber.forensics_drawing import draw, real_choices, real_fit, synthetic_fit
from dpmc.studies.huber.forensics_summary import summary
from dpmc.study.runs import read_frame, write_frame


def read(kind, variants, paths):
    """Variant -> trial rows; a variant without rows had no data."""
    runs = {
        kind(**variant): read_frame(path) for variant, path in zip(variants, paths, strict=True)
    }
    return {variant: rows for variant, rows in runs.items() if len(rows)}


with logged(snakemake.log[0]):
    given = snakemake.params
    numbers = published.load(given.paper)
    synthetic = synthetic_fit(
        read(SyntheticVariant, given.synthetic, snakemake.input.synthetic), numbers
    )
    runs = read(RealVariant, given.real, snakemake.input.real)
    real = real_fit(runs, numbers)
    choices = real_choices(real)
    missing = [name for name in given.defaults["real"] if name not in {v.dataset for v in runs}]
    write_frame(snakemake.output.synthetic, synthetic)
    write_frame(snakemake.output.real, real)
    draw(Path(snakemake.output.synthetic).parent, synthetic, choices)
    write_text(snakemake.output.summary, summary(synthetic, choices, given.defaults, missing))
