"""Claims about MovieLens 100K and SweetRS: H18 and H20 to H22."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import (
    ALL,
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    OURS,
    SUPPORTED,
    UNREPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import judge_all, judge_pooled, not_available
from dpmc_studies.frame.judging.verdicts import (
    all_verdict,
    at_least,
    has_no_effect,
    obstacle_to,
    tally,
    verdict_of,
)
from dpmc_studies.statistics.bootstrap import bootstrap_interval
from dpmc_studies.statistics.tests import Interval, mean_interval
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import (
    FRACTIONS,
    RANKS,
    Contrast,
    LogRmse,
    delta,
    deltas,
    synthetic_cell,
    synthetic_grid,
)
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.reported.numbers import IRLS_ITERATIONS, REAL_RANK

MOVIELENS = [("ml-100k", 0.051)]
SWEETRS = [("sweetrs", fraction) for fraction in FRACTIONS]
# The private columns of the paper's tables 4 and 5, with their noiseless counterparts.
PRIVATE = {"gaussian": "als", "laplace": "irls", "huber": "irls"}
MUCH_DEARER = 3.0
ORDERS_OF_MAGNITUDE = 10.0


@claim("H18")
def twenty_inner_iterations_much_dearer(evidence: Evidence) -> Finding:
    """ALS is A-IRLS with K = 1, which solves one regression for each item as ALS does."""
    if evidence.timing is None or evidence.timing.empty:
        return not_available("timing")
    ratios = {
        (kernel, inner): _log_seconds_ratio(evidence.timing, kernel, inner)
        for kernel in ("direct", "fast")
        for inner in (20, 2)
    }
    direct = ratios["direct", 20]
    counts, ratio = (
        tally(-direct, -np.log(evidence.choices.widened(MUCH_DEARER))),
        _over_repeats(direct),
    )
    texts = [
        f"{np.exp(np.nanmean(each)):.1f} at K = {inner} ({kernel} kernel)"
        for (kernel, inner), each in ratios.items()
        if np.isfinite(each).any()
    ]
    found = f"seconds of A-IRLS over those of ALS: {', '.join(texts)}"
    return Finding(
        all_verdict(counts),
        UNREPORTED,
        ratio.estimate,
        ratio.low,
        ratio.high,
        ratio.trials,
        f"{counts.obstacle or found}; {NOT_REPORTED}",
        ALL,
        evidence.choices.widened(MUCH_DEARER),
        OURS,
    )


@claim("H20")
def gaussian_takes_over_as_the_fraction_grows(evidence: Evidence) -> Finding:
    small, _, large = (_huber_minus_others(evidence, place)[0] * -1 for place in SWEETRS)
    level = judge_pooled(evidence.sample([large]))
    found = judge_all(evidence.sample([large, large - small]))
    return replace(
        found,
        effect=level.effect,
        interval_low=level.interval_low,
        interval_high=level.interval_high,
        reason=f"delta at 15 % and its fall since 5 %: {found.reason}",
    )


@claim("H21")
def sweetrs_shows_the_synthetic_trend(evidence: Evidence) -> Finding:
    pairs = [
        (evidence.sample([real]), evidence.sample(synthetic))
        for place in SWEETRS
        for real, synthetic in zip(
            _huber_minus_others(evidence, place), _synthetic_trend(place[1]), strict=True
        )
    ]
    effects = [[part.choices.pooled(part.ours) for part in pair] for pair in pairs]
    signs = [[_sign(part.reported.mean(), part.choices) for part in pair] for pair in pairs]
    agree = sum(np.sign(a.estimate) == np.sign(b.estimate) for a, b in effects)
    theirs = sum(a == b for a, b in signs)
    sweetrs = evidence.sample(
        [row for place in SWEETRS for row in _huber_minus_others(evidence, place)]
    )
    overall = judge_pooled(sweetrs)
    none = all(has_no_effect(part.ours, part.choices) for part, _ in pairs)
    parts = [sweetrs, *(synthetic for _, synthetic in pairs)]
    obstacles = [tally(part.ours).obstacle for part in parts]
    return replace(
        overall,
        verdict=INCONCLUSIVE if any(obstacles) else _signs_verdict(effects, none),
        reported_verdict=_reported_signs_verdict(signs),
        reason=next(filter(None, obstacles), "")
        or f"signs agree in {agree} of {len(effects)} (reported: {theirs}); "
        f"SweetRS {overall.reason}",
    )


@claim("H22")
def privacy_costs_much_less_on_sweetrs(evidence: Evidence) -> Finding:
    synthetic, real = _gaps(evidence, evidence.ours)
    trials = np.minimum(np.isfinite(synthetic).sum(axis=1).min(), np.isfinite(real).sum(axis=1))
    obstacle = obstacle_to(trials)
    ratio = _ratio_of_means(synthetic, real)
    reported_synthetic, reported_real = _gaps(evidence, evidence.reported)
    reported = reported_synthetic.mean() / reported_real.mean()
    found = (
        f"relative gap {np.nanmean(synthetic):.3f} on synthetic data, {np.nanmean(real):.3f} "
        f"on SweetRS; reported ratio {reported:.1f}"
        if not obstacle
        else ""
    )
    least = evidence.choices.widened(ORDERS_OF_MAGNITUDE)
    factors = _by_variance(evidence)
    verdicts = {at_least(_scaled(ratio, factor), least) for factor in factors.values()}
    verdicts.add(at_least(ratio, least))
    if factors and not obstacle:
        parts = [f"{factor * ratio.estimate:.1f} at {v:g}" for v, factor in factors.items()]
        found += (
            "; the noise variance on SweetRS is not stated, and with the gap in proportion to that "
            f"of ALS + G the ratio is {', '.join(parts)}"
        )
    return Finding(
        INCONCLUSIVE if obstacle or len(verdicts) > 1 else verdicts.pop(),
        verdict_of(reported >= least),
        ratio.estimate,
        ratio.low,
        ratio.high,
        int(trials.min()),
        obstacle or found,
        margin=least,
        margin_of=OURS,
    )


def _by_variance(evidence: Evidence) -> dict[float, float]:
    """Return the factor of the ratio of gaps at each noise variance that was run on SweetRS.

    It is the gap of ALS + G at the variance of the grid over that at the other one; empty if there
    are no such trials.
    """
    table = evidence.sweetrs_variances
    if table is None or table.empty:
        return {}
    gaps = gaps_by_variance(table).mean(axis=1)
    own = evidence.real_variances["sweetrs"]
    return (gaps[own] / gaps).to_dict() if own in gaps.index else {}


def _scaled(interval: Interval, factor: float) -> Interval:
    return interval._replace(
        estimate=factor * interval.estimate, low=factor * interval.low, high=factor * interval.high
    )


def gaps_by_variance(table: pd.DataFrame) -> pd.DataFrame:
    """Return RMSE_private / RMSE_none - 1 of ALS + G on SweetRS: a row per variance, by trial."""
    errors = table.set_index("trial")["rmse_heldout"]
    none = errors[table["variance"].isna().to_numpy()]
    rows = {
        variance: errors[(table["variance"] == variance).to_numpy()] / none - 1
        for variance in sorted(table["variance"].dropna().unique())
    }
    return pd.DataFrame(rows).T


def real_cell(
    evidence: Evidence,
    dataset: str,
    fraction: float,
    mechanism: str,
    *,
    method: str | None = None,
    irls_iterations: int = IRLS_ITERATIONS,
) -> Cell:
    """Return a cell of the papers' tables 4 and 5, whose method follows from the noise."""
    method = method or PRIVATE[mechanism]
    inner = irls_iterations if method == "irls" else None
    variance = evidence.real_variances[dataset]
    return Cell(dataset, REAL_RANK, variance, fraction, method, mechanism, inner)


def _huber_minus_others(evidence: Evidence, place: tuple[str, float]) -> list[Contrast]:
    """Return delta(A-IRLS+H, ALS+G) and delta(A-IRLS+H, A-IRLS+L)."""
    huber, gaussian, laplace = (
        real_cell(evidence, *place, noise) for noise in ("huber", "gaussian", "laplace")
    )
    return [delta(huber, gaussian), delta(huber, laplace)]


def _synthetic_trend(fraction: float) -> list[list[Contrast]]:
    """Return the synthetic counterparts of :func:`_huber_minus_others`, all ranks and variances."""
    columns = {
        noise: synthetic_grid(noise, fractions=[fraction], methods=[method])
        for noise, method in PRIVATE.items()
    }
    return [deltas(columns["huber"], columns[other]) for other in ("gaussian", "laplace")]


def _sign(mean: float, choices: Choices) -> float:
    low, high = choices.margin()
    return 0.0 if low <= mean <= high else float(np.sign(mean))


def _reported_signs_verdict(signs: list[list[float]]) -> str:
    """Judge pairs of signs, SweetRS first, 0 where an effect is not worth naming."""
    if not any(real for real, _ in signs):
        return NO_EFFECT
    if any(real * synthetic < 0 for real, synthetic in signs):
        return CONTRADICTED
    return SUPPORTED if all(real * synthetic > 0 for real, synthetic in signs) else INCONCLUSIVE


def _signs_verdict(effects: list[list[Interval]], no_effect: bool) -> str:
    """Judge pairs of effects: all signs proven and equal, or any two proven and opposite.

    No effect if none of those on SweetRS is worth naming: there is no trend.
    """
    if no_effect:
        return NO_EFFECT
    proven = [[(e.low > 0) * 1 - (e.high < 0) * 1 for e in pair] for pair in effects]
    if any(a * b < 0 for a, b in proven):
        return CONTRADICTED
    return SUPPORTED if all(a * b > 0 for a, b in proven) else INCONCLUSIVE


def _gaps(evidence: Evidence, table: LogRmse) -> tuple[np.ndarray, np.ndarray]:
    """Return RMSE_private / RMSE_none - 1 by cell and trial: synthetic at variance 1, SweetRS."""
    synthetic = [
        delta(*(synthetic_cell(rank, 1.0, fraction, method, m) for m in (noise, "none")))
        for rank in RANKS
        for _, fraction in SWEETRS
        for noise, method in PRIVATE.items()
    ]
    real = [
        delta(*(real_cell(evidence, *place, m, method=method) for m in (noise, "none")))
        for place in SWEETRS
        for noise, method in PRIVATE.items()
    ]
    return np.expm1(table.matrix(synthetic)), np.expm1(table.matrix(real))


def _ratio_of_means(first: np.ndarray, second: np.ndarray) -> Interval:
    """Bootstrap the ratio of two means over cells and trials; NaN where the second is not > 0."""
    usable = np.isfinite(first).all(axis=0) & np.isfinite(second).all(axis=0)
    rows = [values[:, usable].mean(axis=0) for values in (first, second)]

    def ratio(weights: np.ndarray) -> np.ndarray:
        above, below = (weights @ row for row in rows)
        return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)

    return bootstrap_interval(ratio, int(usable.sum()))


def _log_seconds_ratio(timing: pd.DataFrame, kernel: str, inner: int) -> np.ndarray:
    """Return log(seconds at K = inner / seconds at K = 1), shape (data sets and ranks, repeats)."""
    rows = timing[timing["kernel"] == kernel]
    seconds = rows.pivot_table(
        index=["dataset", "rank"], columns=["irls_iterations", "repeat"], values="seconds"
    )
    if not {1, inner} <= set(rows["irls_iterations"]):
        return np.full((1, 1), np.nan)
    many, few = seconds[inner].align(seconds[1], join="outer")
    return np.log(many / few).to_numpy()


def _over_repeats(log_ratio: np.ndarray) -> Interval:
    """Return the geometric mean ratio over data sets, with a t-interval over repeats."""
    pooled = mean_interval(log_ratio.mean(axis=0))
    return pooled._replace(
        estimate=np.exp(pooled.estimate), low=np.exp(pooled.low), high=np.exp(pooled.high)
    )
