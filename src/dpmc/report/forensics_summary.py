"""The summary of the forensics: which choice fits best, which is the default, and why."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpmc.report.forensics import START_LABELS, scale_label, variant_label

SHOWN = 8  # rows of the table of the best synthetic variants


def summary(
    synthetic: pd.DataFrame, choices: pd.DataFrame, defaults: Mapping, unavailable: list[str]
) -> str:
    """Spell the summary as Markdown.

    Parameters
    ----------
    synthetic : DataFrame
        As :func:`dpmc.report.forensics.synthetic_fit` returns it.
    choices : DataFrame
        As :func:`dpmc.report.forensics.real_choices` returns it.
    defaults : mapping
        ``users, items, scale, start`` of the configuration, and ``real``: data set to its noise
        variance and ``irls_iterations``.
    unavailable : list of str
        Data sets whose data could not be had.
    """
    parts = [
        "# What the papers leave open\n",
        "The papers do not state the size and scale of the synthetic matrices, and differ in or "
        "do not state the starting values, the noise variance on real data, what the visible "
        "fraction is a share of, the inner iterations and whether predictions are clipped. Here "
        "every choice is run and its errors are compared with the printed ones. The measure is "
        "the root mean square of log(ours / printed): .07 means seven per cent apart.\n",
        _synthetic_part(synthetic, defaults),
    ]
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
        "| users x items | scale | start | rms log-ratio | 95 % interval | trials |",
        "|---|---|---|---|---|---|",
    ]
    shown = sorted({*range(min(SHOWN, len(ranked))), *place})
    lines += [_synthetic_row(ranked.iloc[number], number in place) for number in shown]
    lines.append("\nBold: the default of the configuration.")
    best = ranked.iloc[0]
    if len(place) == 0:
        lines.append(f"The configured choice is not among the {len(ranked)} variants.")
    elif place[0] == 0:
        lines.append(f"It fits best of {len(ranked)} variants, and that is why it is the default.")
    else:
        chosen = ranked.iloc[place[0]]
        lines.append(
            f"It is number {place[0] + 1} of {len(ranked)} variants; the best one is closer by "
            f"{chosen['rms_log_ratio'] - best['rms_log_ratio']:.3f}{_within(chosen, best)}"
        )
    return "\n".join(lines) + "\n"


def _within(chosen: pd.Series, best: pd.Series) -> str:
    """Say whether the distance to the best is less than what trials leave uncertain."""
    if not np.isfinite(chosen["low"]):
        return "."
    inside = chosen["low"] <= best["rms_log_ratio"]
    return ", which is within its interval." if inside else ", which is outside of its interval."


def _synthetic_row(row: pd.Series, default: bool) -> str:
    low, high = row["low"], row["high"]
    interval = f"{low:.3f} to {high:.3f}" if np.isfinite(low) else ""
    texts = [
        f"{row['users']} x {row['items']}",
        scale_label(row["scale"]),
        START_LABELS[row["start"]],
        f"{row['rms_log_ratio']:.3f}",
        interval,
        str(row["trials"]),
    ]
    return "| " + " | ".join(f"**{text}**" if default and text else text for text in texts) + " |"


def _real_part(part: pd.DataFrame, defaults: Mapping, start: str) -> str:
    wide = part.assign(column=part["choice"] + ", " + part["predictions"])
    names = list(dict.fromkeys(wide["column"]))
    lines = [
        f"## {variant_label(next(part.itertuples())).split(',')[0]}\n",
        "“Variance” is that of Gaussian noise (column ALS + G); K is for IRLS with Laplace and "
        "Huber noise of variance 1.\n",
        "| split, start | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for _, rows in wide.groupby(["split", "start"], sort=False):
        label = variant_label(next(rows.itertuples())).split(", ", 1)[1]
        values = rows.set_index("column")["rms_log_ratio"]
        lines.append(f"| {label} | " + " | ".join(f"{values[name]:.3f}" for name in names) + " |")
    configured = part[part["start"] == start]
    lines.append("")
    for kind, chosen in (
        ("variance", f"variance {defaults['variance']:g}"),
        ("K", f"K = {defaults['irls_iterations']}"),
    ):
        lines.append(_verdict(configured, kind, chosen))
    lines.append(_clipping(configured))
    lines.append(_split(part))
    return "\n".join(lines) + "\n"


def _verdict(rows: pd.DataFrame, kind: str, chosen: str) -> str:
    """Say how the configured value compares with the others, on raw predictions and best split."""
    rows = rows[rows["choice"].str.startswith(kind) & (rows["predictions"] == "raw")]
    errors = rows.groupby("choice", sort=False)["rms_log_ratio"].min()
    spelled = ", ".join(f"{name} {error:.3f}" for name, error in errors.items())
    best = errors.idxmin()
    end = "the default fits best." if best == chosen else f"{best} fits best, {chosen} is set."
    return f"- {spelled}: {end}"


def _clipping(rows: pd.DataFrame) -> str:
    errors = rows.groupby(["choice", "predictions"], sort=False)["rms_log_ratio"].min().unstack()
    better = list(errors.index[errors["clipped"] < errors["raw"]])
    fits = f"fits better in {', '.join(better)}" if better else "fits nowhere better"
    return f"- Clipping {fits}. The comparison uses raw predictions; both are reported."


def _split(part: pd.DataFrame) -> str:
    rows = part[(part["predictions"] == "raw") & (part["choice"] == "no noise")]
    errors = rows.groupby("split", sort=False)["rms_log_ratio"].min()
    if len(errors) == 1:
        return "- The split is known: 80 % of the ratings train."
    spelled = ", ".join(f"share of the {split} {error:.3f}" for split, error in errors.items())
    return f"- Without noise: {spelled}."
