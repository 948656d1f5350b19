"""Tables of the forensics: how near each choice comes to the reported numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS
from dpmc.frame.showing.table_model import Cell, Column, Row, Table
from dpmc.studies.huber.experiments.forensics_real import SPLITS
from dpmc.studies.huber.experiments.forensics_synthetic import LARGEST_RATING
from dpmc.studies.huber.tables_rmse import label_of

START_LABELS = {"normal": "N(0,1)", "uniform": "U(0,1)"}
SPLIT_LABELS = {"ratings": "share of the ratings", "matrix": "share of the matrix"}
SHOWN = 8  # of the synthetic variants, those that come nearest
CONFIGURED = "configured"
MEASURE = (
    "The measure is the root mean square of log(ours / reported): .07 means seven per cent apart."
)


def synthetic_table(fit: pd.DataFrame, defaults: Mapping) -> Table:
    """Return the variants that come nearest, and where the configured one stands among all.

    ``fit`` is as :func:`dpmc.studies.huber.forensics_fit.synthetic_fit` returns it; ``defaults``
    has ``users, items, scale, start`` of the configuration.
    """
    ranked = fit.sort_values("rms_log_ratio", kind="stable").reset_index(drop=True)
    names = ("users", "items", "scale", "start")
    is_configured = np.logical_and.reduce([ranked[name] == defaults[name] for name in names])
    columns = (
        Column("place", "place"),
        Column("rms_log_ratio", "root mean square"),
        Column("behind_best", "behind the best"),
        Column("behind_low", "from", "95 % interval"),
        Column("behind_high", "to", "95 % interval"),
        Column("trials", "trials"),
    )
    rows = []
    for number in ranked.index[is_configured | (ranked.index < SHOWN)]:
        row = ranked.loc[number]
        size = f"{row['users']} x {row['items']}"
        values = [Cell(float(row[column.key]), digits=3) for column in columns[1:-1]]
        cells = (Cell(number + 1, digits=0), *values, Cell(int(row["trials"]), digits=0))
        labels = (size, scale_label(row["scale"]), START_LABELS[row["start"]])
        line = CONFIGURED if is_configured[number] else ""
        rows.append(Row((size, row["scale"], row["start"]), labels, line, cells))
    notes = (
        "ALS without noise and with Gaussian noise of variance 1 and 2 (columns without any other "
        f"open parameter) at three ranks and three fractions, {int(fit['cells'].max())} cells. "
        "M = c P Qᵀ, P and Q ~ U(0,1); each entry is observed independently; one trial where there "
        f"are more than a million of them. {MEASURE}",
        f"Of {len(ranked)} choices the {SHOWN} that come nearest, and the configured one if it is "
        "among them. Intervals are over trials, paired.",
    )
    headings = (("size", "Users x items"), ("scale", "Scale"), ("start", "Start"))
    title = "What the papers leave open: size, scale and start of synthetic data"
    return Table("table_forensics_1_synthetic", title, headings, columns, tuple(rows), notes)


def real_table(choices: pd.DataFrame, defaults: Mapping, unavailable: Sequence[str]) -> Table:
    """Return how near every choice on real data comes, a row for each split and start.

    ``choices`` is as :func:`dpmc.studies.huber.forensics_fit.real_choices` returns it; ``defaults``
    has the configured ``start``, and ``real``: data set to its noise variance and
    ``irls_iterations``. ``unavailable`` are data sets whose data could not be had.
    """
    found = choices[["choice", "predictions"]].drop_duplicates()
    columns = tuple(
        Column(f"{choice}, {predictions}", choice, f"{predictions} predictions".capitalize())
        for predictions in ("raw", "clipped")
        for choice in found.loc[found["predictions"] == predictions, "choice"]
    )
    rows = []
    for key, part in choices.groupby(["dataset", "split", "start"], sort=False):
        names = part["choice"] + ", " + part["predictions"]
        kinds = part["choice"].str.split(" ").str[0] + part["predictions"]
        open_choice = part[part["choice"] != "no noise"]
        nearest = set(names[open_choice.groupby(kinds)["rms_log_ratio"].idxmin()])
        errors = dict(zip(names, part["rms_log_ratio"], strict=True))
        cells = tuple(
            Cell(errors[column.key], digits=3, lowest=column.key in nearest) for column in columns
        )
        line = CONFIGURED if key[1:] == (SPLITS[0], defaults["start"]) else ""
        rows.append(Row(key, variant_labels(next(part.itertuples())), line, cells))
    configured = "; ".join(
        f"{DATASET_LABELS[name]}: variance {own['variance']:g}, K = {own['irls_iterations']}"
        for name, own in defaults["real"].items()
    )
    notes = [
        f"{MEASURE} Variance is that of Gaussian noise with ALS, K the inner iterations of IRLS "
        "with Laplace and Huber noise of variance 1; predictions are raw, which are compared, or "
        "clipped to the range of ratings. Bold: the nearest variance, and the nearest K.",
        f"Configured are the split and start so marked and, for {configured}. Huber noise of scale "
        "1 has no variance below 1. Where there is one split, it is known.",
        *(f"Data not available: {DATASET_LABELS[name]}." for name in unavailable),
    ]
    headings = (("dataset", "Data"), ("split", "Visible fraction"), ("start", "Start"))
    title = "What the papers leave open: split, start, noise, K and clipping on real data"
    return Table("table_forensics_2_real", title, headings, columns, tuple(rows), tuple(notes))


def loss_table(fit: pd.DataFrame) -> Table:
    """Return RMSE of A-IRLS above that of ALS without noise by loss parameter, beside the reported.

    ``fit`` is as :func:`dpmc.studies.huber.forensics_fit.loss_fit` returns it.
    """
    losses = sorted(fit["loss_parameter"].unique())
    columns = (
        Column("reported", "reported"),
        *(Column(f"a_{loss:g}", f"a = {loss:g}", "Ours") for loss in losses),
    )
    rows = []
    groups = ["dataset", "observed_fraction", "mechanism"]
    for key, part in fit.groupby(groups, sort=False):
        by_loss = part.set_index("loss_parameter").reindex(losses)
        reported = part["reported_above_als"].iloc[0]
        nearest = (by_loss["above_als"] - reported).abs().idxmin()
        labels = (
            DATASET_LABELS[key[0]],
            label_of("observed_fraction", key[1]),
            MECHANISM_LABELS[key[2]],
        )
        for line, name in {"mean": "above_als", "95 % from": "low", "95 % to": "high"}.items():
            is_mean = name == "above_als"
            first = Cell(100 * np.expm1(reported), digits=1) if is_mean else Cell()
            cells = (
                Cell(100 * np.expm1(value), digits=1, lowest=is_mean and loss == nearest)
                for loss, value in by_loss[name].items()
            )
            rows.append(Row(key, labels, line, (first, *cells)))
    notes = (
        "RMSE above that of ALS without noise in per cent, over paired trials. The papers do not "
        "state the parameter a of the loss without noise. Bold: nearest to the reported number, "
        "however near that is.",
    )
    headings = (("dataset", "Data"), ("observed_fraction", "Observed"), ("mechanism", "Noise"))
    title = "What the papers leave open: the loss parameter of A-IRLS"
    return Table("table_forensics_3_loss", title, headings, columns, tuple(rows), notes)


def scale_label(scale: float) -> str:
    """Say which scale: a factor, or rescaled to a largest entry."""
    return f"largest {LARGEST_RATING:g}" if np.isnan(scale) else f"c = {scale:g}"


def variant_labels(row) -> tuple[str, str, str]:
    """Say which data set, split and start a row of the real tables is about."""
    dataset = DATASET_LABELS[row.dataset]
    return dataset, SPLIT_LABELS[row.split], START_LABELS[row.start]
