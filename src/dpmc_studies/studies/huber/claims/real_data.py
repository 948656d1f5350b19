"""Claims about SweetRS: H20 to H22."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    OURS,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import judge_all, judge_pooled
from dpmc_studies.frame.judging.verdicts import (
    at_least,
    has_no_effect,
    obstacle_to,
    tally,
    verdict_of,
)
from dpmc_studies.statistics.bootstrap import bootstrap_interval
from dpmc_studies.statistics.tests import Interval
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
ORDERS_OF_MAGNITUDE = 10.0


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
    gaussian, laplace, huber = (real_cell(evidence, *place, noise) for noise in PRIVATE)
    return [delta(huber, gaussian), delta(huber, laplace)]


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
    low, high = evidence.choices.margin()
    proven = [[_sign(part.choices.pooled(part.ours)) for part in pair] for pair in pairs]
    means = [[part.reported.mean() for part in pair] for pair in pairs]
    printed = [[(mean > high) - (mean < low) * 1 for mean in pair] for pair in means]
    sweetrs = evidence.sample(
        [row for place in SWEETRS for row in _huber_minus_others(evidence, place)]
    )
    overall = judge_pooled(sweetrs)
    none = all(has_no_effect(part.ours, part.choices) for part, _ in pairs)
    parts = [sweetrs, *(synthetic for _, synthetic in pairs)]
    obstacle = next(filter(None, (tally(part.ours).obstacle for part in parts)), "")
    agree, theirs = (sum(a * b > 0 for a, b in signs) for signs in (proven, printed))
    return replace(
        overall,
        verdict=INCONCLUSIVE if obstacle else _signs_verdict(proven, none),
        reported_verdict=_signs_verdict(printed, not any(real for real, _ in printed)),
        reason=obstacle
        or f"signs are known and agree in {agree} of {len(pairs)} (reported: {theirs}); SweetRS "
        f"{overall.reason}",
    )


def _synthetic_trend(fraction: float) -> list[list[Contrast]]:
    """Return the synthetic counterparts of :func:`_huber_minus_others`, all ranks and variances."""
    gaussian, laplace, huber = (
        synthetic_grid(noise, fractions=[fraction], methods=[method])
        for noise, method in PRIVATE.items()
    )
    return [deltas(huber, gaussian), deltas(huber, laplace)]


def _sign(effect: Interval) -> int:
    """Return the sign of an effect, 0 where the interval has 0 inside."""
    return (effect.low > 0) * 1 - (effect.high < 0) * 1


def _signs_verdict(signs: Sequence[Sequence[int]], none: bool) -> str:
    """Judge pairs of signs, SweetRS first, 0 where one is not known or not worth naming.

    There is no effect if none on SweetRS is worth naming: there is no trend.
    """
    if none:
        return NO_EFFECT
    if any(real * synthetic < 0 for real, synthetic in signs):
        return CONTRADICTED
    return SUPPORTED if all(real * synthetic > 0 for real, synthetic in signs) else INCONCLUSIVE


@claim("H22")
def privacy_costs_much_less_on_sweetrs(evidence: Evidence) -> Finding:
    synthetic, real = _gaps(evidence, evidence.ours)
    trials = np.minimum(np.isfinite(synthetic).sum(axis=1).min(), np.isfinite(real).sum(axis=1))
    obstacle = obstacle_to(trials)
    ratio = _ratio_of_means(synthetic, real)
    reported_synthetic, reported_real = _gaps(evidence, evidence.reported)
    reported = reported_synthetic.mean() / reported_real.mean()
    least = evidence.choices.widened(ORDERS_OF_MAGNITUDE)
    factors = _by_variance(evidence)
    verdicts = {at_least(ratio, least / factor) for factor in (1, *factors.values())}
    told = ", ".join(f"{each * ratio.estimate:.1f} at {v:g}" for v, each in factors.items())
    found = (
        f"reported ratio {reported:.1f}; by noise variance on SweetRS, with the gap in proportion "
        f"to that of ALS + G: {told or 'not run'}"
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

    It is the gap of ALS + G at the variance of the grid over that at the other one, the gap being
    RMSE_private / RMSE_none - 1; empty if there are no such trials.
    """
    table = evidence.table("sweetrs_variances")
    if table is None:
        return {}
    errors = table.set_index("trial")["rmse_heldout"]
    none = errors[table["variance"].isna().to_numpy()]
    gaps = pd.Series(
        {
            variance: (errors[(table["variance"] == variance).to_numpy()] / none - 1).mean()
            for variance in sorted(table["variance"].dropna().unique())
        }
    )
    own = evidence.real_variances["sweetrs"]
    return (gaps[own] / gaps).to_dict() if own in gaps.index else {}


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
