"""Errata of the one-bit paper: what its mechanisms guarantee.

"One-bit paper" is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential
privacy" (arXiv:2110.00719). Neighbours differ in one sign; who rated what is public.
"""

import numpy as np
import pandas as pd

from dpmc.mechanisms import Laplace
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.methods.onebit.guarantee import guarantee_of
from dpmc.methods.onebit.links import Link, link_of
from dpmc.studies.onebit.claims.link_facts import least_curvature
from dpmc.studies.onebit.claims.privacy_facts import CLIP, loss_on_one_entry, one_entry
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.outp import BLOCK, block_change
from dpmc.study.erratum import CHANGES_CONCLUSION, UNSTATED, Erratum, listed

ADMITTED = 0.5  # the chance of flipping -1 where +1 is never flipped
SMALL = 0.001
SIDE = 40  # of the block instance that is solved for this page
SEARCHES, SIGNS, HALVINGS, DECREASE = 500, 50, 20, 1e-4


def flip_probabilities(name: str, sources: Sources) -> Erratum:
    """The condition on two flip probabilities looks at two of four ratios."""
    flips = RandomisedResponse(0.0, ADMITTED)
    others = [
        (1 - flips.p_plus) / flips.p_minus,
        flips.p_minus / (1 - flips.p_plus),
        flips.p_plus / (1 - flips.p_minus),
    ]
    nearly = RandomisedResponse(SMALL, ADMITTED).epsilon()
    return Erratum(
        name,
        "The condition on flip probabilities looks at two of four ratios",
        CHANGES_CONCLUSION,
        "One-bit paper, theorem 1",
        "Flips of +1 with probability p1 and of −1 with p2 are ε-private under a condition on two "
        "ratios of probabilities, which p1 = 0 meets.",
        "(1 − p1)/p2, p2/(1 − p1), (1 − p2)/p1 and p1/(1 − p2) must all be at most e^ε. With "
        "p1 = 0 a −1 that is seen was a −1. dpmc uses p1 = p2 = 1/(1 + e^ε), which is exactly ε.",
        f"With p1 = 0 and p2 = {ADMITTED:g} three of the four are {listed(others, 2)}, below e at "
        f"ε = 1; the fourth is infinite. With p1 = {SMALL:g} instead the true ε is {nearly:.2f}.",
        {"largest_of_three": max(others), "epsilon_nearly": nearly},
    )


def input_objective(name: str, sources: Sources) -> Erratum:
    """Theorem 1 is about a minimiser that need not be found."""
    numbers = {
        f"{link}_{epsilon:g}": least_curvature(link_of(link), epsilon)
        for link in ("gaussian", "logistic")
        for epsilon in (0.5, 1.0)
    }
    formatted = [
        f"{numbers[f'{link}_0.5']:.3f} at ε = 0.5 and {numbers[f'{link}_1']:.3f} at ε = 1 ({link})"
        for link in ("gaussian", "logistic")
    ]
    return Erratum(
        name,
        "The objective for flipped signs is not convex",
        UNSTATED,
        "One-bit paper, section 4.1, equation 4 and theorem 1",
        "Theorem 1 bounds the error of the minimiser of equation 4, which SPG is to find; whether "
        "it does is not said.",
        "−log(p + (1 − 2p) h(t)) is not convex where p is near 1/2; with the logistic link it is "
        "convex on |t| ≤ α if and only if α ≤ ε/2. dpmc finds a stationary point and says so.",
        f"Its least second derivative for |t| ≤ 1 is {'; '.join(formatted)}.".replace("-", "−"),
        numbers,
    )


def halved_noise(name: str, sources: Sources) -> Erratum:
    """The objective of ObjP halves the noise that its proof needs."""
    facts = one_entry(link_of("logistic"))
    exact = loss_on_one_entry("objp_literal", facts, 1.0)
    proven = guarantee_of("objp_literal", facts, 1.0).actual_epsilon
    return Erratum(
        name,
        "The perturbed objective halves its noise",
        CHANGES_CONCLUSION,
        "One-bit paper, objective perturbation",
        "The linear term of the noise has the coefficient 1/2 in the objective.",
        "The proof has coefficient 1; with 1/2 the guarantee is 2ε. dpmc uses 1.",
        f"At a claimed ε = 1 (logistic link) the published objective guarantees {proven:.2f}, and "
        f"the exact privacy loss on a matrix of one entry is {exact:.2f}.",
        {"proven": proven, "exact": exact},
    )


def gaussian_objective(name: str, sources: Sources) -> Erratum:
    """With the Gaussian link the proof omits a Jacobian, and its sensitivity is loose."""
    link = link_of("gaussian")
    facts = one_entry(link)
    tight, reported = link.sensitivity(1.0), link.published_sensitivity(1.0)
    least = link.log_curvature_ratio(1.0)
    gap = float(-np.diff(link.slope(np.array([-1.0, 1.0])))[0])
    numbers = {
        "tight": tight,
        "reported": reported,
        "jacobian": least,
        "equal": least / (1 - tight / reported),
        # where the loss at the bound, least - gap epsilon/reported, equals epsilon
        "broken": least / (1 + gap / reported),
        "tight_at_3": link.sensitivity(3.0),
        "jacobian_at_3": link.log_curvature_ratio(3.0),
    }
    losses = []
    for epsilon in (0.25, 1.0):
        exact = loss_on_one_entry("objp_paper", facts, epsilon)
        proven = guarantee_of("objp_paper", facts, epsilon).actual_epsilon
        numbers |= {f"exact_{epsilon:g}": exact, f"proven_{epsilon:g}": proven}
        losses.append(f"{proven:.2f} is proven at a claimed {epsilon:g} (exact: {exact:.2f})")
    return Erratum(
        name,
        "Objective perturbation with the Gaussian link",
        CHANGES_CONCLUSION,
        "One-bit paper, objective perturbation, Gaussian link",
        f"Laplace noise of scale {reported:.2f}/ε is ε-private, by a gradient that is set to zero.",
        "At a constrained optimum the gradient need not be zero, and the change of variables has a "
        f"determinant, worth up to {least:.3f}. The gradient changes by {tight:.4f} at most for "
        f"|x| ≤ 1, so a scale of {tight:.4f}/(ε − {least:.3f}) is enough for ε > {least:.3f}, for "
        "the exact minimiser. Without a bound on entries there is no useful guarantee.",
        f"On one entry {'; '.join(losses)}. The bound is above the claim below "
        f"ε = {numbers['equal']:.2f}, and the exact loss below {numbers['broken']:.2f}; between "
        f"the two the claim is open. At |x| ≤ 3 {tight:.4f} and {least:.3f} become "
        f"{numbers['tight_at_3']:.2f} and {numbers['jacobian_at_3']:.2f}.",
        numbers,
    )


def gradient_noise(name: str, sources: Sources) -> Erratum:
    """GraP: the sensitivity of clamped gradients, and what the steps may look at."""
    facts = one_entry(link_of("logistic"))
    proven = guarantee_of("grap_paper", facts, 1.0, clip=CLIP).actual_epsilon
    differ = _searches_that_differ()
    return Erratum(
        name,
        "Gradient perturbation: the clamped sensitivity, and what the steps look at",
        UNSTATED,
        "One-bit paper, section 4.3, algorithm 3 and theorem 3",
        "Laplace noise of scale K Δ₁/ε; gradients are clamped to [−C, C], C = .5, which reduces "
        "Δ₁, to what is not said. Step lengths are “calculated according to” Barzilai and Borwein, "
        "from the noisy or the exact gradients is not said.",
        "One sign moves a clamped entry by up to 2C, so the scale must be 2CK/ε, for a fixed "
        "number K of steps. Steps from the noisy gradients release nothing more; those from exact "
        "gradients do, and so do a stopping test or the line search that SPG usually has, on the "
        "signs themselves. dpmc has fixed steps.",
        f"With C for Δ₁ a claimed ε = 1 is {proven:.2f}. With the same noisy gradient, the step "
        f"that an Armijo search accepts differs between neighbours in {differ} of {SEARCHES} draws "
        f"of {SIGNS} signs and their noise: there the iterate shows which of the two it was.",
        {"proven": proven, "searches": differ},
    )


def _searches_that_differ() -> int:
    """Count draws in which one flip changes the step that backtracking accepts."""
    rng = np.random.default_rng(1)
    link, noise = link_of("logistic"), Laplace(2 * CLIP)
    steps = 0.5 ** np.arange(HALVINGS)
    count = 0
    for _ in range(SEARCHES):
        signs = rng.choice([-1.0, 1.0], SIGNS)
        flipped = signs.copy()
        flipped[0] *= -1
        gradient = -signs * link.slope(0.0) + noise.rvs(SIGNS, rng)
        count += _accepted(signs, gradient, steps, link) != _accepted(
            flipped, gradient, steps, link
        )
    return count


def _accepted(signs: np.ndarray, gradient: np.ndarray, steps: np.ndarray, link: Link) -> int:
    """Return the place of the first step of sufficient decrease from the matrix 0."""
    moved, _ = link.loss(-steps[:, None] * gradient * signs)
    start, _ = link.loss(np.zeros(1))
    decrease = moved.sum(axis=1) - signs.size * start[0]
    enough = decrease <= -DECREASE * steps * np.square(gradient).sum()
    return int(np.argmax(enough)) if enough.any() else steps.size


def output_noise(name: str, sources: Sources) -> Erratum:
    """OutP: the sensitivity of one entry for that of the matrix."""
    settings = {"users": SIDE, "items": SIDE, "alpha": 1.0}
    moved = float(np.abs(block_change("gaussian", settings)).sum())
    numbers = {"block": moved, "factor": moved / 2}
    measured = _measured_changes(sources.change, numbers)
    attack = _largest_attack(sources.attack, numbers)
    return Erratum(
        name,
        "Output perturbation: the sensitivity of one entry for that of the matrix",
        CHANGES_CONCLUSION,
        "One-bit paper, output perturbation, theorem 4",
        "Laplace noise of scale 2α/ε on every entry is ε-private, as an entry lies in [−α, α].",
        "One sign changes all entries. The ℓ1 diameter of the box gives scale 2α d1 d2/ε; with the "
        "reported one ε d1 d2 is guaranteed, and on a block instance no less than half of that.",
        f"Two diagonal blocks of +1 and one entry beside them, {SIDE} × {SIDE}: flipping that "
        f"entry moves the solution by {moved:.1f} in ℓ1, {numbers['factor']:.0f} times the 2α that "
        f"the noise is scaled to.{measured}{attack}",
        numbers,
    )


def _measured_changes(change: pd.DataFrame | None, numbers: dict[str, float]) -> str:
    if change is None:
        return ""
    parts = []
    typical = change[change["instance"] != BLOCK]
    for link, part in typical.groupby("link"):
        numbers[f"typical_{link}"] = float(part["l1_change"].median())
        parts.append(f"{numbers[f'typical_{link}']:.0f} ({link}, {len(part)} draws)")
    text = f" On typical draws the median is {' and '.join(parts)}." if parts else ""
    block = change.loc[change["instance"] == BLOCK, "l1_change"]
    if len(block):
        numbers["block_of_the_run"] = float(block.max())
        text = f" At the size of the paper it is {block.max():,.0f}.{text}"
    return text


def _largest_attack(attack: pd.DataFrame | None, numbers: dict[str, float]) -> str:
    if attack is None:
        return ""
    row = attack.loc[(attack["lower_bound"] / attack["claimed_epsilon"]).idxmax()]
    numbers["proven_over_claimed"] = float(row["lower_bound"] / row["claimed_epsilon"])
    return (
        f" At a claimed ε = {row['claimed_epsilon']:g} a likelihood-ratio attack proves "
        f"{row['lower_bound']:.2f} ({row['samples']:,} samples, {100 * row['confidence']:g} % "
        "confidence)."
    )
