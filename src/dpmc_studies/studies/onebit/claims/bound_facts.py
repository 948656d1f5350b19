"""Statements about the error bounds, by computation: O23 (theorem 4) and O24 (section 5.3).

Source: [Li 2021], theorems 1 and 4. The mean squared error of a d1 x d2 matrix of rank r, of which
n entries are observed, is at most the following, with a probability that the theorems state. With
f = h, or the flipped link c = p + (1 - 2p) h in theorem 1, and over abs(x) <= alpha,

    L = sup f'/(f (1 - f)),        beta = sup f (1 - f)/f'^2,
    S = alpha L beta sqrt(r (d1 + d2)/n),

    theorem 1 (InP)     S sqrt(C/n)
    theorem 4 (OutP)    S sqrt(C/n) + alpha^2 log^2(d1 + d2)/epsilon^2

where C is the C_Omega,Y of the theorems. Constants that they leave open are 1 here. Corrected are
L and beta (E25, E46: computed, not the printed bounds on them), C (E47), and a factor 2 of all of
theorem 4 (E48).
"""

import math
from itertools import pairwise

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.frame.judging.finding import NOT_REPORTED, Finding
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.methods.onebit.links import LINKS, Link
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim, place_named
from dpmc_studies.studies.onebit.claims.link_facts import ALPHA, ROUNDING, steepness_and_flatness
from dpmc_studies.studies.onebit.claims.outputs import FRACTIONS, LEVEL_OFF

SIDES = (100, 1_000, 10_000, 100_000)
SIDE = SIDES[0]  # of the paper's matrices, of rank 1
FASTER = 1.5  # power of log(d1 + d2) with which epsilon grows
FIRST, MIDDLE, LAST = 1.0, 5.0, 10.0
RIGHT = "right"  # among the forms of C


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
    """Return C_Omega,Y in its three printed forms and, under :data:`RIGHT`, without the root.

    "theorems" is that of theorems 1, 2 and, by reference, 4; "appendix_b" that of equation 11;
    "appendix_d" that of theorem 4's proof. The last is Davenport, Plan, van den Berg and Wootters
    (2014), theorem 1.
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
    stays = max(as_fast) - min(as_fast) < ROUNDING
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
        f"{MIDDLE:g}: {_listed(shares)}. With the constants as printed: {_listed(printed)}; "
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


def _listed(shares: dict[str, float]) -> str:
    return ", ".join(
        f"{name} {'rises' if math.isnan(share) else f'{share:.3f}'}"
        for name, share in shares.items()
    )
