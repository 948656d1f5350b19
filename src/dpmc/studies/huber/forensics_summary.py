"""The summary of the forensics: which choice fits best, which is the default, and why."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpmc.studies.huber.forensics_drawing import (
    SPLIT_LABELS,
    START_LABELS,
    scale_label,
    variant_label,
)

SHOWN = 8  # rows of the table of the best synthetic variants
TIE = 0.005  # half a per cent: no difference worth naming


def summary(
    synthetic: pd.DataFrame, choices: pd.DataFrame, defaults: Mapping, unavailable: list[str]
) -> str:
    """Format the summary as Markdown.

    ``synthetic`` and ``choices`` are what ``synthetic_fit`` and ``real_choices`` of
    :mod:`dpmc.studies.huber.forensics_drawing` return. ``defaults`` are ``users, items, scale,
    start`` of the configuration, and ``real``: data set to its noise variance and
    ``irls_iterations``. ``unavailable`` are data sets whose data could not be had.
    """
    parts = [
        "# What the papers leave open\n",
        "The papers do not state the size and scale of the synthetic matrices, and differ in or "
        "do not state the starting values, the noise variance on real data, what the visible "
        "fraction is a share of, the inner iterations and whether predictions are clipped. Here "
        "every choice is run and its errors are compared with the reported ones. The measure is "
        "the root mean square of log(ours / reported): .07 means seven per cent apart.\n",
        _synthetic_part(synthetic, defaults),
    ]
    if len(choices):
        parts.append(
            "![Heat map of the fit of every choice on real data](heatmap_real.png)\n\n"
            "Here v is the variance of Gaussian noise with ALS, and K the inner iterations of "
            "IRLS with Laplace and Huber noise of variance 1; predictions are raw or clipped to "
            "the range of ratings.\n"
        )
    for dataset, part in choices.groupby("dataset", sort=False):
        parts.append(_real_part(part, defaults["real"][dataset], defaults["start"]))
    parts += [f"## {dataset}\n\nData not available.\n" for dataset in unavailable]
    return "\n".join(parts)


def _synthetic_part(fit: pd.DataFrame, defaults: Mapping) -> str:
    ranked = fit.sort_values("rms_log_ratio", kind="stable").reset_index(drop=True)
    sizes = {"users": defaults["users"], "items": defaults["items"]}
    wanted = sizes | {"scale": defaults["scale"], "start": defaults["start"]}
    place = ranked.index[np.logical_and.reduce([ranked[k] == v for k, v in wanted.items()])]
    lines = [
        "## Synthetic data\n",
        "ALS without noise and with Gaussian noise of variance 1 and 2 (columns without any other "
        f"open parameter) at three ranks and three fractions, {int(fit['cells'].max())} cells; "
        f"{int(fit['trials'].max())} trials, one where there are more than a million entries. "
        "M = c P Qᵀ, P and Q ~ U(0,1); each entry is observed independently.\n",
        "![Heat map of the fit of every size, scale and start](heatmap_synthetic.png)\n",
        "| users x items | scale | start | rms log-ratio | behind the best (95 %) | trials |",
        "|---|---|---|---|---|---|",
    ]
    shown = sorted({*range(min(SHOWN, len(ranked))), *place})
    lines += [_synthetic_row(ranked.iloc[number], number in place) for number in shown]
    lines.append(
        "\nBold: the default of the configuration. Intervals are over trials, paired. "
        + _reason(ranked, place)
    )
    return "\n".join(lines) + "\n"


def _reason(ranked: pd.DataFrame, place: pd.Index) -> str:
    """Say where the default stands among the variants."""
    if len(place) == 0:
        return f"The configured choice is not among the {len(ranked)} variants."
    if place[0] == 0:
        return f"It fits best of {len(ranked)} variants, and that is why it is the default."
    chosen = ranked.iloc[place[0]]
    text = (
        f"It is number {place[0] + 1} of {len(ranked)} variants, "
        f"{chosen['behind_best']:.3f} behind the best one"
    )
    if not np.isfinite(chosen["behind_low"]):
        return f"{text}."
    if chosen["behind_low"] <= 0:
        return f"{text}: a difference that these trials cannot tell from none."
    return f"{text}, which is more than chance."


def _synthetic_row(row: pd.Series, default: bool) -> str:
    low, high = row["behind_low"], row["behind_high"]
    interval = f" ({low:.3f} to {high:.3f})" if np.isfinite(low) and low < high else ""
    texts = [
        f"{row['users']} x {row['items']}",
        scale_label(row["scale"]),
        START_LABELS[row["start"]],
        f"{row['rms_log_ratio']:.3f}",
        f"{row['behind_best']:.3f}{interval}",
        str(row["trials"]),
    ]
    return "| " + " | ".join(f"**{text}**" if default else text for text in texts) + " |"


def _real_part(part: pd.DataFrame, defaults: Mapping, start: str) -> str:
    wide = part.assign(column=part["choice"] + ", " + part["predictions"])
    names = list(dict.fromkeys(wide["column"]))
    lines = [
        f"## {variant_label(next(part.itertuples())).split(',')[0]}\n",
        "| split, start | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for _, rows in wide.groupby(["split", "start"], sort=False):
        label = variant_label(next(rows.itertuples())).split(", ", 1)[1]
        values = rows.set_index("column")["rms_log_ratio"]
        lines.append(f"| {label} | " + " | ".join(f"{values[name]:.3f}" for name in names) + " |")
    configured = part[part["start"] == start]
    variance, inner = (f"{defaults['variance']:g}", f"K = {defaults['irls_iterations']}")
    lines += [
        "",
        _verdict(configured, "variance", f"variance {variance}"),
        _verdict(configured, "K", inner),
        _start(part, f"variance {variance}"),
        _clipping(configured),
        _split(part),
    ]
    return "\n".join(lines) + "\n"


def _verdict(rows: pd.DataFrame, kind: str, chosen: str) -> str:
    """Say how the configured value compares with the others, on raw predictions and best split."""
    rows = rows[rows["choice"].str.startswith(kind) & (rows["predictions"] == "raw")]
    errors = rows.groupby("choice", sort=False)["rms_log_ratio"].min()
    best = errors.idxmin()
    if chosen not in errors:
        end = f"{chosen} is set, which is not among them."
    elif best == chosen:
        end = "the default fits best."
    elif errors[chosen] - errors[best] < TIE:
        end = f"equal within {TIE:g}; {chosen} is set."
    else:
        end = f"{best} fits best, {chosen} is set."
        if best == "variance 0.5":
            end += " Huber noise of scale 1 has no variance below 1, which is why."
    return f"- {_formatted(errors)}: {end}"


def _start(part: pd.DataFrame, choice: str) -> str:
    rows = part[(part["choice"] == choice) & (part["predictions"] == "raw")]
    errors = rows.groupby("start", sort=False)["rms_log_ratio"].min().rename(START_LABELS)
    return f"- Start, at {choice}: {_formatted(errors)}."


def _clipping(rows: pd.DataFrame) -> str:
    errors = rows.groupby(["choice", "predictions"], sort=False)["rms_log_ratio"].min().unstack()
    better = list(errors.index[errors["clipped"] < errors["raw"] - TIE])
    fits = f"fits better for {', '.join(better)}" if better else "fits nowhere better"
    return f"- Clipping {fits} (by more than {TIE:g}). Raw predictions are compared."


def _split(part: pd.DataFrame) -> str:
    rows = part[(part["predictions"] == "raw") & (part["choice"] == "no noise")]
    errors = rows.groupby("split", sort=False)["rms_log_ratio"].min().rename(SPLIT_LABELS)
    if len(errors) == 1:
        return "- The split is known: 80 % of the ratings train."
    return f"- Visible fraction, without noise: {_formatted(errors)}."


def _formatted(errors: pd.Series) -> str:
    return ", ".join(f"{name} {error:.3f}" for name, error in errors.items())
