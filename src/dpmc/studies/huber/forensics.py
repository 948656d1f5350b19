"""Which of the choices that the papers leave open gives their numbers: fits, summary, heat maps."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.files import write_text
from dpmc.frame.checking.runs import read_frame, write_frame
from dpmc.studies.huber.experiments.forensics_real import RealVariant
from dpmc.studies.huber.experiments.forensics_synthetic import SyntheticVariant
from dpmc.studies.huber.forensics_drawing import draw, real_choices, real_fit, synthetic_fit
from dpmc.studies.huber.forensics_loss_fit import loss_fit, loss_summary
from dpmc.studies.huber.forensics_summary import summary
from dpmc.studies.huber.reported import load


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write which of the choices that the papers leave open gives their numbers, and draw it."""
    published = load()
    synthetic = synthetic_fit(
        _by_variant(SyntheticVariant, settings["synthetic"], folder / "forensics_synthetic.csv"),
        published,
    )
    runs = _by_variant(RealVariant, settings["real"], folder / "forensics_real.csv")
    real = real_fit(runs, published)
    choices = real_choices(real)
    defaults = settings["defaults"]
    missing = [name for name in defaults["real"] if name not in {v.dataset for v in runs}]
    write_frame(out / "synthetic.csv", synthetic)
    write_frame(out / "real.csv", real)
    draw(out, synthetic, choices)
    losses = loss_fit(read_frame(folder / "forensics_loss.csv"), published)
    write_frame(out / "loss.csv", losses)
    text = summary(synthetic, choices, defaults, missing)
    write_text(out / "summary.md", f"{text}\n{loss_summary(losses)}")


def _by_variant(kind, variants, path: Path) -> dict:
    """Variant -> trial rows; a variant without rows had no data."""
    table = read_frame(path)
    named = {kind(**fields).variant: kind(**fields) for fields in variants}
    rows = table.drop(columns="variant")
    return {
        named[name]: rows[table["variant"] == name]
        for name in named
        if (table["variant"] == name).any()
    }
