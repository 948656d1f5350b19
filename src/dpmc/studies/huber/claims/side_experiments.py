"""Claims that need an experiment of their own: H35 (noise target) and H36 (many starts)."""

import numpy as np
import pandas as pd

from dpmc.frame.judging.choices import pooled, widened
from dpmc.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_MORE_THAN,
    NOT_AVAILABLE,
    NOT_REPORTED,
    OURS,
    UNREPORTED,
    Finding,
)
from dpmc.frame.judging.rules import mirrored, percent
from dpmc.frame.judging.verdicts import at_least, combined, obstacle_to, pooled_verdict
from dpmc.frame.showing.frames import MECHANISM_LABELS
from dpmc.statistics.bootstrap import bootstrap_interval, pooled_spread_ratio
from dpmc.statistics.tests import Interval, log_positive, trial_matrix
from dpmc.studies.huber.claims.evidence import Evidence, claim

MUCH_WIDER = 3.0
LATE = 0.2  # the last fifth of the iterations
BEST = 0.25  # the best quarter of the starts
CELL = ["rank", "variance", "observed_fraction", "method"]


@claim("H35")
def noise_on_the_iterates_prevents_convergence(evidence: Evidence) -> Finding:
    """With noise on the iterates, late RMSE spreads at least 3 times as much and ends higher."""
    sides = _late_iterations(evidence.convergence)
    if sides is None:
        return Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (convergence)")
    spread, final = sides
    obstacle = obstacle_to(np.isfinite(final).sum(axis=1))
    ratio, higher, least = pooled(spread), pooled(final), widened(MUCH_WIDER)
    verdicts = [at_least(ratio, np.log(least)), pooled_verdict(mirrored(higher))]
    found = (
        f"late RMSE spreads {np.exp(ratio.estimate):.1f} times as much, final RMSE "
        f"{percent(higher.estimate)}"
    )
    return Finding(
        INCONCLUSIVE if obstacle else combined(verdicts),
        UNREPORTED,
        *np.exp([ratio.estimate, ratio.low, ratio.high]),
        ratio.trials,
        f"{obstacle or found}; {NOT_REPORTED}",
        margin=least,
        margin_of=OURS,
    )


@claim("H36")
def huber_escapes_local_minima(evidence: Evidence) -> Finding:
    """Without noise some starts end higher than others, and of those with it Huber noise's lowest.

    Where all starts end at one loss without noise, there is no local minimum to leave.
    """
    losses = _losses_by_start(evidence.starts)
    if losses is None:
        return Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (starts)")
    obstacle = obstacle_to(np.isfinite(losses["huber"]).sum(axis=1))
    without, least = _spread_without_noise(evidence.starts), widened(NO_MORE_THAN)
    verdicts = []
    found = [f"without noise it spreads by {100 * without:.2f} % over starts"]
    for other in ("gaussian", "laplace"):
        spread = pooled_spread_ratio(losses["huber"], losses[other])
        best = _best_quarter_ratio(losses["huber"], losses[other])
        verdicts.append(pooled_verdict(best))
        found.append(
            f"against {MECHANISM_LABELS[other]} noise spread {percent(spread.estimate)}, best "
            f"quarter {percent(best.estimate)} ({percent(best.low)} to {percent(best.high)})"
        )
    return Finding(
        INCONCLUSIVE if obstacle else CONTRADICTED if without <= least else combined(verdicts),
        UNREPORTED,
        effect=without,
        n=best.trials,
        reason=f"{obstacle or 'training loss: ' + '; '.join(found)}; one matrix, other ranks are "
        f"open; {NOT_REPORTED}",
        margin=least,
        margin_of=OURS,
    )


def _spread_without_noise(table: pd.DataFrame) -> float:
    """Return the largest standard deviation over starts of log training loss, NaN without any."""
    rows = table[table["mechanism"] == "none"]
    logs = pd.Series(log_positive(rows["training_loss"]), index=rows.index)
    return float(logs.groupby([rows[name] for name in CELL], dropna=False).std().max())


def _late_iterations(table: pd.DataFrame | None) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the log ratios iterate / right-hand side of late spread and of final RMSE.

    Both have shape (cells, trials). None if the table lacks either noise target.
    """
    if table is None or not {"iterate", "right_hand_side"} <= set(table["noise_target"]):
        return None
    keys = ["dataset", *CELL, "mechanism", "trial"]
    late = table[table["iteration"] > (1 - LATE) * table["iteration"].max()]
    by_run = late.sort_values("iteration").groupby([*keys, "noise_target"], dropna=False)
    runs = by_run["rmse_all"].agg(["std", "last"]).unstack("noise_target").dropna()
    rows = runs.index.to_frame(index=False)
    ratios = (
        log_positive(runs[value, "iterate"]) - log_positive(runs[value, "right_hand_side"])
        for value in ("std", "last")
    )
    spread, final = (trial_matrix(rows, ratio, keys[:-1])[1] for ratio in ratios)
    return spread, final


def _losses_by_start(table: pd.DataFrame | None) -> dict[str, np.ndarray] | None:
    """Return log training loss by mechanism, shape (cells and data sets, starts)."""
    noises = ("huber", "gaussian", "laplace")
    if table is None or not set(noises) <= set(table["mechanism"]):
        return None
    table = table[table["mechanism"].isin(noises)]
    wide = table.pivot_table(
        index=["mechanism", *CELL, "trial"], columns="start", values="training_loss"
    )
    cells = sorted(set.intersection(*(set(wide.loc[noise].index) for noise in noises)))
    losses = {noise: log_positive(wide.loc[noise].reindex(cells)) for noise in noises}
    complete = np.isfinite(np.concatenate(list(losses.values()))).all(axis=0)
    return {noise: values[:, complete] for noise, values in losses.items()} if cells else None


def _best_quarter_ratio(first: np.ndarray, second: np.ndarray) -> Interval:
    """Bootstrap over starts the difference of the mean log loss of the best quarter of them.

    A quarter and not the single best, whose bootstrap distribution is degenerate.
    """
    starts = first.shape[1]

    def best(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        order = np.argsort(values)
        drawn = weights[:, order]
        wanted = BEST * starts
        taken = np.clip(wanted - (np.cumsum(drawn, axis=1) - drawn), 0, drawn)
        return taken @ values[order] / wanted

    def difference(weights: np.ndarray) -> np.ndarray:
        pairs = zip(first, second, strict=True)
        return np.mean([best(a, weights) - best(b, weights) for a, b in pairs], axis=0)

    return bootstrap_interval(difference, starts)
