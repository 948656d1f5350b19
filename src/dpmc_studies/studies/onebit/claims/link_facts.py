"""Statements about likelihoods, by computation: O12 (convexity) and O16 (beta)."""

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.frame.judging.finding import NOT_REPORTED, Finding
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.methods.onebit.links import LINKS, Link, link_of
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim
from dpmc_studies.studies.onebit.claims.outputs import EPSILONS
from dpmc_studies.studies.onebit.frames import link_label

ALPHA = 1.0
GRID = np.linspace(-ALPHA, ALPHA, 2001)
ROUNDING = 1e-9


@claim("O12")
def likelihood_is_convex(evidence: OneBitEvidence) -> Finding:
    """The second derivative of -log h is not negative; that of flipped signs is reported."""
    lows = {name: least_curvature(link) for name, link in sorted(LINKS.items())}
    flipped = {
        name: [epsilon for epsilon in EPSILONS if least_curvature(link, epsilon) < -ROUNDING]
        for name, link in sorted(LINKS.items())
    }
    formatted = ", ".join(f"{low:.4f} ({link_label(name)})" for name, low in lows.items())
    bent = "; ".join(
        f"{link_label(name)}: not convex at epsilon {', '.join(f'{e:g}' for e in where) or 'none'}"
        for name, where in flipped.items()
    )
    return Finding(
        verdict_of(min(lows.values()) >= -ROUNDING),
        effect=min(lows.values()),
        reason=f"least second derivative for entries within +-{ALPHA:g}: {formatted}. Of the "
        f"objective of InP, which the paper does not call convex, {bent}; {NOT_REPORTED}",
    )


def least_curvature(link: Link, epsilon: float | None = None) -> float:
    """Return the least second derivative over abs(t) <= 1 of the loss of signs, flipped or not."""
    flip = 0.0 if epsilon is None else RandomisedResponse.from_epsilon(epsilon).p_plus
    return float(link.curvature(GRID, link.slope(GRID, flip)).min())


@claim("O16")
def beta_of_the_logistic_link(evidence: OneBitEvidence) -> Finding:
    """Largest h (1 - h)/h'^2 over abs(x) <= alpha is e^alpha within rounding."""
    ours, reported = steepness_and_flatness(link_of("logistic"))[1], np.exp(ALPHA)
    return Finding(
        verdict_of(abs(ours / reported - 1) <= ROUNDING),
        effect=float(ours / reported),
        reason=f"at alpha = {ALPHA:g} it is {ours:.4f} = (1 + e^alpha)^2/e^alpha, against "
        f"e^alpha = {reported:.4f}; {NOT_REPORTED}",
    )


def steepness_and_flatness(link: Link, flip: float = 0.0) -> tuple[float, float]:
    """Return L and beta of the link p + (1 - 2p) h over abs(x) <= 1, p = ``flip``."""
    # both suprema are at 0 or at the ends for the links here; the grid holds these points
    chance = flip + (1 - 2 * flip) * link.cdf(GRID)
    slope = (1 - 2 * flip) * link.pdf(GRID)
    spread = chance * (1 - chance)
    return float((slope / spread).max()), float((spread / slope**2).max())
