"""Claims that need an experiment of their own: H35 (noise target) and H36 (many starts)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    FACT,
    INCONCLUSIVE,
    NO_MORE_THAN,
    NOT_REPORTED,
    OURS,
    UNREPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import (
    Sample,
    explained,
    judge_pooled,
    mirrored,
    not_available,
    percent,
)
from dpmc_studies.frame.judging.verdicts import at_least, combined, obstacle_to, pooled_verdict
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.experiments.common import MECHANISMS, NOISES

MUCH_WIDER = 3.0
LATE = 0.2  # the last fifth of the iterations
CELL = ["rank", "variance", "observed_fraction", "method"]


@claim("H35")
def noise_on_the_iterates_prevents_convergence(evidence: Evidence) -> Finding:
    sides = _late_iterations(evidence.convergence)
    if sides is None:
        return not_available("convergence")
    obstacle = obstacle_to(np.isfinite(sides[1]).sum(axis=1))
    choices = evidence.choices
    ratio, higher, least = *map(choices.pooled, sides), choices.widened(MUCH_WIDER)
    verdicts = [
        at_least(ratio, np.log(least)),
        pooled_verdict(mirrored(higher), choices=choices),
    ]
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
    return judge_settled(evidence, "huber", "gaussian")


def judge_settled(evidence: Evidence, lower: str, than: str) -> Finding:
    """Judge whether one noise leads to lower minima than another one.

    At a rank where all starts end in one minimum there is no other to leave.
    """
    table = evidence.starts
    if table is None or not set(MECHANISMS) <= set(table["mechanism"]):
        return not_available("starts")
    losses = _settled_losses(table)
    spreads = losses.loc["none"].std(axis=1).groupby("rank").max()
    several = spreads.index[spreads > evidence.choices.widened(NO_MORE_THAN)]
    judged = several if len(several) else spreads.index
    settled = {noise: losses.loc[noise].loc[judged].to_numpy() for noise in NOISES}
    rows = settled[lower] - settled[than]
    found = judge_pooled(Sample(rows, np.full((len(rows), 1), np.nan), evidence.choices))
    against = evidence.choices.pooled(settled["huber"] - settled["laplace"])
    apart = ", ".join(f"{100 * spread:.2f} % at rank {rank}" for rank, spread in spreads.items())
    found = explained(
        found,
        f"Settled without noise, log loss scatters by {apart} over starts; Huber against Laplace "
        f"noise {percent(against.estimate)}",
    )
    if len(several) or obstacle_to(np.array([losses.shape[1]])):
        return found
    return replace(found, verdict=CONTRADICTED, rule=FACT, needed=np.nan, p_value=np.nan)


def _settled_losses(table: pd.DataFrame) -> pd.DataFrame:
    """Return log settled loss: a row for each mechanism, rank and method, a column for each start.

    Starts that one of them lacks are left out.
    """
    wide = table.pivot_table(
        index=["mechanism", "rank", "method"], columns="start", values="settled_loss"
    )
    return np.log(wide.where(wide > 0)).dropna(axis=1)


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
