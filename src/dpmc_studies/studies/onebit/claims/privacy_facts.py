"""Statements about privacy, by computation: O11, O13 to O15 and O17."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.mechanisms import Laplace
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.privacy.guarantee import ROUNDING
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_AVAILABLE,
    NOT_REPORTED,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.mechanism_facts import largest_log_ratio
from dpmc_studies.methods.onebit.guarantee import guarantee_of
from dpmc_studies.methods.onebit.links import LINKS, Link, link_of
from dpmc_studies.methods.onebit.noise import Facts, plan_of
from dpmc_studies.methods.onebit.solve import Ball
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim
from dpmc_studies.studies.onebit.claims.link_facts import ALPHA, GRID
from dpmc_studies.studies.onebit.claims.outputs import EPSILONS
from dpmc_studies.studies.onebit.frames import link_label

CLIP = 0.5
SHOWN_FROM = 1.0  # the least epsilon of figures 1 to 3
# Flips of +1 and of -1 of which all ratios but (1 - p2)/p1 are at most e^1: whichever two of the
# four theorem 1 looks at, it admits these if it admits p1 = 0.
ADMITTED_AT_1 = (RandomisedResponse(0.001, 0.5), RandomisedResponse(0.0, 0.5))


def one_entry(link: Link) -> Facts:
    """Return the facts of a 1 x 1 matrix with its entry within +-alpha."""
    return Facts(link, Ball(ALPHA, ALPHA), ALPHA, (1, 1), 1)


@claim("O11")
def condition_on_two_ratios_is_enough(evidence: OneBitEvidence) -> Finding:
    """No flips that pass the published condition at epsilon 1 have a larger epsilon."""
    actual = [flips.epsilon() for flips in ADMITTED_AT_1]
    formatted = ", ".join(
        f"{epsilon:.3g} at p1 = {flips.p_plus:g}, p2 = {flips.p_minus:g}"
        for flips, epsilon in zip(ADMITTED_AT_1, actual, strict=True)
    )
    symmetric = RandomisedResponse.from_epsilon(1.0).epsilon()
    return Finding(
        verdict_of(max(actual) <= ROUNDING),
        effect=min(actual),
        reason=f"the epsilon of flips admitted at epsilon 1 is {formatted}; that of p1 = p2 = "
        f"1/(1 + e) is {symmetric:.3f}; {NOT_REPORTED}",
    )


@claim("O13")
def objp_as_published_is_private(evidence: OneBitEvidence) -> Finding:
    """With the coefficient 1 of appendix B, logistic link, ObjP has the epsilon claimed."""
    logistic = link_of("logistic")
    found = judge_objective_noise("objp_paper", logistic)
    halved = judge_objective_noise("objp_literal", logistic)
    return replace(
        found, reason=f"{found.reason}. With the noise halved ({halved.verdict}): {halved.reason}"
    )


@claim("O14")
def objp_with_the_gaussian_link_is_private(evidence: OneBitEvidence) -> Finding:
    """With the published scale, Gaussian link, ObjP has the epsilon that is claimed."""
    return judge_objective_noise("objp_paper", link_of("gaussian"))


def judge_objective_noise(mechanism: str, link: Link) -> Finding:
    """Hold the claimed epsilons against the exact loss on one entry and the proven guarantee.

    The effect is the largest exact loss over the claimed epsilon.
    """
    facts = one_entry(link)
    exact = {epsilon: loss_on_one_entry(mechanism, facts, epsilon) for epsilon in EPSILONS}
    proven = {epsilon: guarantee_of(mechanism, facts, epsilon).actual_epsilon for epsilon in exact}
    broken = [epsilon for epsilon, loss in exact.items() if loss > epsilon * ROUNDING]
    open_ones = [epsilon for epsilon, bound in proven.items() if bound > epsilon * ROUNDING]
    verdict = CONTRADICTED if broken else INCONCLUSIVE if open_ones else SUPPORTED
    shown = [epsilon for epsilon in exact if epsilon >= SHOWN_FROM]
    return Finding(
        verdict,
        effect=max(loss / epsilon for epsilon, loss in exact.items()),
        reason=f"exact loss on a 1 x 1 matrix {_at(exact)}, above what is claimed at epsilon "
        f"{_listed(broken)}; proven bound {_at(proven)}, above it at {_listed(open_ones)}. "
        f"From {SHOWN_FROM:g} to {max(shown):g}, the range of figures 1 to 3, the exact loss is "
        f"above it at {_listed([epsilon for epsilon in broken if epsilon in shown])}, the bound at "
        f"{_listed([epsilon for epsilon in open_ones if epsilon in shown])}; {NOT_REPORTED}",
    )


def loss_on_one_entry(mechanism: str, facts: Facts, epsilon: float) -> float:
    """Return the exact privacy loss of objective perturbation of a 1 x 1 matrix.

    With y = +1 the minimiser of psi(x) + b x + H x over abs(x) <= alpha lies at an x inside if
    H = s(x), s = -psi' > 0, and with y = -1 if H = -s(-x): densities are those of H times
    psi''(x) or psi''(-x). It is -alpha if H is at least s(-alpha), or -s(alpha). The other bound
    mirrors this one.
    """
    plan = plan_of(mechanism, facts, epsilon)
    noise = Laplace(plan.stated * plan.noise.scale)
    link = facts.link
    slope = link.slope(GRID)
    log_curvature = np.log(link.curvature(GRID, slope))
    # the grid is symmetric: reversed, values at x become those at -x
    inside = noise.logpdf(slope) + log_curvature - noise.logpdf(slope[::-1]) - log_curvature[::-1]
    bound = math.log(noise.sf(-slope[-1]) / noise.sf(slope[0]))
    return max(float(np.abs(inside).max()), abs(bound))


@claim("O15")
def outp_is_private(evidence: OneBitEvidence) -> Finding:
    """One flip moves the solution by at most 2 alpha in l1, and no attack proves more."""
    change, attack = evidence.outp_change, evidence.outp_attack
    if change is None or attack is None or change.empty or attack.empty:
        return Finding(
            INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (change by one flip, attack); {NOT_REPORTED}"
        )
    factor = change["l1_change"] / change["per_entry_sensitivity"]
    proven = attack["lower_bound"] > attack["claimed_epsilon"]
    moved = bool((factor > 1).any())
    # The loss of Laplace noise at the measured change is no estimate: a lucky attack does not count
    caught = bool((proven & (attack["true_epsilon"] > attack["claimed_epsilon"])).any())
    verdict = CONTRADICTED if moved and caught else INCONCLUSIVE
    if not moved and not proven.any():
        verdict = SUPPORTED
    worst = attack.loc[(attack["lower_bound"] / attack["claimed_epsilon"]).idxmax()]
    return Finding(
        verdict,
        effect=float(factor.max()),
        n=int(worst["samples"]),
        reason=f"l1 change by one flip: {_changes(change)}, against {_allowed(change)} allowed "
        f"for; at claimed epsilon {worst['claimed_epsilon']:g} (true for this pair: "
        f"{worst['true_epsilon']:.3g}) an attack on {worst['samples']:.0f} outputs of each "
        f"neighbour proves {worst['lower_bound']:.3g} at {100 * worst['confidence']:g} % "
        f"confidence; {NOT_REPORTED}",
    )


@claim("O17")
def grap_is_private(evidence: OneBitEvidence) -> Finding:
    """Laplace noise of scale K Delta_1/eps on clamped gradients has the epsilon claimed."""
    links = {name: one_entry(link) for name, link in sorted(LINKS.items())}
    losses = {name: loss_of_first_gradient("grap", facts) for name, facts in links.items()}
    bounds = [
        guarantee_of("grap", facts, 1.0, clip=CLIP).actual_epsilon for facts in links.values()
    ]
    halved = max(loss_of_first_gradient("grap_paper", facts) for facts in links.values())
    proven = max(bounds) <= ROUNDING
    broken = max(losses.values()) > ROUNDING
    return Finding(
        CONTRADICTED if broken else SUPPORTED if proven else INCONCLUSIVE,
        effect=max(losses.values()),
        reason="loss of the first noisy gradient at claimed epsilon 1, C = 0.5: "
        + ", ".join(f"{loss:.3f} ({link_label(name)})" for name, loss in losses.items())
        + f"; proven bound {max(bounds):.3f}; at the scale C K/epsilon, which the paper does not "
        f"print, it would be {halved:.3f}; {NOT_REPORTED}",
    )


def loss_of_first_gradient(mechanism: str, facts: Facts) -> float:
    """Return the largest log ratio of densities at claimed epsilon 1, from the matrix 0."""
    plan = plan_of(mechanism, facts, 1.0, clip=CLIP)
    # the gradient of an entry is -y s(0), clamped
    change = 2 * min(float(facts.link.slope(0.0)), CLIP)
    return largest_log_ratio(Laplace(plan.stated * plan.noise.scale), change)


def _at(losses: dict[float, float]) -> str:
    """Format the losses at the three smallest epsilons."""
    first = list(losses.items())[:3]
    return ", ".join(f"{loss:.3f} at epsilon {epsilon:g}" for epsilon, loss in first)


def _listed(epsilons: Sequence[float]) -> str:
    return ", ".join(f"{epsilon:g}" for epsilon in epsilons) or "none"


def _changes(change: pd.DataFrame) -> str:
    by_instance = change.groupby(["instance", "link"])["l1_change"]
    return ", ".join(
        f"{instance} ({link_label(link)}) median {values.median():.4g} (n = {len(values)})"
        for (instance, link), values in by_instance
    )


def _allowed(change: pd.DataFrame) -> str:
    return ", ".join(f"{value:g}" for value in sorted(set(change["per_entry_sensitivity"])))
