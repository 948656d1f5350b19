"""Errata of the one-bit paper: its theorems, their constants and their proofs.

"One-bit paper" is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential
privacy" (arXiv:2110.00719).
"""

import math

import numpy as np

from dpmc.mechanisms import Laplace
from dpmc.methods.onebit.links import link_of
from dpmc.studies.onebit.bounds import (
    RIGHT,
    published_steepness_and_flatness,
    sampling_constants,
    steepness_and_flatness,
)
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.study.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE, Erratum, listed

DRAWS = 200
SIDE, OBSERVED = 100, 1500  # of the paper's matrices, 15 % of the entries
LEVEL = 1.3  # c, less than the root mean square √2 of the noise


def flatness(name: str, sources: Sources) -> Erratum:
    """beta of the logistic link."""
    ours = steepness_and_flatness(link_of("logistic"), 1.0)[1]
    numbers = {"right": ours, "reported": float(np.exp(1.0))}
    return Erratum(
        name,
        "β of the logistic link",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, constants of the theorems",
        "β = e^α for the logistic link.",
        "β = sup h (1 − h)/h′² over |x| ≤ α is (1 + e^α)²/e^α (Davenport, Plan, van den Berg and "
        "Wootters, 2014).",
        f"By search at α = 1: {ours:.4f}, against e^α = {numbers['reported']:.4f}.",
        numbers,
    )


def absolute_value(name: str, sources: Sources) -> Erratum:
    """A sum of noises for the sum of their sizes: the proof does not give the rate."""
    rng = np.random.default_rng(1)
    noise = Laplace(1.0)
    numbers, formatted = {}, []
    for count in (OBSERVED, 100 * OBSERVED):
        numbers[f"right_{count}"] = right = 2 * float(np.abs(noise.rvs(count, rng)).mean())
        numbers[f"published_{count}"] = published = math.sqrt(2) / math.cbrt(count)
        formatted.append(f"{right:.3f} against {published:.3f} for n = {count:,}")
    return Erratum(
        name,
        "A sum of noises for the sum of their sizes",
        CHANGES_CONCLUSION,
        "One-bit paper, theorem 2 and appendix B, from equation 10 to equation 13",
        "(1/n) Σ H (X − M̂) ≤ (2α/n) Σ H, which is below √2 Δ/(ε n^(1/3)) with high probability.",
        "M̂ depends on the noise H, so only (2α/n) Σ |H| is a bound, which tends to 2αΔ/ε and does "
        "not vanish: the proof does not give the term of order n^(−1/3). (A factor 2α is lost "
        "besides.)",
        f"With α = Δ = ε = 1, (2α/n) Σ |H| in a draw against the published term: "
        f"{' and '.join(formatted)}.",
        numbers,
    )


def minimum(name: str, sources: Sources) -> Erratum:
    """Appendix D writes min for max."""
    entries = SIDE * SIDE
    noise = np.random.default_rng(1).laplace(size=(DRAWS, entries))
    exceeds = np.square(noise).sum(axis=1) >= entries * LEVEL**2
    tail = math.exp(-LEVEL)  # P(|H| >= LEVEL) at scale 1
    numbers = {
        "sum": float(exceeds.mean()),
        "log10_minimum": entries * math.log10(tail),
        "maximum": -math.expm1(entries * math.log1p(-tail)),
    }
    return Erratum(
        name,
        "A minimum for a maximum",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, appendix D, above equation 14",
        "P(Σ H² ≥ d₁ d₂ c²) ≤ P(min H² ≥ c²).",
        "P(max H² ≥ c²), as the next line has it.",
        f"For {SIDE} × {SIDE} noises of scale 1 and c = {LEVEL:g}: the left is "
        f"{numbers['sum']:.2f} in {DRAWS} draws, P(min) is 10^{numbers['log10_minimum']:.0f}, "
        f"P(max) is {numbers['maximum']:.2f}.".replace("-", "−"),
        numbers,
    )


def flipped_flatness(name: str, sources: Sources) -> Erratum:
    """The bound on beta of the flipped link lacks 1/h'^2."""
    numbers, formatted = {}, []
    flip = 1 / (1 + math.e)
    for alpha in (1.0, 3.0):
        for link in ("logistic", "gaussian"):
            bound = published_steepness_and_flatness(link_of(link), alpha, flip)[1]
            right = steepness_and_flatness(link_of(link), alpha, flip)[1]
            numbers |= {f"{link}_{alpha:g}": right, f"published_{link}_{alpha:g}": bound}
            formatted.append(f"{right:,.1f} against {bound:.2f} ({link}, α = {alpha:g})")
    return Erratum(
        name,
        "β of the flipped link",
        CHANGES_CONCLUSION,
        "One-bit paper, below theorem 1, and appendix A",
        "β_c ≤ 1/(2(1 − 2p)²) + β_h/2, with β_h = e^α (logistic) or πσ²e^(α²/2σ²) (Gaussian).",
        "c(1 − c) = p(1 − p) + (1 − 2p)² h(1 − h), so β_c = sup [p(1 − p)/((1 − 2p)² h′²) + "
        "h(1 − h)/h′²]. The first term lost its 1/h′², which grows with α as e^(2α) (logistic): no "
        "constant in front makes up for it.",
        f"At ε = 1, by search against the published bound: {'; '.join(formatted)}.",
        numbers,
    )


def sampling_constant(name: str, sources: Sources) -> Erratum:
    """C_OmegaY is printed in three forms, with one root too many."""
    numbers, formatted = {}, []
    for count in (OBSERVED, SIDE * SIDE):
        constants = sampling_constants(SIDE, SIDE, count)
        factors = {form: math.sqrt(constant / count) for form, constant in constants.items()}
        right = factors.pop(RIGHT)
        numbers |= {f"{form}_{count}": factor for form, factor in factors.items()}
        numbers[f"right_{count}"] = right
        formatted.append(f"{listed(factors.values(), 2)} against {right:.2f} for n = {count:,}")
    return Erratum(
        name,
        "C_Ω,Y in three forms, each with a root too many",
        CHANGES_CONCLUSION,
        "One-bit paper, theorems 1, 2 and 4, equation 11 and appendix D",
        "Bounds have the factor √(C/n) with C = √(n + d₁d₂ log(d₁ + d₂)) (theorems 1, 2 and, by "
        "reference, 4), √(n + d₁d₂ log(d₁d₂)) (equation 11) or √(n + (d₁ + d₂) log(d₁d₂)) "
        "(appendix D).",
        "√(1 + (d₁ + d₂) log(d₁d₂)/n) (Davenport, Plan, van den Berg and Wootters, 2014, theorem "
        "1): C is n + (d₁ + d₂) log(d₁d₂), without a root. With the root the factor, and so the "
        "bound, falls faster with n than the theorem that it is taken from allows.",
        f"For d₁ = d₂ = {SIDE} the factor is {'; '.join(formatted)}.",
        numbers,
    )


def squared_triangle(name: str, sources: Sources) -> Erratum:
    """A triangle inequality of squares without its factor 2."""
    rng = np.random.default_rng(1)
    error = rng.standard_normal(SIDE * SIDE)
    noise = rng.laplace(size=(DRAWS, SIDE * SIDE))
    apart = np.square(error).sum() + np.square(noise).sum(axis=1)
    numbers = {
        "fails": float((np.square(error + noise).sum(axis=1) > apart).mean()),
        "worst": float(np.square(2 * error).sum() / (2 * np.square(error).sum())),
    }
    return Erratum(
        name,
        "A triangle inequality of squares",
        WITHOUT_CONSEQUENCE,
        "One-bit paper, appendix D, first display",
        "‖M̂ − M*‖² ≤ ‖M̂ − M̂⁽⁰⁾‖² + ‖M̂⁽⁰⁾ − M*‖².",
        "Twice the right side. The constants of theorem 4, which are not stated, take the factor.",
        f"With a drawn error of {SIDE} × {SIDE} and Laplace noise the published inequality fails "
        f"in {numbers['fails']:.0%} of {DRAWS} draws; at the worst, two equal matrices, the "
        f"left is {numbers['worst']:g} times the right.",
        numbers,
    )
