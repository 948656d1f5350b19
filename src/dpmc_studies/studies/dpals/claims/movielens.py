"""Claims about MovieLens 10M and 20M that are no comparison of two sides: D11 and D18."""

from dataclasses import replace

import numpy as np

from dpmc_studies.frame.judging.finding import MARGIN, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    all_of,
    always_below,
    as_matrix,
    formatted_means,
    inside,
    named,
    plain,
)
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.dpals.claims.evidence import (
    DpalsEvidence,
    Form,
    at,
    claim,
    method_named,
    on_both_forms,
)

ALL_MOVIES, IMPLICIT = "ml-10m", "ml-20m"
STRICT, MIDDLE, LOOSE = 1.0, 10.0, 20.0
RECALL, RECALL_OF_ALS, RECALL_OF_RECVAE = 0.34, 0.36, 0.414  # the last two as the paper cites them
PARTS = {"5%": "adaptive_0.05", "20%": "adaptive_0.2"}  # of the movies, by number of ratings


@claim("D11")
def recall_comparable_to_als(evidence: DpalsEvidence) -> Finding:
    """Recall@20 of DPALS at epsilon 20 is at least .34."""
    results = evidence.results

    def judge(form: Form) -> Finding:
        ours = results.recall(IMPLICIT, form.dpals, LOOSE)
        return inside({at(LOOSE): ours}, low=RECALL, formatter=plain)

    found = on_both_forms(judge)
    beside = {method_named(name): results.recall(IMPLICIT, name) for name in ("ials", "popularity")}
    return replace(
        found,
        reason=f"{found.reason}. Without privacy {formatted_means(beside)}; reported: ALS "
        f"{RECALL_OF_ALS:.3f}, RecVAE {RECALL_OF_RECVAE:.3f}",
    )


@claim("D18")
def subset_gains_little_with_adaptive_sampling(evidence: DpalsEvidence) -> Finding:
    """The best part of the movies gains less than 1 % at epsilon 10, and more at epsilon 1."""
    errors = evidence.results

    def judge(form: Form) -> Finding:
        gains = {}
        for epsilon in (STRICT, MIDDLE):
            whole = errors.log_rmse(ALL_MOVIES, form.dpals, epsilon, "adaptive_1")
            share, least = best({
                share: errors.log_rmse(ALL_MOVIES, form.dpals, epsilon, variant) - whole
                for share, variant in PARTS.items()
            })  # fmt: skip
            gains[epsilon] = share, -least
        (share, gain), (first, at_strict) = gains[MIDDLE], gains[STRICT]
        marginal = inside({f"{share} at {at(MIDDLE)}": gain}, high=MARGIN[1])
        growth = {f"{at(MIDDLE)} against {STRICT:g} ({first})": gain - at_strict}
        return all_of([named("gain", marginal), named("growth", always_below(growth))])

    return on_both_forms(judge)


def best(rows: Rows) -> tuple[str, np.ndarray]:
    """Return the row with the least mean over trials, or one that has none, with its name."""
    means = row_tests(as_matrix(rows)).mean
    place = int(np.argmin(means))  # a missing mean counts as the least
    return list(rows.items())[place]
