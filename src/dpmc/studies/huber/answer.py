"""The answer in a few lines: what holds and what does not, each line computed from the results.

"The paper" is "Introducing the Huber mechanism for differentially private low-rank matrix
completion" (arXiv:2206.07910).
"""

import numpy as np
import pandas as pd

from dpmc.studies.huber.privacy_meaning import losses_in_short, totals_text
from dpmc.studies.huber.published.compare import AGREES, DEVIATES
from dpmc.studies.huber.statistics import cell_summary
from dpmc.studies.huber.weights_meaning import weights_meaning
from dpmc.study.cells import SYNTHETIC
from dpmc.study.effects import Answer, answer_to, signed
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED, VERDICTS
from dpmc.study.frames import DATASET_LABELS, MECHANISM_LABELS, PRIVATE, trials_text

FIRST = ("H3", "H7", "H9")  # the claims that the papers lead with
CLOSE, SHARE, MEDIAN = 0.15, 0.85, 0.06  # when the synthetic tables count as reproduced
MOST = 0.9  # share of cells from which "they beat a baseline" holds
REAL_TARGETS = {"ml-100k": (0.02, True), "sweetrs": (0.05, False)}  # tolerance; with noise?


def answer(
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    claims: pd.DataFrame,
    totals: pd.DataFrame | None = None,
    losses: pd.DataFrame | None = None,
    weights: pd.DataFrame | None = None,
) -> list[Answer]:
    """Return the lines of the answer in the order of the page.

    ``totals``, ``losses`` and ``weights`` are the tables of :mod:`dpmc.studies.huber.totals`,
    :mod:`dpmc.studies.huber.transcript` and :mod:`dpmc.studies.huber.weights`.
    """
    return [
        synthetic_agreement(comparison),
        real_agreement(comparison),
        *(answer_to(claims, identifier) for identifier in FIRST if identifier in set(claims["id"])),
        *weights_meaning(weights, claims),
        synthetic_baselines(trials),
        real_baselines(trials),
        budgets(comparison),
        nominal_epsilon(totals, losses),
        verdicts(claims),
    ]


def synthetic_agreement(comparison: pd.DataFrame) -> Answer:
    """Judge by how many of the reported synthetic numbers we come near."""
    title = "The synthetic tables can be reproduced"
    rows = comparison[comparison["dataset"] == SYNTHETIC]
    done = rows[rows["log_ratio"].notna()]
    if done.empty:
        return Answer(INCONCLUSIVE, title, "No cell has been run.")
    close = int((np.expm1(done["log_ratio"]).abs() <= CLOSE).sum())
    median = done["log_ratio"].abs().median()
    deviating = int((done["status"] == DEVIATES).sum())
    part = "" if len(done) == len(rows) else f", of {len(rows)} reported,"
    return Answer(
        SUPPORTED if close >= SHARE * len(done) and median <= MEDIAN else CONTRADICTED,
        title,
        f"{close} of {len(done)} numbers{part} lie within 15 % of the reported ones, with a median "
        f"absolute log-ratio of {median:.3f}; {deviating} differ by more than sampling error "
        f"(t-test, Holm). Means over {trials_text(done['trials'])}.",
    )


def real_agreement(comparison: pd.DataFrame) -> Answer:
    """Judge how near MovieLens 100K and SweetRS come."""
    texts, good, missing = [], [], []
    for dataset, (target, noisy) in REAL_TARGETS.items():
        label = DATASET_LABELS[dataset]
        rows = comparison[(comparison["dataset"] == dataset) & comparison["log_ratio"].notna()]
        if rows.empty:
            missing.append(label)
            continue
        private = rows["mechanism"] != "none"
        judged_rows = rows[private == noisy]
        good.append(bool((np.expm1(judged_rows["log_ratio"]).abs() <= target).all()))
        texts.append(
            f"{label} {_largest(rows[private])} with noise and {_largest(rows[~private])} without "
            f"({trials_text(rows['trials'])})"
        )
    title = (
        "On real data we come within 2 % on MovieLens 100K with noise and 5 % on SweetRS without"
    )
    absent = f"Data not available: {' and '.join(missing)}." if missing else ""
    if not texts:
        return Answer(INCONCLUSIVE, title, absent)
    real = comparison[comparison["dataset"].isin(list(REAL_TARGETS))]
    done = real[real["log_ratio"].notna()]
    deviating = int((done["status"] == DEVIATES).sum())
    text = (
        f"Largest deviation from a reported number: {'; '.join(texts)}. {deviating} of {len(done)} "
        f"numbers differ by more than sampling error (t-test, Holm). {absent}"
    )
    verdict = CONTRADICTED if not all(good) else INCONCLUSIVE if missing else SUPPORTED
    return Answer(verdict, title, text.strip())


def _largest(rows: pd.DataFrame) -> str:
    """Format the deviation of the row that deviates most, with its standard error."""
    if rows.empty:
        return "–"
    row = rows.loc[rows["log_ratio"].abs().idxmax()]
    text = signed(row["log_ratio"], digits=1)
    error = row["standard_error"] / row["published"]
    return f"{text.removesuffix(' %')} ± {100 * error:.1f} %" if np.isfinite(error) else text


def synthetic_baselines(trials: pd.DataFrame) -> Answer:
    """Judge whether the private models beat the item and user biases (synthetic)."""
    title = "On synthetic data private models beat a bias per item and user, which needs no factors"
    return _against(trials[trials["dataset"] == SYNTHETIC], "user_item_bias", title)


def real_baselines(trials: pd.DataFrame) -> Answer:
    """Judge whether the private models beat a constant on real data."""
    title = "On real data private models beat a constant, the global mean rating"
    return _against(trials[trials["dataset"].isin(list(REAL_TARGETS))], "global_mean", title)


def _against(trials: pd.DataFrame, baseline: str, title: str) -> Answer:
    """Compare the mean RMSE of private cells with that of a baseline without noise."""
    if trials.empty:
        return Answer(INCONCLUSIVE, title, "Data not available.")
    summary = cell_summary(trials)
    level = summary[summary["method"] == baseline]
    private = summary[summary["mechanism"].isin(PRIVATE)]
    keys = ["dataset", "rank", "observed_fraction"]
    pairs = private.merge(level, on=keys, suffixes=("", "_baseline"))
    if pairs.empty:
        return Answer(INCONCLUSIVE, title, "Not run.")
    below = pairs["mean"] < pairs["mean_baseline"]
    apart = int((pairs["high"] < pairs["low_baseline"]).sum())
    verdict = (
        SUPPORTED if below.mean() > MOST else CONTRADICTED if below.mean() < 0.5 else INCONCLUSIVE
    )
    ratio = np.log(pairs["mean"] / pairs["mean_baseline"]).median()
    return Answer(
        verdict,
        title,
        f"They do in {int(below.sum())} of {len(pairs)} cells, in {apart} with 95 % intervals "
        f"apart; the median difference is {signed(ratio)} ({trials_text(pairs['trials'])} a cell). "
        "The papers show no baseline.",
    )


def budgets(comparison: pd.DataFrame) -> Answer:
    """Judge whether the reported budgets are what their formulas give."""
    title = "The reported privacy budgets are what their formulas give"
    rows = comparison[(comparison["metric"] == "epsilon") & comparison["mean"].notna()]
    wrong = rows[rows["status"] != AGREES]
    if rows.empty or wrong.empty:
        return Answer(
            SUPPORTED if len(rows) else INCONCLUSIVE, title, f"{len(rows)} of {len(rows)} agree."
        )
    parts = []
    for mechanism, part in wrong.groupby("mechanism", sort=True):
        worst = part.loc[part["log_ratio"].abs().idxmax()]
        parts.append(
            f"{len(part)} for {MECHANISM_LABELS[mechanism]} noise (worst: {worst['published']:.3f} "
            f"reported, {worst['mean']:.3f} right)"
        )
    logarithm = " The Gaussian ones were computed with log10 for ln."
    return Answer(
        CONTRADICTED,
        title,
        f"{len(wrong)} of {len(rows)} are not: {' and '.join(parts)}."
        + (logarithm if (wrong["mechanism"] == "gaussian").any() else ""),
    )


def nominal_epsilon(totals: pd.DataFrame | None, losses: pd.DataFrame | None) -> Answer:
    """Say what the reported epsilon means, with what was computed and measured."""
    parts = [
        "It is the budget of one release of one number at an assumed sensitivity of 5. A run "
        "releases every item vector in every iteration, and the noised sums change by the rating "
        "range times the norm of a user's factors, which nothing bounds."
    ]
    parts += [totals_text(totals), losses_in_short(losses)]
    title = "The reported ε is the privacy of the trained model"
    return Answer(CONTRADICTED, title, " ".join(filter(None, parts)))


def verdicts(claims: pd.DataFrame) -> Answer:
    """Count the verdicts on the papers' claims, and those that hang on how one looks."""
    title = "Most claims of the papers are supported"
    if claims.empty:
        return Answer(INCONCLUSIVE, title, "No claim has been judged.")
    counts = claims["verdict"].value_counts()
    supported, contradicted, none, unsure = (int(counts.get(name, 0)) for name in VERDICTS)
    dependent = int((claims["depends_on"].fillna("") != "").sum())
    against = contradicted + none
    most = 2 * supported > len(claims), 2 * against > len(claims)
    return Answer(
        SUPPORTED if most[0] else CONTRADICTED if most[1] else INCONCLUSIVE,
        title,
        f"Of {len(claims)}, {supported} are supported, {contradicted} contradicted, {none} have no "
        f"effect worth naming, and {unsure} are inconclusive on our trials. On one half of the "
        f"trials alone, or on medians, {dependent} would be decided otherwise.",
    )
