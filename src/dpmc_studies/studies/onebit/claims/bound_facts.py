"""Statements about the error bounds, by computation: O23 (theorem 4) and O24 (section 5.3)."""

import math
from itertools import pairwise

from dpmc_studies.frame.judging.finding import NOT_REPORTED, Finding
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.methods.onebit.links import LINKS, Link
from dpmc_studies.studies.onebit.claims.evidence import OneBitEvidence, claim, place_named
from dpmc_studies.studies.onebit.claims.link_facts import ROUNDING
from dpmc_studies.studies.onebit.claims.synthetic import FRACTIONS, LEVEL_OFF
from dpmc_studies.studies.onebit.experiments.bounds import output_term, squared_error_bounds

SIDES = (100, 1_000, 10_000, 100_000)
FASTER = 1.5  # power of log(d1 + d2) with which epsilon grows
FIRST, MIDDLE, LAST = 1.0, 5.0, 10.0
THEOREMS = {"InP": (1, "inp"), "OutP": (4, "outp_paper")}


def sizes(side: int) -> dict[str, int]:
    """Return what bounds need of a square matrix of rank 1 with entries within +-1."""
    return {"users": side, "items": side, "rank": 1, "alpha": 1}


@claim("O23")
def theorem_4_needs_a_growing_epsilon(evidence: OneBitEvidence) -> Finding:
    """The term of the noise falls with the size if epsilon outgrows log(d1 + d2), else it rises."""
    logs = {side: math.log(2 * side) for side in SIDES}
    constant = [output_term(sizes(side), LAST) for side in SIDES]
    as_fast = [output_term(sizes(side), logs[side]) for side in SIDES]
    faster = [output_term(sizes(side), logs[side] ** FASTER) for side in SIDES]
    falls = all(last < first for first, last in pairwise(faster))
    rises = all(last > first for first, last in pairwise(constant))
    stays = max(as_fast) - min(as_fast) < ROUNDING
    side = SIDES[0]
    return Finding(
        verdict_of(falls and rises and stays),
        effect=logs[side] / LAST,
        reason=f"log(d1 + d2)/epsilon at {side} x {side} is {logs[side] / FIRST:.2f} at epsilon "
        f"{FIRST:g} and {logs[side] / LAST:.2f} at {LAST:g}, the ends of figure 1, where the term "
        f"is {output_term(sizes(side), FIRST):.1f} and {constant[0]:.2f}, and no squared error "
        f"without noise is above 4. At epsilon {LAST:g} it is {constant[-1]:.2f} for "
        f"{SIDES[-1]:,} x {SIDES[-1]:,}. The noise itself adds 8 alpha^2/epsilon^2 at every size, "
        f"{8 / LAST**2:.2f} at epsilon {LAST:g}: the logarithm is the bound's, not the error's; "
        f"{NOT_REPORTED}",
    )


@claim("O24")
def bounds_level_off_after_5(evidence: OneBitEvidence) -> Finding:
    """Bounds of theorems 1 and 4 fall up to epsilon 5, and hardly a tenth of it later."""
    shares = {
        place_named(name, link): _later(LINKS[link], theorem, "corrected")
        for name, theorem in THEOREMS.items()
        for link in sorted(LINKS)
    }
    printed = {
        place_named(name, link): _later(LINKS[link], theorem, "published")
        for name, theorem in THEOREMS.items()
        for link in sorted(LINKS)
    }
    return Finding(
        verdict_of(all(0 <= share < LEVEL_OFF for share in shares.values())),
        effect=max(shares.values()),
        reason=f"share of the fall from epsilon {FIRST:g} to {LAST:g} that comes after "
        f"{MIDDLE:g}: {_listed(shares)}. With the constants as printed: {_listed(printed)}; "
        f"{NOT_REPORTED}",
    )


def _later(link: Link, theorem: tuple[int, str], form: str) -> float:
    """Return the share of a bound's fall from epsilon 1 to 10 that comes after 5.

    NaN if it does not fall up to 5. The bound is the mean over the fractions of section 5.3.
    """
    first, middle, last = (
        sum(
            getattr(squared_error_bounds(link, sizes(100), fraction, epsilon)[theorem], form)
            for fraction in FRACTIONS
        )
        for epsilon in (FIRST, MIDDLE, LAST)
    )
    return (middle - last) / (first - last) if first > middle else math.nan


def _listed(shares: dict[str, float]) -> str:
    return ", ".join(
        f"{name} {'rises' if math.isnan(share) else f'{share:.3f}'}"
        for name, share in shares.items()
    )
