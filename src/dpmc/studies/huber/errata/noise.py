"""Errata about the noise itself: its formulas and its privacy budgets."""

import math

import numpy as np

from dpmc.mechanisms.facts import huber_to_laplace_variance, published_inverse_cdf
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.mechanisms.huber import Huber
from dpmc.privacy.nominal import table_one
from dpmc.studies.huber.errata.sources import Sources
from dpmc.study.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE, Erratum, listed

SENSITIVITY = 5.0  # of table 1
TAIL = 0.05  # below -a
COORDINATES, SHIFTS = 20, 1000


def inverse_cdf(name: str, sources: Sources) -> Erratum:
    """A minus sign is missing in the upper tail."""
    a = _reported_a(sources)
    # midpoints: the inverse CDF is infinite at 0 and 1
    draws = published_inverse_cdf((np.arange(1_000_000) + 0.5) / 1_000_000, a)
    numbers = {
        "published_quantile": float(published_inverse_cdf(0.95, 1.0)),
        "quantile": float(Huber(1.0).ppf(0.95)),
        "reported_mean": float(draws.mean()),
        "reported_variance": float(draws.var()),
        "variance": Huber(a).var(),
    }
    return Erratum(
        name,
        "The inverse CDF lacks a minus sign",
        WITHOUT_CONSEQUENCE,
        "Thesis, equation 4.4 (section 4.2.1), equations B.21, B.22, B.25",
        "In the upper tail x = a/2 + (1/a) log(a N (1 − y)).",
        "x = a/2 − (1/a) log(a N (1 − y)), with N the integral of exp(−ρ).",
        "At a = 1 the published formula puts the 95 % quantile at "
        f"{numbers['published_quantile']:.3f}; it is {numbers['quantile']:.3f}. At a = {a:.4f} the "
        f"published sampler has mean "
        f"{numbers['reported_mean']:.3f} and variance {numbers['reported_variance']:.3f} instead "
        f"of 0 and {numbers['variance']:.3f}.",
        numbers,
    )


def normaliser(name: str, sources: Sources) -> Erratum:
    """N has two meanings, and an equation a stray factor."""
    a = _reported_a(sources)
    integral = 1 / math.exp(Huber(a).logpdf(0.0))
    exponent = math.log(a * integral * TAIL) / a  # the left of B.15
    numbers = {
        "normaliser": integral,
        "quantile": float(Huber(a).ppf(TAIL)),
        "without": exponent - a / 2,
        "with": exponent / a - a / 2,
    }
    return Erratum(
        name,
        "Two meanings of N, and a stray factor",
        WITHOUT_CONSEQUENCE,
        "Thesis, sections 4.1 to 4.3 and equation B.15",
        "N_α is the factor in front of the density in equations 4.1 and 4.2, N(α) its inverse from "
        "equation 4.3 on; B.15 has (1/a) log(a N y) = a (x + a/2).",
        "N = 1/Z in front of the density, Z = √(2π) erf(a/√2) + (2/a) exp(−a²/2) in the CDF and "
        "its inverse; (1/a) log(a Z y) = x + a/2, as the next line, B.16, has it.",
        f"At a = {a:.4f}, Z is {integral:.4f} and 1/Z is {1 / integral:.4f}. B.15 puts the "
        f"{TAIL:.0%} quantile at {numbers['with']:.3f}; it is {numbers['quantile']:.3f}, as B.16 "
        "says.",
        numbers,
    )


def gaussian_budgets(name: str, sources: Sources) -> Erratum:
    """log10 was taken for ln."""
    reported = sources.budgets("gaussian")
    rows = {row["variance"]: row for row in table_one() if row["mechanism"] == "gaussian"}
    right = [rows[variance] for variance in reported.index]
    deltas = [
        Gaussian.from_variance(variance).delta(epsilon, SENSITIVITY)
        for variance, epsilon in reported.items()
    ]
    numbers = {}
    for row, delta in zip(right, deltas, strict=True):
        variance = f"{row['variance']:g}"
        numbers |= {
            f"log10_{variance}": row["epsilon_published_form"],
            f"ln_{variance}": row["epsilon_corrected"],
            f"exact_{variance}": row["epsilon_exact"],
            f"delta_{variance}": delta,
        }
    return Erratum(
        name,
        "Gaussian budgets with log10 for ln",
        CHANGES_CONCLUSION,
        "Paper, table 1; thesis, table 5.1",
        f"ε = {listed(reported, 3)} for variance 1 to 4, from √(2 log(1.25/δ)) Δ/σ.",
        "The logarithm is natural, and that formula is proven only for ε < 1; beyond, the exact "
        "condition of Balle and Wang (2018) holds.",
        f"With log10 the formula gives {listed([r['epsilon_published_form'] for r in right], 3)}, "
        f"with ln {listed([r['epsilon_corrected'] for r in right], 3)}; exact at δ = 1e-5 is "
        f"{listed([r['epsilon_exact'] for r in right], 3)}. At the reported ε the true δ is "
        f"{listed(deltas, 3)}.",
        numbers,
    )


def huber_budgets(name: str, sources: Sources) -> Erratum:
    """The parameter a was not solved for to the reported digits."""
    reported = sources.budgets("huber").drop(1.0)  # the papers choose a = 3 there
    right = {v: Huber.from_variance(v).epsilon(SENSITIVITY) for v in reported.index}
    return Erratum(
        name,
        "Huber budgets off in the last digits",
        WITHOUT_CONSEQUENCE,
        "Paper, table 1",
        f"ε = {listed(reported, 3)} for variance 2, 3 and 4.",
        f"ε = a Δ with the a that has this variance: {listed(right.values(), 4)}.",
        "The reported ε belong to variances of "
        f"{listed((Huber(e / SENSITIVITY).var() for e in reported), 4)}.",
        {f"epsilon_{variance:g}": epsilon for variance, epsilon in right.items()},
    )


def less_noise_than_laplace(name: str, sources: Sources) -> Erratum:
    """At equal budgets Huber noise is never smaller than Laplace noise."""
    grid = np.geomspace(0.1, 30, 1001)
    ratios = np.array([huber_to_laplace_variance(a) for a in grid])
    a = _reported_a(sources)
    numbers = {"smallest_ratio": float(ratios.min()), "ratio": huber_to_laplace_variance(a)}
    falls = {}
    for mechanism in ("gaussian", "laplace", "huber"):
        reported = sources.budgets(mechanism)
        falls[mechanism] = float(reported[4.0] / reported[1.0])
    numbers |= {f"{mechanism}_fall": fall for mechanism, fall in falls.items()}
    return Erratum(
        name,
        "Less noise than Laplace, and a Gaussian budget that falls less: neither is so",
        CHANGES_CONCLUSION,
        "Paper, section 2.2; thesis, section 5.1",
        "Huber noise “also allows the addition of much lesser noise when compared to the "
        "Laplacian”; the Gaussian budget “doesn’t decrease as much with increasing variance”.",
        "At equal pure ε of one release Huber noise always has the larger variance. Gaussian and "
        "Laplace budgets both fall as one over the standard deviation; only the Huber budget, "
        "which starts where Huber noise is almost Gaussian, falls faster.",
        f"At equal ε the variance of Huber over that of Laplace noise is {numbers['ratio']:.3f} at "
        f"a = {a:.4f}, and above 1 by at least {numbers['smallest_ratio'] - 1:.1e} for a from .1 "
        "to 30. From "
        f"variance 1 to 4 the reported Gaussian ε falls to {falls['gaussian']:.3f} of itself, the "
        f"Laplace ε to {falls['laplace']:.3f}, the Huber ε to {falls['huber']:.3f}.",
        numbers,
    )


def proof_for_numbers(name: str, sources: Sources) -> Erratum:
    """The privacy of Huber noise is proven for one number."""
    a = _reported_a(sources)
    noise = Huber(a)
    shifts = np.abs(np.random.default_rng(1).standard_normal((SHIFTS, COORDINATES)))
    losses = {}
    for norm, power in (("l1", 1), ("l2", 2)):
        sizes = np.linalg.norm(shifts, power, axis=1, keepdims=True)
        scaled = SENSITIVITY * shifts / sizes
        # the loss is largest, and constant, where all coordinates of the noise exceed a
        losses[norm] = (noise.logpdf(a) - noise.logpdf(a + scaled)).sum(axis=1)
    numbers = {
        "claimed": a * SENSITIVITY,
        "l1": float(losses["l1"].max()),
        "l2": float(losses["l2"].max()),
    }
    return Erratum(
        name,
        "A proof for one number, a theorem for vectors",
        WITHOUT_CONSEQUENCE,
        "Paper, theorem 2.1 and appendix A; thesis, section 4.4 and appendix A",
        "A vector with Huber noise is ε-private with ε = a Δ₁; the proof has one number t and "
        "t + Δ₁.",
        "The theorem holds: the bound of the proof holds for each coordinate, and the changes of "
        "the coordinates add up to Δ₁ at most. It needs Δ₁ and not Δ₂, which the papers take to "
        "be the same.",
        f"{SHIFTS:,} drawn changes of {COORDINATES} coordinates, a = {a:.4f}: with ℓ₁ size "
        f"{SENSITIVITY:g} the largest log ratio of densities is {numbers['l1']:.3f} (a Δ = "
        f"{numbers['claimed']:.3f}), with ℓ₂ size {SENSITIVITY:g} it is {numbers['l2']:.1f}.",
        numbers,
    )


def _reported_a(sources: Sources) -> float:
    """Return the papers' a at variance 2, from their budget."""
    return float(sources.budgets("huber")[2.0]) / SENSITIVITY
