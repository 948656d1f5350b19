"""Claims about what effects depend on, on synthetic data: H8, H10, H16 and H53."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import Sample, all_of, judge_all, judge_pooled
from dpmc_studies.frame.judging.verdicts import has_no_effect, tally
from dpmc_studies.statistics.tests import Interval
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.claims.contrasts import (
    RANKS,
    TABLE_3,
    Contrast,
    average,
    between,
    deltas,
    synthetic_grid,
)
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.differences import OTHERS
from dpmc_studies.studies.huber.experiments.common import NOISES


def less_noise(noise: str, **part) -> list[Contrast]:
    """Return delta(variance 1, variance 2) with one kind of noise."""
    return deltas(
        synthetic_grid(noise, variances=[1.0], **part),
        synthetic_grid(noise, variances=[2.0], **part),
    )


def irls_minus_als(**part) -> list[Contrast]:
    """Return delta(A-IRLS, ALS) with Huber noise, in the grid or in a part of it."""
    irls, als = (synthetic_grid("huber", methods=[method], **part) for method in ("irls", "als"))
    return deltas(irls, als)


@claim("H8")
def gain_of_irls_largest_at_small_fractions(evidence: Evidence) -> Finding:
    """Judge what is reported in table 3 alone, which the sentence is about."""

    def small_minus_large(ranks: Sequence[int]) -> Sample:
        small, large = (irls_minus_als(ranks=ranks, fractions=[share]) for share in (0.05, 0.15))
        return evidence.sample(a - b for a, b in zip(small, large, strict=True))

    ours, reported = map(small_minus_large, (RANKS, TABLE_3))
    return judge_pooled(ours._replace(reported=reported.reported))


@claim("H10")
def variance_matters_most_at_the_lowest_fraction(evidence: Evidence) -> Finding:

    def effect(rank: int, fraction: float) -> Contrast:
        part = {"ranks": [rank], "fractions": [fraction]}
        return average([row for noise in NOISES for row in less_noise(noise, **part)])

    rows = [
        effect(rank, 0.05) - effect(rank, fraction) for rank in RANKS for fraction in (0.1, 0.15)
    ]
    return judge_all(evidence.sample(rows))


@claim("H16")
def error_grows_with_rank_and_variance_matters(evidence: Evidence) -> Finding:
    steps = [deltas(_all_columns(low), _all_columns(high)) for low, high in pairwise(RANKS)]
    growth = judge_all(evidence.sample(steps[0] + steps[1]))

    def less(rank: int) -> list[Contrast]:
        return [row for noise in NOISES for row in less_noise(noise, ranks=[rank])]

    return all_of([growth, _same_sign(evidence, "variance 1 against 2", less)])


@claim("H53")
def trends_of_noise_and_method_stay(evidence: Evidence) -> Finding:
    trends = {
        "Huber against the others": _huber_minus_others,
        "A-IRLS against ALS": lambda rank: irls_minus_als(ranks=[rank]),
    }
    return all_of([_same_sign(evidence, name, rows) for name, rows in trends.items()])


def _all_columns(rank: int) -> list[Cell]:
    return [cell for noise in ("none", *NOISES) for cell in synthetic_grid(noise, ranks=[rank])]


def _huber_minus_others(rank: int) -> list[Contrast]:
    return [row for other in OTHERS for row in between("huber", other, ranks=[rank])]


def _same_sign(evidence: Evidence, name: str, rows_at) -> Finding:
    samples = [evidence.sample(rows_at(rank)) for rank in RANKS]
    effects = [sample.choices.pooled(sample.ours) for sample in samples]
    reported = [float(sample.reported.mean()) for sample in samples]
    obstacle = next(filter(None, (tally(sample.ours).obstacle for sample in samples)), "")
    notable = [
        effect
        for effect, sample in zip(effects, samples, strict=True)
        if not has_no_effect(sample.ours, sample.choices)
    ]
    whole = evidence.choices.pooled(np.vstack([sample.ours for sample in samples]))
    low, high = evidence.choices.margin()
    signs = {np.sign(mean) for mean in reported if not low < mean < high}
    return Finding(
        INCONCLUSIVE if obstacle else same_sign_verdict(notable),
        NO_EFFECT if not signs else CONTRADICTED if len(signs) > 1 else SUPPORTED,
        whole.estimate,
        whole.low,
        whole.high,
        whole.trials,
        obstacle
        or f"{name} at ranks 5, 10, 20: {_percents(e.estimate for e in effects)} % (reported: "
        f"{_percents(reported)} %)",
    )


def _percents(log_ratios: Iterable[float]) -> str:
    return ", ".join(f"{100 * np.expm1(each):+.2f}" for each in log_ratios)


def same_sign_verdict(effects: Sequence[Interval]) -> str:
    """Judge whether effects that are worth naming share their sign.

    Supported if all estimates have one sign, no effect if there are none; contradicted if two
    intervals lie on opposite sides of 0.
    """
    if not effects:
        return NO_EFFECT
    if not all(np.isfinite(effect.low) for effect in effects):
        return INCONCLUSIVE
    if any(effect.low > 0 for effect in effects) and any(effect.high < 0 for effect in effects):
        return CONTRADICTED
    signs = {np.sign(effect.estimate) for effect in effects}
    return SUPPORTED if len(signs) <= 1 else INCONCLUSIVE
