"""Claims about synthetic data: O1 to O4, and O8 to O10."""

from itertools import product

import numpy as np

from dpmc.statistics.tests import row_tests
from dpmc.studies.onebit.cells import CLEAR, OBSERVED_FRACTION
from dpmc.studies.onebit.claims.evidence import (
    LINKS,
    PAPER,
    PERTURBED,
    OneBitEvidence,
    Outputs,
    claim,
    synthetic_cell,
)
from dpmc.studies.onebit.claims.verdicts import on_both_outputs
from dpmc.study.rules import Finding, Rows, always_below, both, named, within

LITTLE = np.log(1.10)
LEVEL_OFF = np.log(1.05)
DRASTIC = np.log(1.5)
FRACTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
FEWEST, MOST = FRACTIONS[0], FRACTIONS[-1]
VERY_SMALL = (0.25, 0.5, 1.0)
EPSILONS = (*VERY_SMALL, *(float(epsilon) for epsilon in range(2, 11)))
SMALL = (1.0, 2.0)
MIDDLE, SATURATED, LARGEST = 4.0, 5.0, 10.0


@claim("O1")
def three_vary_little_with_epsilon(evidence: OneBitEvidence) -> Finding:
    """|log ARE(1)/ARE(10)| within 10 %: InP, ObjP, GraP, both links, 15 % observed."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            f"{name} {link}": _fall(outputs, name, link, OBSERVED_FRACTION, 1.0)
            for name, link in product(PERTURBED, LINKS)
        }
        return within(rows, LITTLE)

    return on_both_outputs(evidence, judge)


@claim("O2")
def outp_worst_at_small_epsilon(evidence: OneBitEvidence) -> Finding:
    """ALL: each other mechanism below OutP at epsilon 1 and 2."""

    def judge(outputs: Outputs) -> Finding:
        rows = {
            f"{name} {link} eps {epsilon:g}": _at(outputs, name, link, epsilon)
            - _at(outputs, "OutP", link, epsilon)
            for name, link, epsilon in product(PERTURBED, LINKS, SMALL)
        }
        return always_below(rows)

    return on_both_outputs(evidence, judge)


@claim("O3")
def outp_comparable_at_epsilon_4(evidence: OneBitEvidence) -> Finding:
    """|log ARE of OutP over the mean ARE of the others| within 10 % at epsilon 4."""

    def excess(outputs: Outputs, link: str) -> np.ndarray:
        others = [np.exp(_at(outputs, name, link, MIDDLE)) for name in PERTURBED]
        return _at(outputs, "OutP", link, MIDDLE) - np.log(np.mean(others, axis=0))

    def judge(outputs: Outputs) -> Finding:
        return within({link: excess(outputs, link) for link in LINKS}, LITTLE)

    return on_both_outputs(evidence, judge)


@claim("O4")
def errors_fall_and_approach_clear(evidence: OneBitEvidence) -> Finding:
    """ALL fall from epsilon 1 to 10, and at 10 all are within 10 % of Clear."""

    def judge(outputs: Outputs) -> Finding:
        falls, gaps = {}, {}
        for name, link in product(PAPER, LINKS):
            at_largest = _at(outputs, name, link, LARGEST)
            falls[f"{name} {link}"] = at_largest - _at(outputs, name, link, 1.0)
            gaps[f"{name} {link}"] = at_largest - _at(outputs, CLEAR, link, None)
        return both(
            [
                named("epsilon 10 against 1", always_below(falls)),
                named("epsilon 10 against Clear", within(gaps, LITTLE)),
            ]
        )

    return on_both_outputs(evidence, judge)


@claim("O8")
def all_improve_with_the_observed_fraction(evidence: OneBitEvidence) -> Finding:
    """ALL: ARE at 80 % below that at 20 %, but for the cells that the paper excepts (O10)."""
    cells = [
        (name, link, epsilon)
        for name, link, epsilon in product(PAPER, LINKS, EPSILONS)
        if not (name in ("ObjP", "OutP") and epsilon in VERY_SMALL)
    ]
    return on_both_outputs(evidence, lambda outputs: always_below(_gains(outputs, cells)))


@claim("O9")
def inp_and_outp_level_off(evidence: OneBitEvidence) -> Finding:
    """|log ARE(5)/ARE(10)| within 5 %, at 15 % and as a mean over 20 to 80 %."""

    def judge(outputs: Outputs) -> Finding:
        rows = {}
        for name, link in product(("InP", "OutP"), LINKS):
            falls = [
                _fall(outputs, name, link, fraction, SATURATED)
                for fraction in (OBSERVED_FRACTION, *FRACTIONS)
            ]
            rows[f"{name} {link} 15 %"] = falls[0]
            rows[f"{name} {link} mean over fractions"] = np.mean(falls[1:], axis=0)
        return within(rows, LEVEL_OFF)

    return on_both_outputs(evidence, judge)


@claim("O10")
def objp_changes_drastically_and_fractions_hardly_matter(evidence: OneBitEvidence) -> Finding:
    """ALL: ARE of ObjP falls by a factor of 1.5; at epsilon <= 1 shares matter less than 10 %."""
    cells = list(product(("ObjP", "OutP"), LINKS, VERY_SMALL))

    def judge(outputs: Outputs) -> Finding:
        grown, from_one = (
            {
                f"{link} {100 * fraction:.0f} %": -_fall(outputs, "ObjP", link, fraction, epsilon)
                for link, fraction in product(LINKS, FRACTIONS)
            }
            for epsilon in (VERY_SMALL[0], 1.0)
        )
        since_one = np.exp(-row_tests(np.array(list(from_one.values()))).mean.mean())
        return both(
            [
                named(
                    f"ObjP, epsilon 10 against 0.25 (against 1: factor {since_one:.3f})",
                    always_below(grown, -DRASTIC),
                ),
                named("fraction 80 % against 20 %", within(_gains(outputs, cells), LITTLE)),
            ]
        )

    return on_both_outputs(evidence, judge)


def _at(outputs: Outputs, name: str, link: str, epsilon: float | None) -> np.ndarray:
    """Return log ARE at 15 % observed."""
    return outputs.log_are(synthetic_cell(name, link, OBSERVED_FRACTION, epsilon))


def _fall(outputs: Outputs, name: str, link: str, fraction: float, epsilon: float) -> np.ndarray:
    """Return log ARE(epsilon)/ARE(10)."""
    return outputs.log_are(synthetic_cell(name, link, fraction, epsilon)) - outputs.log_are(
        synthetic_cell(name, link, fraction, LARGEST)
    )


def _gains(outputs: Outputs, cells: list[tuple[str, str, float]]) -> Rows:
    """Return log ARE(80 %)/ARE(20 %) by mechanism, link and epsilon."""
    return {
        f"{name} {link} eps {epsilon:g}": outputs.log_are(synthetic_cell(name, link, MOST, epsilon))
        - outputs.log_are(synthetic_cell(name, link, FEWEST, epsilon))
        for name, link, epsilon in cells
    }
