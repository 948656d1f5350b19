"""Which of the choices that the papers leave open gives their numbers: fits, tables, heat maps."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from dpmc.frame.checking.runs import read_frame, write_frame
from dpmc.frame.showing.heatmap import heatmap
from dpmc.frame.showing.results import write_tables
from dpmc.frame.showing.style import PAGE, render
from dpmc.studies.huber.experiments.forensics_real import RealVariant
from dpmc.studies.huber.experiments.forensics_synthetic import SyntheticVariant
from dpmc.studies.huber.forensics_fit import loss_fit, real_choices, real_fit, synthetic_fit
from dpmc.studies.huber.reported import load
from dpmc.studies.huber.tables_forensics import (
    START_LABELS,
    loss_table,
    real_table,
    scale_label,
    synthetic_table,
    variant_labels,
)

LABEL = "root mean square log-ratio"
# for narrow columns
SHORT = {"no noise": "none", "variance ": "v ", "K = ": "K ", "clipped": "clip"}


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write which of the choices that the papers leave open gives their numbers, and draw it."""
    published, defaults = load(), settings["defaults"]
    runs = _by_variant(SyntheticVariant, settings["synthetic"], folder / "forensics_synthetic.csv")
    synthetic = synthetic_fit(runs, published)
    runs = _by_variant(RealVariant, settings["real"], folder / "forensics_real.csv")
    real = real_fit(runs, published)
    choices = real_choices(real)
    losses = loss_fit(read_frame(folder / "forensics_loss.csv"), published)
    for name, fit in {"synthetic": synthetic, "real": real, "loss": losses}.items():
        write_frame(out / f"{name}.csv", fit)
    missing = [name for name in defaults["real"] if name not in {v.dataset for v in runs}]
    tables = [
        synthetic_table(synthetic, defaults),
        real_table(choices, defaults, missing),
        loss_table(losses),
    ]
    write_tables([table for table in tables if table.rows], out)
    draw(out, synthetic, choices)


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


def draw(folder: str | Path, synthetic: pd.DataFrame, choices: pd.DataFrame) -> None:
    """Write the heat maps ``heatmap_synthetic`` and ``heatmap_real`` as PNG, SVG and CSV."""
    sizes = zip(synthetic["users"], synthetic["items"], strict=True)
    starts = zip(synthetic["scale"], synthetic["start"], strict=True)
    frame = pd.DataFrame(
        {
            "users x items": [f"{users} x {items}" for users, items in sizes],
            "scale and start": [
                f"{scale_label(scale)}\n{START_LABELS[start]}" for scale, start in starts
            ],
            LABEL: synthetic["rms_log_ratio"],
        }
    )
    render(partial(heatmap, frame, *frame.columns), folder, "heatmap_synthetic", width=PAGE)
    names = choices["choice"] + "\n" + choices["predictions"]
    frame = pd.DataFrame(
        {
            "split and start": [
                "{}\n{}, {}".format(*variant_labels(row)) for row in choices.itertuples()
            ],
            "choice": names.replace(SHORT, regex=True),
            LABEL: choices["rms_log_ratio"],
        }
    )
    render(partial(heatmap, frame, *frame.columns), folder, "heatmap_real", width=PAGE)
