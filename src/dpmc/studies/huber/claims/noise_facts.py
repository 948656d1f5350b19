"""Claims about the Huber distribution itself: H28 to H31."""

import numpy as np
from scipy import special

from dpmc.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NOT_REPORTED, SUPPORTED, Finding
from dpmc.frame.judging.rules import verdict_of
from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.mechanisms.facts import largest_log_ratio, published_inverse_cdf, total_variation
from dpmc.studies.huber.claims.evidence import Evidence, claim

SAMPLES = 1_000_000
LEVEL = 0.01
VARIANCES = (2.0, 3.0, 4.0)
TIGHT = 0.9
LIKE = 0.01


@claim("H28")
def budget_is_pure_and_tight(evidence: Evidence) -> Finding:
    """The largest log-ratio is a D to 1e-9, and an audit on samples proves 90 % of it."""
    rng = np.random.default_rng(evidence.seed)
    noises = [Huber.from_variance(variance) for variance in VARIANCES]
    errors = [abs(largest_log_ratio(noise, 1.0) / noise.epsilon(1.0) - 1) for noise in noises]
    proven = [audited_epsilon(noise, rng) / noise.epsilon(1.0) for noise in noises]
    return Finding(
        verdict_of(max(errors) <= 1e-9 and min(proven) >= TIGHT),
        INCONCLUSIVE,
        effect=min(proven),
        n=SAMPLES,
        reason=f"largest log-ratio is a D within {max(errors):.0e}; an audit at variance 2, 3, 4 "
        f"proves at least {100 * min(proven):.1f} % of it (95 % confidence); {NOT_REPORTED}",
    )


def audited_epsilon(noise: Huber, rng: np.random.Generator, samples: int = SAMPLES) -> float:
    """Return a 95 % lower bound on epsilon at sensitivity 1, from samples of both neighbours.

    The event is the tail beyond a + 1, where the likelihood ratio is largest.
    """
    beyond = noise.a * noise.scale + 1
    shifted = int((noise.rvs(samples, rng) + 1 >= beyond).sum())
    centred = int((noise.rvs(samples, rng) >= beyond).sum())
    return epsilon_of_counts(shifted, centred, samples)


def epsilon_of_counts(more: int, fewer: int, samples: int) -> float:
    """Return a 95 % lower bound on the log ratio of two probabilities, from ``samples`` each.

    Each is bounded by Clopper-Pearson at 2.5 %.
    """
    low = special.betaincinv(more, samples - more + 1, 0.025)
    high = special.betaincinv(fewer + 1, samples - fewer, 0.975)
    return float(np.log(low / high))


@claim("H29")
def like_gaussian_at_large_a_and_laplace_at_small_a(evidence: Evidence) -> Finding:
    """Total variation at equal variance at most .01: Gaussian for a >= 3, Laplace for a <= .7."""
    gaussian, laplace = (
        {a: total_variation(Huber(a), other.from_variance(Huber(a).var())) for a in parameters}
        for other, parameters in ((Gaussian, (3.0, 4.0, 6.0)), (Laplace, (0.7, 0.5, 0.3, 0.1)))
    )
    return Finding(
        verdict_of(max(*gaussian.values(), *laplace.values()) <= LIKE),
        INCONCLUSIVE,
        effect=max(laplace.values()),
        reason=f"total variation to Gaussian {gaussian[3.0]:.4f} at a = 3, to Laplace "
        f"{laplace[0.7]:.4f} at a = .7 and {laplace[0.1]:.4f} at a = .1; {NOT_REPORTED}",
    )


@claim("H30")
def variance_falls_to_one(evidence: Evidence) -> Finding:
    """var(3) < 1.005, falling in a, and var(8) - 1 < 1e-9."""
    at_three, at_eight = Huber(3.0).var(), Huber(8.0).var()
    variances = [Huber(float(a)).var() for a in np.geomspace(0.05, 6, 200)]
    falls = bool((np.diff(variances) < 0).all())
    return Finding(
        verdict_of(at_three < 1.005 and falls and 0 <= at_eight - 1 < 1e-9),
        INCONCLUSIVE,
        effect=at_three,
        reason=f"variance {at_three:.6f} at a = 3, 1 + {at_eight - 1:.0e} at a = 8, "
        f"{'falling' if falls else 'not falling'} in between; {NOT_REPORTED}",
    )


@claim("H31")
def inverse_cdf_sampler_matches_the_density(evidence: Evidence) -> Finding:
    """Kolmogorov-Smirnov on 1e6 draws; the reported verdict is that of the formula as published."""
    noise = Huber.from_variance(2.0)
    uniform = np.random.default_rng(evidence.seed).random(SAMPLES)
    right, wrong = (
        _kolmogorov_smirnov(draws, noise)
        for draws in (noise.ppf(uniform), published_inverse_cdf(uniform, noise.a))
    )
    return Finding(
        SUPPORTED if right[1] > LEVEL else CONTRADICTED,
        SUPPORTED if wrong[1] > LEVEL else CONTRADICTED,
        effect=right[0],
        n=SAMPLES,
        reason=f"distance {right[0]:.5f} (p = {right[1]:.2f}) with the corrected formula, "
        f"{wrong[0]:.3f} (p = {wrong[1]:.0e}) with the reported one, at variance 2",
    )


def _kolmogorov_smirnov(draws: np.ndarray, noise: Huber) -> tuple[float, float]:
    """Return the distance to the distribution and its asymptotic p-value."""
    expected = noise.cdf(np.sort(draws))
    n = draws.size
    steps = np.arange(n + 1) / n
    distance = float(max((steps[1:] - expected).max(), (expected - steps[:-1]).max()))
    return distance, float(special.kolmogorov(np.sqrt(n) * distance))
