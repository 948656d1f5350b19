"""Claims about privacy budgets, from formulas alone: H23 to H27, H45 and R7."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dpmc.mechanisms import Huber
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.compositions import compose, grid_step
from dpmc.privacy.losses import Loss
from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import NO_EFFECT, NOT_REPORTED, OURS, Finding
from dpmc_studies.frame.judging.verdicts import combined, verdict_of
from dpmc_studies.mechanism_facts import huber_to_laplace_variance
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim

CLOSE = 0.10  # a budget is close to another one
MUCH_LESS = 0.10  # less noise is much less
VARIANCES = (1.0, 2.0, 3.0, 4.0)
LARGER_VARIANCES = VARIANCES[1:]
# Ratios of budgets reported to three decimals carry a rounding error below this.
ROUNDING = 1e-3
FINE = 1e-4  # of epsilon, for the width of the grid at scale 1
RELEASES, TOTAL_EPSILON, TOTAL_DELTA = 50, 1.0, 1e-5  # the papers' T; of a whole training

TRAINING = {"releases": RELEASES, "epsilon": TOTAL_EPSILON, "delta": TOTAL_DELTA}

Budget = Callable[[str, float], float]


@claim("H23")
def huber_budget_close_to_laplace(evidence: Evidence) -> Finding:
    ours, reported = (
        [budget("huber", v) / budget("laplace", v) for v in LARGER_VARIANCES]
        for budget in (corrected_budget(evidence), reported_budget(evidence))
    )

    def verdict(ratios: list[float]) -> str:
        return verdict_of(
            max(ratios) <= close(evidence.choices) and bool((np.diff(ratios) < 0).all())
        )

    return Finding(
        verdict(ours),
        verdict(reported),
        effect=ours[0],
        reason=f"epsilon Huber/Laplace at variance 2, 3, 4: {_formatted(ours)} "
        f"(reported: {_formatted(reported)})",
        margin=close(evidence.choices),
        margin_of=OURS,
    )


def close(choices: Choices) -> float:
    """Return the ratio up to which a budget is close to another one."""
    return 1 + choices.widened(CLOSE)


@claim("H24")
def gaussian_needs_the_largest_budget(evidence: Evidence) -> Finding:

    def excess(gaussian: Budget, other: Budget) -> list[float]:
        return [
            gaussian("gaussian", v) / max(other("huber", v), other("laplace", v)) for v in VARIANCES
        ]

    corrected, reported = corrected_budget(evidence), reported_budget(evidence)
    ours = excess(corrected, corrected) + excess(exact_budget(evidence), corrected)
    theirs = excess(reported, reported)
    return Finding(
        verdict_of(min(ours) > 1),
        verdict_of(min(theirs) > 1),
        effect=min(ours),
        reason=f"epsilon of Gaussian over the next at least {min(ours):.3f}, formula and exact "
        f"(reported: {min(theirs):.3f})",
    )


@claim("H25")
def gaussian_budget_falls_less_with_variance(evidence: Evidence) -> Finding:

    def remaining(budget: Budget, noise: str) -> float:
        return budget(noise, 4.0) / budget(noise, 1.0)

    def falls_less(share: float, other: float) -> str:
        ratio = share / other
        return NO_EFFECT if abs(ratio - 1) <= ROUNDING else verdict_of(ratio > 1)

    corrected, exact, reported = (
        budget(evidence) for budget in (corrected_budget, exact_budget, reported_budget)
    )
    others = {noise: remaining(corrected, noise) for noise in ("huber", "laplace")}
    ours = [remaining(budget, "gaussian") for budget in (corrected, exact)]
    theirs = remaining(reported, "gaussian")
    return Finding(
        combined([falls_less(ours[0], other) for other in others.values()]),
        combined([falls_less(theirs, remaining(reported, noise)) for noise in others]),
        effect=ours[0] / others["laplace"],
        reason=f"epsilon at variance 4 over that at 1: Gaussian {ours[0]:.3f} by the formula and "
        f"{ours[1]:.3f} exactly, Laplace {others['laplace']:.3f}, Huber {others['huber']:.3f}",
    )


@claim("H26")
def huber_budget_like_gaussian_at_low_variance(evidence: Evidence) -> Finding:

    def distances(gaussian: Budget, huber: Budget) -> list[float]:
        return [abs(np.log(huber("huber", v) / gaussian("gaussian", v))) for v in VARIANCES]

    def similar_at_first(values: list[float]) -> bool:
        return values[0] < min(values[1:]) and values[0] <= np.log(close(evidence.choices))

    corrected, reported = corrected_budget(evidence), reported_budget(evidence)
    ours = [distances(gaussian, corrected) for gaussian in (corrected, exact_budget(evidence))]
    theirs = distances(reported, reported)
    return Finding(
        verdict_of(all(map(similar_at_first, ours))),
        verdict_of(similar_at_first(theirs)),
        effect=ours[0][0],
        reason=f"at variance 1 to 4 by the formula {_formatted(ours[0])}, exactly "
        f"{_formatted(ours[1])} (reported: {_formatted(theirs)})",
        margin=np.log(close(evidence.choices)),
        margin_of=OURS,
    )


@claim("H27")
def huber_allows_less_noise_than_laplace(evidence: Evidence) -> Finding:
    smallest = min(huber_to_laplace_variance(float(a)) for a in np.geomspace(1e-3, 30, 200))
    return Finding(
        verdict_of(smallest < 1 - 1e-9),
        effect=smallest,
        reason=f"variance Huber/Laplace at equal pure epsilon at least {smallest:.6f}, near 1 as "
        f"a falls to 0; over a training with delta above 0 see H45; {NOT_REPORTED}",
    )


@claim("H45")
def huber_allows_less_noise_over_a_training(evidence: Evidence) -> Finding:
    laplace = calibrated("laplace", **TRAINING).var()
    found = _much_less(evidence, _of_scale_one(**TRAINING) / laplace)
    return replace(found, reason=f"of scale 1, as in the papers, {found.reason}; {NOT_REPORTED}")


@claim("R7")
def scaled_huber_allows_less_noise_over_a_training(evidence: Evidence) -> Finding:
    huber, laplace, gaussian = (
        calibrated(name, **TRAINING) for name in ("huber", "laplace", "gaussian")
    )
    found = _much_less(evidence, huber.var() / laplace.var())
    return replace(
        found,
        reason=f"{found.reason}, with a = {huber.a:.2g} and a scale of {huber.scale:.3g}, where it "
        f"is nearly Gaussian noise: Huber/Gaussian {huber.var() / gaussian.var():.3f}",
    )


def _much_less(evidence: Evidence, ratio: float) -> Finding:
    most = 1 - evidence.choices.widened(MUCH_LESS)
    return Finding(
        verdict_of(ratio <= most),
        effect=ratio,
        margin=most,
        margin_of=OURS,
        reason=f"variance Huber/Laplace {ratio:.3f} at {RELEASES} releases, total epsilon "
        f"{TOTAL_EPSILON:g} and delta {TOTAL_DELTA:g}",
    )


@lru_cache
def calibrated(name: str, **budget: float):
    """Return the noise that is calibrated to a total budget."""
    return calibrate(name, **budget).noise


@lru_cache
def _of_scale_one(releases: int, epsilon: float, delta: float) -> float:
    """Return the least variance of Huber noise of scale 1 that keeps to a total budget."""

    def missing(log_a: float) -> float:
        loss = Loss(Huber(math.exp(log_a)), 1.0)
        step = grid_step([(loss, releases)], epsilon, FINE)
        return math.log(compose([(loss, releases)], step).epsilon(delta) / epsilon)

    a = math.exp(brentq(missing, math.log(epsilon / releases), math.log(1.0), xtol=FINE))
    return Huber(a).var()


def corrected_budget(evidence: Evidence) -> Budget:
    return _lookup(evidence.budgets, "epsilon_corrected")


def exact_budget(evidence: Evidence) -> Budget:
    return _lookup(evidence.budgets, "epsilon_exact")


def reported_budget(evidence: Evidence) -> Budget:
    return _lookup(evidence.reported_budgets, "published")


def _lookup(table: pd.DataFrame, column: str) -> Budget:
    values = table.set_index(["mechanism", "variance"])[column].to_dict()
    return lambda mechanism, variance: values[mechanism, variance]


def _formatted(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)
