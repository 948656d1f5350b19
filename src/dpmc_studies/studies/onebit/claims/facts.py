"""Claims judged by computation: O11 to O17 on privacy and likelihoods, O23 and O24 on error bounds.

**Error bounds.** Source: [Li 2021], theorems 1 and 4. They bound the mean squared error of a d1 x
d2 matrix of rank r with n observed entries; the theorems state with which probability. Let f = h,
or in theorem 1 the flipped link f = c = p + (1 - 2p) h. With suprema over abs(x) <= alpha,

    L = sup f'/(f (1 - f)),        beta = sup f (1 - f)/f'^2,
    S = alpha L beta sqrt(r (d1 + d2)/n),

    theorem 1 (InP)     S sqrt(C/n)
    theorem 4 (OutP)    S sqrt(C/n) + alpha^2 log^2(d1 + d2)/epsilon^2

where C is the C_Omega,Y of the theorems. Constants that the theorems leave open are 1 here. Four
mistakes of the paper are corrected: L and beta are computed instead of bounded as printed (E25,
E46), C is corrected (E47), and so is a factor 2 of all of theorem 4 (E48).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

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
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim, place_named
from dpmc_studies.studies.onebit.claims.outputs import EPSILONS, FRACTIONS, LEVEL_OFF
from dpmc_studies.studies.onebit.frames import link_label

ALPHA = 1.0
GRID = np.linspace(-ALPHA, ALPHA, 2001)
TOLERANCE = 1e-9
CLIP = 0.5
SHOWN_FROM = 1.0  # the least epsilon of figures 1 to 3
# Flips of +1 and of -1 of which all ratios but (1 - p2)/p1 are at most e^1: whichever two of the
# four theorem 1 looks at, it admits these if it admits p1 = 0.
ADMITTED_AT_1 = (RandomisedResponse(0.001, 0.5), RandomisedResponse(0.0, 0.5))
SIDES = (100, 1_000, 10_000, 100_000)
SIDE = SIDES[0]  # of the paper's matrices, of rank 1
FASTER = 1.5  # power of log(d1 + d2) with which epsilon grows
FIRST, MIDDLE, LAST = 1.0, 5.0, 10.0
RIGHT = "right"  # among the forms of C


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

    The entry y is +1 or -1, H is the noise, and s = -psi' > 0. The output is the x in [-alpha,
    alpha] that minimises psi(y x) + H x. Inside, H = y s(y x), so the density of the output is that
    of H at this value, times psi''(y x). The output is -alpha if H >= y s(-y alpha). The point
    alpha mirrors -alpha.
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


@claim("O12")
def likelihood_is_convex(evidence: OneBitEvidence) -> Finding:
    """The second derivative of -log h is not negative; that of flipped signs is reported."""
    lows = {name: least_curvature(link) for name, link in sorted(LINKS.items())}
    flipped = {
        name: [epsilon for epsilon in EPSILONS if least_curvature(link, epsilon) < -TOLERANCE]
        for name, link in sorted(LINKS.items())
    }
    formatted = ", ".join(f"{low:.4f} ({link_label(name)})" for name, low in lows.items())
    bent = "; ".join(
        f"{link_label(name)}: not convex at epsilon {', '.join(f'{e:g}' for e in where) or 'none'}"
        for name, where in flipped.items()
    )
    return Finding(
        verdict_of(min(lows.values()) >= -TOLERANCE),
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
        verdict_of(abs(ours / reported - 1) <= TOLERANCE),
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


def published_steepness_and_flatness(link: Link, flip: float | None = None) -> tuple[float, float]:
    """Return the printed bounds on L and beta (below theorem 1, appendix A; sigma = alpha = 1).

    Of the link itself, or of that with flips of probability ``flip``.
    """
    steep, flat = {
        "logistic": (1.0, math.exp(ALPHA)),
        "gaussian": (8 * (ALPHA + 1), math.pi * math.exp(ALPHA**2 / 2)),
    }[link.name]
    if flip is None:
        return steep, flat
    return (1 - 2 * flip) * steep, 1 / (2 * (1 - 2 * flip) ** 2) + flat / 2


def sampling_constants(side: int, observed: int) -> dict[str, float]:
    """Return C_Omega,Y in the three forms that the paper prints, and in the right form.

    "theorems" is the form of theorems 1, 2 and, by reference, 4. "appendix_b" is the form of
    equation 11, and "appendix_d" the form in theorem 4's proof. :data:`RIGHT` is the last form
    without the root, from Davenport, Plan, van den Berg and Wootters (2014), theorem 1.
    """
    entries, sides = side**2, 2 * side
    terms = {
        "theorems": entries * math.log(sides),
        "appendix_b": entries * math.log(entries),
        "appendix_d": sides * math.log(entries),
    }
    forms = {name: math.sqrt(observed + term) for name, term in terms.items()}
    return forms | {RIGHT: observed + terms["appendix_d"]}


def squared_error_bound(
    mechanism: str, link: Link, fraction: float, epsilon: float, printed: bool
) -> float:
    """Return the bound on the mean squared error of InP or OutP, as printed or corrected."""
    observed = round(fraction * SIDE**2)
    flip = RandomisedResponse.from_epsilon(epsilon).p_plus if mechanism == "InP" else None
    constant = sampling_constants(SIDE, observed)["theorems" if printed else RIGHT]
    if printed:
        steep, flat = published_steepness_and_flatness(link, flip)
    else:
        steep, flat = steepness_and_flatness(link, flip or 0.0)
    rate = math.sqrt(2 * SIDE / observed) * math.sqrt(constant / observed)
    bound = ALPHA * steep * flat * rate
    if mechanism == "InP":
        return bound
    bound += output_term(SIDE, epsilon)
    return bound if printed else 2 * bound


def output_term(side: int, epsilon: float) -> float:
    """Return what theorem 4 adds to the bound for the noise of the output."""
    return ALPHA**2 * math.log(2 * side) ** 2 / epsilon**2


@claim("O23")
def theorem_4_needs_a_growing_epsilon(evidence: OneBitEvidence) -> Finding:
    """The term of the noise falls with the size if epsilon outgrows log(d1 + d2), else it rises."""
    logs = {side: math.log(2 * side) for side in SIDES}
    constant = [output_term(side, LAST) for side in SIDES]
    as_fast = [output_term(side, logs[side]) for side in SIDES]
    faster = [output_term(side, logs[side] ** FASTER) for side in SIDES]
    falls = all(last < first for first, last in pairwise(faster))
    rises = all(last > first for first, last in pairwise(constant))
    stays = max(as_fast) - min(as_fast) < TOLERANCE
    return Finding(
        verdict_of(falls and rises and stays),
        effect=logs[SIDE] / LAST,
        reason=f"log(d1 + d2)/epsilon at {SIDE} x {SIDE} is {logs[SIDE] / FIRST:.2f} at epsilon "
        f"{FIRST:g} and {logs[SIDE] / LAST:.2f} at {LAST:g}, the ends of figure 1, where the term "
        f"is {output_term(SIDE, FIRST):.1f} and {constant[0]:.2f}, and no squared error "
        f"without noise is above 4. At epsilon {LAST:g} it is {constant[-1]:.2f} for "
        f"{SIDES[-1]:,} x {SIDES[-1]:,}. The noise itself adds 8 alpha^2/epsilon^2 at every size, "
        f"{8 / LAST**2:.2f} at epsilon {LAST:g}: the logarithm is the bound's, not the error's; "
        f"{NOT_REPORTED}",
    )


@claim("O24")
def bounds_level_off_after_5(evidence: OneBitEvidence) -> Finding:
    """Bounds of theorems 1 and 4 fall up to epsilon 5, and hardly a tenth of it later."""
    shares, printed = (
        {
            place_named(name, link): _later(name, LINKS[link], as_printed)
            for name in ("InP", "OutP")
            for link in sorted(LINKS)
        }
        for as_printed in (False, True)
    )
    return Finding(
        verdict_of(all(0 <= share < LEVEL_OFF for share in shares.values())),
        effect=max(shares.values()),
        reason=f"share of the fall from epsilon {FIRST:g} to {LAST:g} that comes after "
        f"{MIDDLE:g}: {_shares(shares)}. With the constants as printed: {_shares(printed)}; "
        f"{NOT_REPORTED}",
    )


def _later(mechanism: str, link: Link, printed: bool) -> float:
    """Return the share of a bound's fall from epsilon 1 to 10 that comes after 5.

    NaN if it does not fall up to 5. The bound is the mean over the fractions of section 5.3.
    """
    first, middle, last = (
        np.mean([squared_error_bound(mechanism, link, share, e, printed) for share in FRACTIONS])
        for e in (FIRST, MIDDLE, LAST)
    )
    return (middle - last) / (first - last) if first > middle else math.nan


def _shares(shares: dict[str, float]) -> str:
    return ", ".join(
        f"{name} {'rises' if math.isnan(share) else f'{share:.3f}'}"
        for name, share in shares.items()
    )
