"""Which loss parameter gives the reported A-IRLS on real data: the table and its summary."""

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, select
from dpmc.statistics.tests import log_positive, mean_interval

FIT_COLUMNS = ["dataset", "observed_fraction", "mechanism", "loss_parameter", "rmse",
               "above_als", "low", "high", "reported", "reported_above_als", "trials"]  # fmt: skip
TOLERANCE = 0.005  # half a per cent of RMSE: no difference worth naming


def loss_fit(trials: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Set A-IRLS against ALS without noise, ours by loss parameter beside the reported ones.

    ``trials`` is the table of :mod:`dpmc.studies.huber.experiments.forensics_loss`; ``published``
    is as :func:`dpmc.studies.huber.reported.load` returns it. The result has the columns
    :data:`FIT_COLUMNS`, a row per data set, fraction, mechanism and parameter: ``above_als`` is the
    mean log ratio of RMSE to that of ALS without noise, paired, with its 95 % t interval ``low,
    high``.
    """
    rows = []
    reported = published[published["metric"] == "rmse_heldout"]
    places = ["dataset", "observed_fraction"]
    for place, part in trials.groupby(places, sort=False):
        where = dict(zip(places, place, strict=True))
        als = part[part["method"] == "als"].set_index("trial")["rmse_heldout"]
        theirs = select(reported, **where)
        base = select(theirs, method="als", mechanism="none")["published"]
        irls = part[part["method"] == "irls"]
        keys = ["mechanism", "loss_parameter", "irls_iterations"]
        for (mechanism, loss, inner), cell in irls.groupby(keys, sort=False):
            same = select(theirs, method="irls", mechanism=mechanism, irls_iterations=inner)
            if base.empty or same.empty:  # a fraction of the user's own
                continue
            errors = cell.set_index("trial")["rmse_heldout"]
            ratio = mean_interval(log_positive(errors) - log_positive(als.reindex(errors.index)))
            value = float(same["published"].iloc[0])
            rows.append(
                (*place, mechanism, loss, errors.mean(), ratio.estimate, ratio.low, ratio.high,
                 value, float(np.log(value / base.iloc[0])), len(errors))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=FIT_COLUMNS)


def loss_summary(fit: pd.DataFrame) -> str:
    """Say as Markdown which loss parameter gives the reported A-IRLS, if any."""
    lines = ["## Loss parameter\n"]
    if fit.empty:
        return "\n".join([*lines, "Data not available.\n"])
    lines += [
        "The papers do not state the parameter a of the loss without noise. RMSE of A-IRLS above "
        "that of ALS without noise, in per cent, ours by a with its 95 % interval:\n"
    ]
    losses = sorted(fit["loss_parameter"].unique())
    lines += [
        "| data | noise | reported | " + " | ".join(f"a = {loss:g}" for loss in losses) + " |",
        "|---" * (len(losses) + 3) + "|",
    ]
    groups = ["dataset", "observed_fraction", "mechanism"]
    near: dict[str, set[float]] = {}
    for (dataset, fraction, mechanism), rows in fit.groupby(groups, sort=False):
        cells = [_cell(rows[rows["loss_parameter"] == loss]) for loss in losses]
        reported = rows["reported_above_als"].iloc[0]
        name = f"{DATASET_LABELS.get(dataset, dataset)}, {100 * fraction:.3g} %"
        start = f"| {name} | {MECHANISM_LABELS[mechanism]} | {_percent(reported)} | "
        lines.append(start + " | ".join(cells) + " |")
        if mechanism == "none":
            near[name] = _reproducing(rows)
    lines += ["", f"Without noise, within {100 * TOLERANCE:g} % of the reported difference are:\n"]
    lines += [f"- {name}: {_named(losses)}." for name, losses in near.items()]
    lines.append(f"\nIn all of them: {_named(set.intersection(*near.values()))}.\n")
    return "\n".join(lines)


def _reproducing(rows: pd.DataFrame) -> set[float]:
    """Return the parameters whose difference from ALS is the reported one, within a tolerance."""
    close = (rows["above_als"] - rows["reported_above_als"]).abs() <= TOLERANCE
    return set(rows.loc[close, "loss_parameter"])


def _named(losses: set[float]) -> str:
    return ", ".join(f"a = {loss:g}" for loss in sorted(losses)) or "none of these parameters"


def _cell(row: pd.DataFrame) -> str:
    if row.empty:
        return "–"
    value, low, high = (row[name].iloc[0] for name in ("above_als", "low", "high"))
    return f"{_percent(value)} ({_percent(low)} to {_percent(high)})"


def _percent(log_ratio: float) -> str:
    return f"{100 * np.expm1(log_ratio):+.1f}" if np.isfinite(log_ratio) else "–"
