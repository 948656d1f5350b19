"""Errata of the DPALS paper: how much noise its releases need.

"DPALS paper" is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021). A user with up to k ratings joins or leaves.
"""

import math

import numpy as np

from dpmc.mechanisms import Gaussian
from dpmc.methods.user_level.plan import published_sigma
from dpmc.privacy.calibration import calibrate
from dpmc.studies.dpals.accounting import accounting_rows
from dpmc.studies.dpals.frames import number
from dpmc.study.erratum import CHANGES_CONCLUSION, Erratum
from dpmc.study.results import Results

POINTS = ((1, 50, 2), (5, 50, 3), (20, 100, 4))  # epsilon, ratings per user, iterations
DELTA, EPSILON, RATINGS = 1e-5, 1.0, 50  # of the examples


def epsilon_of(sensitivity: float, epsilon: float = EPSILON) -> float:
    """Return the true epsilon of noise that is calibrated to epsilon at sensitivity 1."""
    noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=DELTA).noise
    return Gaussian(noise.scale).epsilon(sensitivity, DELTA)


def two_statistics(name: str, results: Results) -> Erratum:
    """Theorem 1 counts one of the two noised statistics."""
    rows = list(accounting_rows(POINTS, DELTA))
    numbers = {f"epsilon_{row['epsilon']:g}": row["epsilon_at_published"] for row in rows}
    numbers |= {f"sigma_{row['epsilon']:g}": row["exact_sigma"] for row in rows}
    epsilons = [
        f"{number(row['epsilon_at_published'], 4)} for {row['epsilon']:g} (k = "
        f"{row['ratings_per_user']}, T = {row['iterations']}; published σ = "
        f"{number(row['published_sigma'], 4)}, {number(row['exact_sigma'], 4)} needed)"
        for row in rows
    ]
    return Erratum(
        name,
        "The noise of theorem 1 covers one of two statistics",
        CHANGES_CONCLUSION,
        "DPALS paper, theorem 1",
        "σ = √(2 k T (ε + ln(1/δ)))/ε on the Gram matrices and the right-hand sides.",
        "Each of the T item steps releases both, each of sensitivity √k at its own scale: Gaussian "
        "DP with μ² = 2 k T/σ². The published σ is a factor √2 short of what its own proof needs. "
        "That the proof is loose makes up for most of it. dpmc solves for σ exactly.",
        f"At the published σ the true ε is {', '.join(epsilons)}, δ = {DELTA:g}.".replace(
            "e-0", "e-"
        ),
        numbers,
    )


def private_mean(name: str, results: Results) -> Erratum:
    """The private mean has the sensitivity of one number, not of k of them."""
    true = epsilon_of(math.sqrt(RATINGS))
    return Erratum(
        name,
        "The private mean: k terms of one user fall into one number",
        CHANGES_CONCLUSION,
        "DPALS paper, section 5.2",
        "The sum of all ratings has sensitivity √k Γ_M, and their number √k.",
        "k Γ_M and k. The counts of the items spread k ratings over k numbers, hence √k in ℓ2; "
        "a total takes them all. dpmc charges the sum and the number with k.",
        f"With k = {RATINGS}, noise for a claimed ε = {EPSILON:g} under √k has ε = {true:.1f} for "
        "each of the two.",
        {"epsilon": true},
    )


def private_start(name: str, results: Results) -> Erratum:
    """The noise of the start forgets that a user has k ratings."""
    row = np.ones(RATINGS)
    moved = np.outer(row, row)
    sizes = {"triangle": float(np.linalg.norm(np.triu(moved))), "moved": float(RATINGS)}
    numbers, formatted = dict(sizes), []
    for steps in (2, 3):
        noise = Gaussian(published_sigma(EPSILON, DELTA, RATINGS, steps))
        for which, size in sizes.items():
            numbers[f"epsilon_{which}_{steps}"] = noise.epsilon(size, DELTA)
        formatted.append(
            f"{numbers[f'epsilon_triangle_{steps}']:.1f} "
            f"({numbers[f'epsilon_moved_{steps}']:.1f}) for T = {steps}"
        )
    return Erratum(
        name,
        "The start: the outer product of a row of k ratings",
        CHANGES_CONCLUSION,
        "DPALS paper, remark 2",
        "The covariance of the ratings gets symmetric Gaussian noise of deviation σ Γ_M².",
        "A user’s row x of k ratings adds x xᵀ, of Frobenius norm ‖x‖² ≤ k Γ_M², or L² where rows "
        "are clipped to norm L. Noise in units of Γ_M² fits one rating; the σ of theorem 1, which "
        "grows as √(kT), makes up for part of it. dpmc scales the noise to min(k Γ_M², L²).",
        f"{RATINGS} ratings of size Γ_M = 1 move the matrix by {sizes['moved']:g}, its upper "
        f"triangle, where noise is drawn, by {sizes['triangle']:.1f}. With the σ of theorem 1 for "
        f"ε = {EPSILON:g} the start alone has ε = {' and '.join(formatted)}, counted by the "
        "triangle (by the whole matrix).",
        numbers,
    )
