"""Claims about counts of ratings, theorem 1 and MovieLens that are no comparison of two sides."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import MARGIN, OURS, PAPERS, Finding
from dpmc_studies.frame.judging.rules import (
    all_of,
    always_below,
    explained,
    fact,
    formatted_means,
    inside,
    named,
    not_available,
    plain,
)
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.dpals.claims.evidence import (
    DpalsEvidence,
    at,
    claim,
    dataset_named,
    method_named,
)
from dpmc_studies.studies.dpals.experiments.coverage import COVERAGE_COLUMNS

ALL_MOVIES, IMPLICIT, HERE = "ml-10m", "ml-20m", "ml-100k"
STRICT, MIDDLE, LOOSE = 1.0, 10.0, 20.0
RECALL, RECALL_OF_ALS, RECALL_OF_RECVAE = 0.34, 0.36, 0.414  # the last two as the paper cites them
PARTS = {"5%": "adaptive_0.05", "20%": "adaptive_0.2"}  # of the movies, by number of ratings
TOP_SHARE, MOST = 0.2, 0.85
RATINGS_PER_USER = 50
HALF = 0.5
ROUNDING = 1 + 1e-9


@claim("D11")
def recall_comparable_to_als(evidence: DpalsEvidence) -> Finding:
    """Recall@20 of DPALS at epsilon 20 is at least .34."""
    recall = evidence.results.recall
    found = inside({at(LOOSE): recall(IMPLICIT, "dpals", LOOSE)}, low=RECALL, formatter=plain)
    beside = {method_named("popularity"): recall(IMPLICIT, "popularity")}
    return explained(
        found,
        f"Without privacy {formatted_means(beside)}; reported: ALS {RECALL_OF_ALS:.3f}, RecVAE "
        f"{RECALL_OF_RECVAE:.3f}",
    )


@claim("D18")
def subset_gains_little_with_adaptive_sampling(evidence: DpalsEvidence) -> Finding:
    """The best part of the movies gains less than 1 % at epsilon 10, and more at epsilon 1."""

    def gain(epsilon: float) -> tuple[str, np.ndarray]:
        cell = ALL_MOVIES, "dpals", epsilon
        errors = {name: evidence.results.log_rmse(*cell, each) for name, each in PARTS.items()}
        means = row_tests([*errors.values()]).mean
        best = [*errors][int(np.argmin(means))]  # a missing mean counts as the least
        return best, evidence.results.log_rmse(*cell, "adaptive_1") - errors[best]

    (share, at_middle), (first, at_strict) = gain(MIDDLE), gain(STRICT)
    marginal = inside({f"{share} at {at(MIDDLE)}": at_middle}, high=MARGIN[1])
    growth = {f"{at(MIDDLE)} against {STRICT:g} ({first})": at_middle - at_strict}
    return all_of([named("gain", marginal), named("growth", always_below(growth))])


@claim("D19")
def top_movies_hold_most_ratings(evidence: DpalsEvidence) -> Finding:
    """The top 20 % of movies hold more than 85 % of the ratings."""
    rows = _coverage(evidence, ALL_MOVIES, "full").sort_values("item_share")
    if rows.empty:
        return not_available("coverage")
    held = float(np.interp(TOP_SHARE, rows["item_share"], rows["rating_share"]))
    text = f"the top {TOP_SHARE:.0%} of the movies hold {held:.1%} of the ratings"
    return fact(held > MOST, text, effect=held, margin=MOST, margin_of=PAPERS)


@claim("D20")
def uniform_sampling_skews_and_adaptive_evens_out(evidence: DpalsEvidence) -> Finding:
    """Gini coefficient of ratings over movies: uniform above all ratings above adaptive."""
    found = [
        _coverage(evidence, ALL_MOVIES, kind)["gini"] for kind in ("uniform", "full", "adaptive")
    ]
    if any(each.empty for each in found):
        return not_available("coverage")
    uniform, full, adaptive = (float(each.iloc[0]) for each in found)
    text = (
        f"Gini coefficient {uniform:.4f} with {RATINGS_PER_USER} ratings a user at random, "
        f"{full:.4f} with all, {adaptive:.4f} with those of the least rated movies"
    )
    return fact(uniform > full > adaptive, text, effect=min(uniform - full, full - adaptive))


@claim("D31")
def skew_from_correlated_counts(evidence: DpalsEvidence) -> Finding:
    """Counts correlate negatively, and with items shuffled uniform sampling skews half as much."""
    parts, holds, correlations = [], [], []
    for name in (HERE, ALL_MOVIES):
        rows = [_coverage(evidence, name, kind) for kind in ("full", "uniform", "shuffled")]
        if any(each.empty for each in rows):
            continue
        full, uniform, shuffled = (float(each["gini"].iloc[0]) for each in rows)
        correlations.append(float(rows[0]["count_correlation"].iloc[0]))
        holds.append(correlations[-1] < 0 and shuffled - full < HALF * (uniform - full))
        parts.append(
            f"{dataset_named(name)}: correlation {correlations[-1]:.3f}, Gini coefficient "
            f"{full:.4f} of all ratings, {uniform:.4f} with {RATINGS_PER_USER} a user at random, "
            f"{shuffled:.4f} so with items shuffled"
        )
    if not parts:
        return not_available("coverage")
    return fact(all(holds), "; ".join(parts), effect=max(correlations), margin=HALF, margin_of=OURS)


@claim("D22")
def published_noise_gives_epsilon(evidence: DpalsEvidence) -> Finding:
    """Exactly accounted for, the noise of theorem 1 gives no more than epsilon."""
    table = evidence.tables.get("accounting")
    if table is None:
        return not_available("accounting")
    largest = float((table["epsilon_at_published"] / table["epsilon"]).max())
    points = ", ".join(
        f"{row.epsilon_at_published:.4g} for {row.epsilon:g} (k {row.ratings_per_user}, T "
        f"{row.iterations})"
        for row in table.itertuples()
    )
    text = f"epsilon is {points}, at delta {table['delta'].iloc[0]:g}"
    return fact(largest <= ROUNDING, text, effect=largest)


def _coverage(evidence: DpalsEvidence, dataset: str, sampling: str) -> pd.DataFrame:
    """Return the rows of a data set under one sampling, of 50 ratings a user if not of all."""
    table = evidence.tables.get("coverage", pd.DataFrame(columns=list(COVERAGE_COLUMNS)))
    known = table["ratings_per_user"].isna() | (table["ratings_per_user"] == RATINGS_PER_USER)
    return table[known & (table["dataset"] == dataset) & (table["sampling"] == sampling)]
