"""Claims about privacy budgets, from formulas alone: H23 to H27, H45, H52, H58, H59 and R7."""

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
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NO_EFFECT,
    NOT_REPORTED,
    OURS,
    SUPPORTED,
    Finding,
)
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
STRICT, LOOSE = 0.1, 10.0  # total epsilon

NOISES = ("gaussian", "huber", "laplace")

Budget = Callable[[str, float], float]
Values = Callable[[Budget, Budget], list[float]]


def _budgets(evidence: Evidence) -> tuple[Budget, Budget, Budget]:
    """Return the budgets by the corrected formula, exactly, and as reported."""

    def lookup(table: pd.DataFrame, column: str) -> Budget:
        values = table.set_index(["mechanism", "variance"])[column].to_dict()
        return lambda mechanism, variance: values[mechanism, variance]

    ours = (lookup(evidence.budgets, f"epsilon_{name}") for name in ("corrected", "exact"))
    return *ours, lookup(evidence.reported_budgets, "published")


def _judged(
    evidence: Evidence, told: str, values: Values, holds: Callable[[list[float]], bool], effect: int
) -> Finding:
    """Judge values of a budget of Gaussian noise and those of the others.

    They are asked by the corrected formula and exactly, and of what is reported. The effect is the
    least of the two at that place.
    """
    corrected, exact, reported = _budgets(evidence)
    ours = [values(corrected, corrected), values(exact, corrected)]
    theirs = values(reported, reported)
    exactly = "" if ours[0] == ours[1] else f", exactly {_formatted(ours[1])}"
    return Finding(
        verdict_of(all(map(holds, ours))),
        verdict_of(holds(theirs)),
        effect=min(each[effect] for each in ours),
        reason=f"{told}: {_formatted(ours[0])}{exactly} (reported: {_formatted(theirs)})",
    )


@claim("H23")
def huber_budget_close_to_laplace(evidence: Evidence) -> Finding:
    most = close(evidence.choices)
    found = _judged(
        evidence,
        "epsilon Huber/Laplace at variance 2, 3, 4",
        lambda _, other: [other("huber", v) / other("laplace", v) for v in LARGER_VARIANCES],
        lambda ratios: max(ratios) <= most and bool((np.diff(ratios) < 0).all()),
        0,
    )
    return replace(found, margin=most, margin_of=OURS)


def close(choices: Choices) -> float:
    """Return the ratio up to which a budget is close to another one."""
    return 1 + choices.widened(CLOSE)


@claim("H24")
def gaussian_needs_the_largest_budget(evidence: Evidence) -> Finding:

    def excess(gaussian: Budget, other: Budget) -> list[float]:
        return sorted(
            gaussian("gaussian", v) / max(other("huber", v), other("laplace", v)) for v in VARIANCES
        )

    told = "epsilon of Gaussian over the next at variance 1 to 4, least first"
    return _judged(evidence, told, excess, lambda ratios: min(ratios) > 1, 0)


@claim("H25")
def gaussian_budget_falls_less_with_variance(evidence: Evidence) -> Finding:

    def falls_less(budget: Budget) -> str:
        gaussian, *others = (budget(noise, 4.0) / budget(noise, 1.0) for noise in NOISES)
        ratios = [gaussian / other for other in others]
        return combined(
            [NO_EFFECT if abs(each - 1) <= ROUNDING else verdict_of(each > 1) for each in ratios]
        )

    corrected, exact, reported = _budgets(evidence)
    ours = {noise: corrected(noise, 4.0) / corrected(noise, 1.0) for noise in NOISES}
    exactly = exact("gaussian", 4.0) / exact("gaussian", 1.0)
    return Finding(
        falls_less(corrected),
        falls_less(reported),
        effect=ours["gaussian"] / ours["laplace"],
        reason="epsilon at variance 4 over that at 1 with Gaussian, Huber and Laplace noise: "
        f"{_formatted(ours.values())} (Gaussian exactly {exactly:.3f})",
    )


@claim("H26")
def huber_budget_like_gaussian_at_low_variance(evidence: Evidence) -> Finding:
    most = np.log(close(evidence.choices))
    found = _judged(
        evidence,
        "abs log of epsilon Huber/Gaussian at variance 1 to 4",
        lambda gaussian, other: [
            abs(np.log(other("huber", v) / gaussian("gaussian", v))) for v in VARIANCES
        ],
        lambda values: values[0] < min(values[1:]) and values[0] <= most,
        0,
    )
    return replace(found, margin=most, margin_of=OURS)


@claim("H52")
def huber_is_a_middle_ground_in_privacy(evidence: Evidence) -> Finding:

    def ratios(gaussian: Budget, other: Budget) -> list[float]:
        above = [gaussian("gaussian", v) / other("huber", v) for v in LARGER_VARIANCES]
        return above + [other("huber", v) / other("laplace", v) for v in LARGER_VARIANCES]

    told = "epsilon Gaussian/Huber at variance 2, 3, 4, then Huber/Laplace"
    return _judged(evidence, told, ratios, lambda values: min(values) > 1, 0)


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
    return _much_less(evidence, _of_scale_one(**TRAINING) / laplace, f"1; {NOT_REPORTED}")


@claim("R7")
def scaled_huber_allows_less_noise_over_a_training(evidence: Evidence) -> Finding:
    huber, laplace = (calibrated(name, **TRAINING) for name in ("huber", "laplace"))
    told = f"{huber.scale:.3g} with a = {huber.a:.2g}, where it is nearly Gaussian noise"
    return _much_less(evidence, huber.var() / laplace.var(), told)


def _much_less(evidence: Evidence, ratio: float, told: str) -> Finding:
    most = 1 - evidence.choices.widened(MUCH_LESS)
    return Finding(
        verdict_of(ratio <= most),
        effect=ratio,
        margin=most,
        margin_of=OURS,
        reason=f"variance Huber/Laplace {ratio:.3f} at {RELEASES} releases, total epsilon "
        f"{TOTAL_EPSILON:g} and delta {TOTAL_DELTA:g}, at scale {told}",
    )


@claim("H58")
def gaussian_suffers_at_strict_budgets(evidence: Evidence) -> Finding:
    ratios = {
        releases: [1 / _laplace_over_gaussian(releases, epsilon) for epsilon in (STRICT, LOOSE)]
        for releases in (1, RELEASES)
    }
    grows = [strict > loose for strict, loose in ratios.values()]
    mixed = INCONCLUSIVE if any(grows) else CONTRADICTED
    told = ", ".join(f"{_formatted(pair)} over {releases}" for releases, pair in ratios.items())
    strict, loose = ratios[RELEASES]
    return Finding(
        SUPPORTED if all(grows) else mixed,
        effect=strict / loose,
        reason=f"variance Gaussian/Laplace at total epsilon {STRICT:g} and {LOOSE:g} and delta "
        f"{TOTAL_DELTA:g}: {told} releases; {NOT_REPORTED}",
    )


@claim("H59")
def laplace_needs_a_generous_budget_for_many_queries(evidence: Evidence) -> Finding:
    one, many = (_laplace_over_gaussian(releases, 1.0) for releases in (1, RELEASES))
    return Finding(
        verdict_of(many > max(one, 1.0)),
        effect=many,
        reason=f"variance Laplace/Gaussian at total epsilon 1 and delta {TOTAL_DELTA:g}: {one:.2f} "
        f"for one release, {many:.2f} for {RELEASES}; {NOT_REPORTED}",
    )


def _laplace_over_gaussian(releases: int, epsilon: float) -> float:
    budget = {"releases": releases, "epsilon": epsilon, "delta": TOTAL_DELTA}
    gaussian, laplace = (calibrated(name, **budget).var() for name in ("gaussian", "laplace"))
    return laplace / gaussian


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


def _formatted(values) -> str:
    return ", ".join(f"{value:.3f}" for value in values)
