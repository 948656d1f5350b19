"""Claims that need an experiment beside the grid: H18, H35, H36, H38 to H44 and H60.

H40, H42 and H43 compare speed: the seconds until the RMSE is within 1 % of the method's own
minimum. This measure depends neither on when a method stops nor on how low its minimum is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import (
    ALL,
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
    Rows,
    Sample,
    all_of,
    always_below,
    explained,
    judge_pooled,
    mirrored,
    mostly_below,
    named,
    not_available,
    percent,
)
from dpmc_studies.frame.judging.verdicts import (
    all_verdict,
    at_least,
    combined,
    obstacle_to,
    pooled_verdict,
    tally,
)
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS, select
from dpmc_studies.statistics.tests import log_positive, mean_interval, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim_of
from dpmc_studies.studies.huber.experiments.common import MECHANISMS, NOISES
from dpmc_studies.studies.huber.statistics import THESIS_LABELS, seconds_and_errors

MUCH_DEARER, MUCH_WIDER = 3.0, 3.0
LATE = 0.2  # the last fifth of the iterations
CELL = ["rank", "variance", "observed_fraction", "method"]
STOPPED = 20  # iterations on MovieLens 100K in the papers

Measured = Mapping[str, pd.DataFrame]
MUCH = 3.0  # times as fast
ADEQUATE = 0.1  # more error than the exact method
ALS = ("als", "als_published")


@claim_of("H18", "timing", "timing")
def twenty_inner_iterations_much_dearer(evidence: Evidence, timing: pd.DataFrame) -> Finding:
    """ALS is A-IRLS with K = 1, which solves one regression for each item as ALS does."""
    seconds = timing.pivot_table(
        index=["dataset", "rank"], columns=["irls_iterations", "repeat"], values="seconds"
    )
    if not {1, 20} <= set(seconds.columns.get_level_values(0)):
        return not_available("timing")
    many, few = seconds[20].align(seconds[1], join="outer")
    logs = np.log(many / few).to_numpy()
    least = evidence.choices.widened(MUCH_DEARER)
    counts, ratio = tally(-logs, -np.log(least)), mean_interval(logs.mean(axis=0))
    found = f"seconds of A-IRLS over those of ALS: {np.exp(ratio.estimate):.1f}"
    return Finding(
        all_verdict(counts),
        UNREPORTED,
        *np.exp([ratio.estimate, ratio.low, ratio.high]),
        ratio.trials,
        f"{counts.obstacle or found}; {NOT_REPORTED}",
        ALL,
        least,
        OURS,
    )


@claim_of("H35", "convergence", "convergence")
def noise_on_the_iterates_prevents_convergence(evidence: Evidence, table: pd.DataFrame) -> Finding:
    if not {"iterate", "right_hand_side"} <= set(table["noise_target"]):
        return not_available("convergence")
    spread, final = _late_iterations(table)
    obstacle = obstacle_to(np.isfinite(final).sum(axis=1))
    choices = evidence.choices
    ratio, higher, least = *map(choices.pooled, (spread, final)), choices.widened(MUCH_WIDER)
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


def _late_iterations(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the log ratios iterate / right-hand side of late spread and of final RMSE.

    Both have shape (cells, trials).
    """
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


@claim_of("H36", "starts", "starts")
def huber_escapes_local_minima(evidence: Evidence, starts: pd.DataFrame) -> Finding:
    return _settled_lower(evidence, starts, "huber", "gaussian")


@claim_of("H60", "starts", "starts")
def laplace_leads_to_other_minima(evidence: Evidence, starts: pd.DataFrame) -> Finding:
    return _settled_lower(evidence, starts, "gaussian", "laplace")


def _settled_lower(evidence: Evidence, starts: pd.DataFrame, noise: str, than: str) -> Finding:
    """Judge whether one noise leads to lower minima than another one.

    At a rank where all starts end in one minimum there is no other to leave. Starts that a
    mechanism lacks are left out.
    """
    if not set(MECHANISMS) <= set(starts["mechanism"]):
        return not_available("starts")
    wide = starts.pivot_table(
        index=["mechanism", "rank", "method"], columns="start", values="settled_loss"
    )
    losses = np.log(wide.where(wide > 0)).dropna(axis=1)
    spreads = losses.loc["none"].std(axis=1).groupby("rank").max()
    several = spreads.index[spreads > evidence.choices.widened(NO_MORE_THAN)]
    judged = several if len(several) else spreads.index
    settled = {name: losses.loc[name].loc[judged].to_numpy() for name in NOISES}
    rows = settled[noise] - settled[than]
    found = judge_pooled(Sample(rows, np.full((len(rows), 1), np.nan), evidence.choices))
    apart = ", ".join(f"{100 * spread:.2f} % at rank {rank}" for rank, spread in spreads.items())
    found = explained(
        found,
        f"{MECHANISM_LABELS[noise]} against {MECHANISM_LABELS[than]} noise. Settled without noise, "
        f"log loss scatters by {apart} over starts",
    )
    if len(several) or obstacle_to(np.array([losses.shape[1]])):
        return found
    return replace(found, verdict=CONTRADICTED, rule=FACT, needed=np.nan, p_value=np.nan)


@claim_of("H38", "weights", "weights")
def irls_handles_the_large_deviations(evidence: Evidence, weights: pd.DataFrame) -> Finding:
    ratios = log_positive(weights["rmse_irls"]) - log_positive(weights["rmse_als"])
    cells, matrix = trial_matrix(weights, ratios, COORDINATES)
    labels = cells[["rank", "variance", "observed_fraction"]].itertuples(index=False)
    rows = {
        f"rank {rank:g}, variance {variance:g}, {100 * fraction:g} %": values
        for (rank, variance, fraction), values in zip(labels, matrix, strict=True)
    }
    shares = weights.groupby("variance")["below_one"].mean().items()
    told = ", ".join(f"{100 * share:.2g} % at variance {variance:g}" for variance, share in shares)
    found = mostly_below(rows, choices=evidence.choices)
    return replace(found, reason=f"weights below 1: {told}; {found.reason}; {NOT_REPORTED}")


@claim_of("H39", "heldout", "held-out errors by iteration")
def more_iterations_overfit(evidence: Evidence, heldout: pd.DataFrame) -> Finding:
    return _later_is_worse(evidence, heldout[heldout["mechanism"] == "none"])


@claim_of("H44", "heldout", "held-out errors by iteration")
def more_iterations_overfit_with_noise(evidence: Evidence, heldout: pd.DataFrame) -> Finding:
    return _later_is_worse(evidence, heldout[heldout["mechanism"] != "none"])


def _later_is_worse(evidence: Evidence, heldout: pd.DataFrame) -> Finding:
    last = heldout["iteration"].max()
    if not last > STOPPED:
        return not_available("held-out errors by iteration")
    rows, told = {}, []
    for mechanism in heldout["mechanism"].unique():
        errors = select(heldout, mechanism=mechanism).pivot_table(
            index="iteration", columns="trial", values="rmse_heldout"
        )
        logs, means = np.log(errors), errors.mean(axis=1)
        name = MECHANISM_LABELS[mechanism]
        rows[name] = (logs.loc[STOPPED] - logs.loc[last]).to_numpy()
        told.append(
            f"{name} {means.min():.3f} after {means.idxmin()}, {means[STOPPED]:.3f} after "
            f"{STOPPED}, {means[last]:.3f} after {last}"
        )
    found = always_below(rows, choices=evidence.choices)
    reason = f"held-out error, least first: {'; '.join(told)}; {found.reason}; {NOT_REPORTED}"
    return replace(found, reason=reason)


def _of_methods(identifier: str) -> Callable:
    """Register a predicate of what was measured of the four methods of the thesis."""

    def register(predicate: Callable[[Measured, Choices], Finding]) -> Callable:
        @claim_of(identifier, "thesis_methods", "seconds and errors of the four methods")
        def judged(evidence: Evidence, table: pd.DataFrame) -> Finding:
            found = predicate(seconds_and_errors(table), evidence.choices)
            told = f"MovieLens 100K, as the chapter names no data; {found.reason}; {NOT_REPORTED}"
            return replace(found, reason=told)

        return predicate

    return register


@_of_methods("H40")
def factorisations_are_fast_and_adequate(measured: Measured, choices: Choices) -> Finding:
    both = ("fast_tri", "als")
    much, adequate = -np.log(choices.widened(MUCH)), np.log1p(choices.widened(ADEQUATE))
    near, whole = (
        always_below(_ratios(measured[name], both, "svt"), much) for name in ("seconds", "total")
    )
    told = f"to near the least error {near.reason}; of the whole fit {whole.reason}"
    agreed = near.verdict if near.verdict == whole.verdict else INCONCLUSIVE
    speed = replace(near, verdict=agreed, reason=told)
    error = always_below(_ratios(measured["rmse"], both, "svt"), adequate)
    return all_of([speed, named("least error", error)])


@_of_methods("H41")
def small_matrices_save_much(measured: Measured, choices: Choices) -> Finding:
    ratios = _ratios(measured["step"], ("fast_tri",), "svt")
    return always_below(ratios, -np.log(choices.widened(MUCH)))


def _als_is_faster(than: str, measured: Measured, choices: Choices) -> Finding:
    """Judge whether ALS takes fewer seconds, however few: the margin of 1 % is one of errors."""
    found = always_below(_ratios(measured["seconds"], ALS, than))
    return replace(found, margin=np.nan, margin_of="")


_of_methods("H42")(partial(_als_is_faster, "fast_tri"))
_of_methods("H43")(partial(_als_is_faster, "svt"))


def _ratios(measured: pd.DataFrame, names: tuple[str, ...], other: str) -> Rows:
    """Return by method the log ratio to another one, by trial."""
    logs = np.log(measured)
    return {
        f"{THESIS_LABELS[name]} over {THESIS_LABELS[other]}": (logs[name] - logs[other]).to_numpy()
        for name in names
    }
