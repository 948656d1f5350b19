"""Claims about drawn matrices of rank 5: D3, D23 and D24."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import PAPERS, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    all_of,
    always_below,
    explained,
    formatted_means,
    inside,
    mostly_below,
    named,
    percent,
    times,
)
from dpmc_studies.studies.dpals.claims.evidence import (
    EPSILONS,
    DpalsEvidence,
    Form,
    at,
    claim,
    compared,
    dataset_named,
    method_named,
    on_both_forms,
)
from dpmc_studies.studies.dpals.claims.verdicts import best
from dpmc_studies.studies.dpals.theory import RANK

SIZES = ("synthetic-5k", "synthetic-10k", "synthetic-20k", "synthetic-50k")
SMALLEST, LARGEST = SIZES[0], SIZES[-1]
STRICT = 1.0
HALF = np.log(0.5)
SWEPT, ITEM_REGULARIZATIONS = "synthetic-20k", (0.1, 1, 3, 10, 100)
NORM = 2 * np.sqrt(RANK)  # of symmetric noise of that rank, in deviations of its diagonal


@claim("D3")
def dpals_below_one_and_better_with_users(evidence: DpalsEvidence) -> Finding:
    """DPALS at epsilon 1 is below the mean at every size; 50K users have half the error of 5K."""
    errors = evidence.results

    def judge(form: Form) -> Finding:
        ratio = errors.log_rmse(LARGEST, form.dpals, STRICT) - errors.log_rmse(
            SMALLEST, form.dpals, STRICT
        )
        return all_of(
            [
                named(
                    "against the mean",
                    inside(_over_trivial(evidence, form.dpals), high=0.0, margin_of=PAPERS),
                ),
                named(
                    "50K against 5K users", inside({"50K/5K": ratio}, high=HALF, formatter=times)
                ),
            ]
        )

    return on_both_forms(judge)


@claim("D23")
def projection_improves(evidence: DpalsEvidence) -> Finding:
    """MOST: with the projection DPALS is better, at every lambda_item below the noise's norm."""
    errors = evidence.results
    projected, none = (
        {
            f"{value:g}": errors.log_rmse(SWEPT, "dpals", STRICT, f"{kind}_{value:g}")
            for value in ITEM_REGULARIZATIONS
        }
        for kind in ("projected", "none")
    )
    sweep = {name: projected[name] - none[name] for name in none}
    found = mostly_below({f"lambda {name}": sweep[name] for name in sweep if float(name) < NORM})
    (with_it, lowest), (without, lowest_without) = best(projected), best(none)
    at_best = always_below({"with it against without": lowest - lowest_without})
    return explained(
        found,
        f"By lambda {formatted_means(sweep, percent)}. Each at its best lambda ({with_it} with the "
        f"projection, {without} without): {at_best.verdict}, {at_best.reason}; RMSE, medians "
        f"{_median(lowest)} and {_median(lowest_without)}",
    )


@claim("D24")
def better_dependence_on_users(evidence: DpalsEvidence) -> Finding:
    """ALL: RMSE of DPALS falls further from 5K to 50K users than that of DPFW."""
    errors = evidence.results

    def judge(form: Form) -> Finding:
        falls = {
            method: {
                at(epsilon): errors.log_rmse(LARGEST, method, epsilon)
                - errors.log_rmse(SMALLEST, method, epsilon)
                for epsilon in EPSILONS
            }
            for method in (form.dpals, form.dpfw)
        }
        ours, theirs = falls.values()
        found = always_below({name: ours[name] - theirs[name] for name in ours})
        by_method = "; ".join(
            f"{method_named(method)} {formatted_means(rows, times)}"
            for method, rows in falls.items()
        )
        return replace(found, reason=f"{found.reason}; RMSE, 50K users against 5K: {by_method}")

    return compared(judge)


def _median(log_errors: np.ndarray) -> str:
    return f"{pd.Series(np.exp(log_errors)).median():.3f}"


def _over_trivial(evidence: DpalsEvidence, method: str) -> Rows:
    """Return log RMSE at epsilon 1 over that of the mean of the training ratings, by size."""
    errors = evidence.results
    return {
        dataset_named(size): errors.log_rmse(size, method, STRICT)
        - errors.log_rmse(size, "trivial")
        for size in SIZES
    }
