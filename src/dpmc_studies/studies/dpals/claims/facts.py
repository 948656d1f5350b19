"""Claims about counts of ratings and about theorem 1: D19, D20, D22 and D31."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import OURS, PAPERS, Finding
from dpmc_studies.frame.judging.rules import not_available
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.studies.dpals.claims.evidence import DpalsEvidence, claim, dataset_named
from dpmc_studies.studies.dpals.claims.movielens import ALL_MOVIES
from dpmc_studies.studies.dpals.experiments.coverage import COVERAGE_COLUMNS

TOP_SHARE, MOST = 0.2, 0.85
RATINGS_PER_USER = 50
HERE, HALF = "ml-100k", 0.5
ROUNDING = 1 + 1e-9


@claim("D19")
def top_movies_hold_most_ratings(evidence: DpalsEvidence) -> Finding:
    """The top 20 % of movies hold more than 85 % of the ratings."""
    rows = _coverage(evidence, "full").sort_values("item_share")
    if rows.empty:
        return not_available("coverage")
    held = float(np.interp(TOP_SHARE, rows["item_share"], rows["rating_share"]))
    return Finding(
        verdict_of(held > MOST),
        effect=held,
        reason=f"the top {TOP_SHARE:.0%} of the movies hold {held:.1%} of the ratings",
        margin=MOST,
        margin_of=PAPERS,
    )


@claim("D20")
def uniform_sampling_skews_and_adaptive_evens_out(evidence: DpalsEvidence) -> Finding:
    """Gini coefficient of ratings over movies: uniform above all ratings above adaptive."""
    sampled = [_coverage(evidence, kind) for kind in ("uniform", "adaptive")]
    chosen = [rows[rows["ratings_per_user"] == RATINGS_PER_USER] for rows in sampled]
    rows = [chosen[0], _coverage(evidence, "full"), chosen[1]]
    if any(each.empty for each in rows):
        return not_available("coverage")
    uniform, full, adaptive = (float(each["gini"].iloc[0]) for each in rows)
    return Finding(
        verdict_of(uniform > full > adaptive),
        effect=min(uniform - full, full - adaptive),
        reason=f"Gini coefficient {uniform:.4f} with {RATINGS_PER_USER} ratings a user at random, "
        f"{full:.4f} with all, {adaptive:.4f} with those of the least rated movies",
    )


@claim("D31")
def skew_from_correlated_counts(evidence: DpalsEvidence) -> Finding:
    """Counts correlate negatively, and with items shuffled uniform sampling skews half as much."""
    table = evidence.tables.get("coverage")
    names = [] if table is None else sorted(table["dataset"].unique())
    kinds = ("full", "uniform", "shuffled")
    parts, holds, correlations = [], [], []
    for name in (name for name in names if name in (ALL_MOVIES, HERE)):
        own = table[table["dataset"] == name].drop_duplicates("sampling").set_index("sampling")
        if not set(kinds) <= set(own.index):
            continue
        full, uniform, shuffled = own.loc[list(kinds), "gini"]
        correlation = float(own.loc["full", "count_correlation"])
        correlations.append(correlation)
        holds.append(correlation < 0 and shuffled - full < HALF * (uniform - full))
        parts.append(
            f"{dataset_named(name)}: correlation {correlation:.3f}, Gini coefficient {full:.4f} "
            f"of all ratings, {uniform:.4f} with {RATINGS_PER_USER} a user at random, "
            f"{shuffled:.4f} so with items shuffled"
        )
    if not parts:
        return not_available("coverage")
    return Finding(
        verdict_of(all(holds)), effect=max(correlations), reason="; ".join(parts), margin=HALF,
        margin_of=OURS,
    )  # fmt: skip


@claim("D22")
def published_noise_gives_epsilon(evidence: DpalsEvidence) -> Finding:
    """Exactly accounted for, the noise of theorem 1 gives no more than epsilon."""
    table = evidence.tables.get("accounting")
    if table is None:
        return not_available("accounting")
    ratios = table["epsilon_at_published"] / table["epsilon"]
    points = ", ".join(
        f"{row.epsilon_at_published:.4g} for {row.epsilon:g} (k {row.ratings_per_user}, T "
        f"{row.iterations})"
        for row in table.itertuples()
    )
    return Finding(
        verdict_of(ratios.max() <= ROUNDING),
        effect=float(ratios.max()),
        reason=f"epsilon is {points}, at delta {table['delta'].iloc[0]:g}",
    )


def _coverage(evidence: DpalsEvidence, sampling: str) -> pd.DataFrame:
    """Return the rows of all movies of MovieLens 10M under one sampling."""
    table = evidence.tables.get("coverage", pd.DataFrame(columns=list(COVERAGE_COLUMNS)))
    return table[(table["dataset"] == ALL_MOVIES) & (table["sampling"] == sampling)]
