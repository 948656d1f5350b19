"""Statements about likelihoods, by computation: O12 (convexity) and O16 (beta)."""

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.methods.onebit.links import LINKS, Link, link_of
from dpmc.studies.onebit.claims.evidence import OneBitEvidence, claim
from dpmc.studies.onebit.claims.synthetic import EPSILONS
from dpmc.study.rules import INCONCLUSIVE, NOT_REPORTED, Finding, verdict_of

ALPHA = 1.0
GRID = np.linspace(-ALPHA, ALPHA, 2001)
ROUNDING = 1e-9


@claim("O12")
def objective_of_inp_is_convex(evidence: OneBitEvidence) -> Finding:
    """The second derivative of -log(p + (1 - 2p) h) is not negative, at every epsilon."""
    lows = {
        name: {epsilon: least_curvature(link, epsilon) for epsilon in EPSILONS}
        for name, link in sorted(LINKS.items())
    }
    bent = {
        name: [epsilon for epsilon, low in by_epsilon.items() if low < -ROUNDING]
        for name, by_epsilon in lows.items()
    }
    formatted = "; ".join(
        f"{name} link: not convex at epsilon {', '.join(f'{e:g}' for e in where) or 'none'}, "
        f"least second derivative {min(lows[name].values()):.4f}"
        for name, where in bent.items()
    )
    return Finding(
        verdict_of(not any(bent.values())),
        INCONCLUSIVE,
        effect=min(low for by_epsilon in lows.values() for low in by_epsilon.values()),
        reason=f"{formatted}, for entries within +-{ALPHA:g} (logistic: convex from epsilon = "
        f"2 alpha on); {NOT_REPORTED}",
    )


def least_curvature(link: Link, epsilon: float) -> float:
    """Return the least second derivative over abs(t) <= 1 of the loss of flipped signs."""
    flip = RandomisedResponse.from_epsilon(epsilon).p_plus
    return float(link.curvature(GRID, link.slope(GRID, flip, 1 - 2 * flip)).min())


@claim("O16")
def beta_of_the_logistic_link(evidence: OneBitEvidence) -> Finding:
    """Largest h (1 - h)/h'^2 over abs(x) <= alpha is e^alpha within rounding."""
    ours, reported = beta(link_of("logistic")), np.exp(ALPHA)
    return Finding(
        verdict_of(abs(ours / reported - 1) <= ROUNDING),
        INCONCLUSIVE,
        effect=float(ours / reported),
        reason=f"at alpha = {ALPHA:g} it is {ours:.4f} = (1 + e^alpha)^2/e^alpha, against "
        f"e^alpha = {reported:.4f}; {NOT_REPORTED}",
    )


def beta(link: Link) -> float:
    """Return the largest h (1 - h)/h'^2 over abs(x) <= 1, beta of Davenport et al. (2014)."""
    return float((link.cdf(GRID) * link.cdf(-GRID) / np.square(link.pdf(GRID))).max())
