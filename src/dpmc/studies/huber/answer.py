"""The answer in a few lines: what holds and what does not, each line computed from the results.

"The paper" is "Introducing the Huber mechanism for differentially private low-rank matrix
completion" (arXiv:2206.07910).
"""

import numpy as np
import pandas as pd

from dpmc.studies.huber.cells import COORDINATES
from dpmc.studies.huber.privacy_meaning import losses_in_short, totals_text
from dpmc.studies.huber.published.compare import AGREES, DEVIATES
from dpmc.studies.huber.statistics import cell_summary, pooled_difference, reported_difference
from dpmc.studies.huber.weights_meaning import weights_meaning
from dpmc.study.cells import SYNTHETIC
from dpmc.study.effects import FAILS, HOLDS, OPEN, Finding, effect_text, judged, signed
from dpmc.study.frames import DATASET_LABELS, MECHANISM_LABELS, PRIVATE, select, trials_text
from dpmc.study.rules import VERDICTS

OVER_CELLS = "Mean difference of RMSE over all cells: "
CLOSE, SHARE, MEDIAN = 0.15, 0.85, 0.06  # when the synthetic tables count as reproduced
MOST = 0.9  # share of cells from which "they beat a baseline" holds
REAL_TARGETS = {"ml-100k": (0.02, True), "sweetrs": (0.05, False)}  # tolerance; with noise?


def answer(
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    claims: pd.DataFrame,
    stability: pd.DataFrame | None,
    totals: pd.DataFrame | None = None,
    losses: pd.DataFrame | None = None,
    weights: pd.DataFrame | None = None,
) -> list[Finding]:
    """Return the lines of the answer in the order of the page.

    ``totals``, ``losses`` and ``weights`` are the tables of :mod:`dpmc.studies.huber.totals`,
    :mod:`dpmc.studies.huber.transcript` and :mod:`dpmc.studies.huber.weights`.
    """
    return [
        synthetic_agreement(comparison),
        real_agreement(comparison),
        huber_advantage(trials, comparison),
        irls_advantage(trials, comparison),
        *weights_meaning(weights),
        cost_of_variance(trials, comparison),
        synthetic_baselines(trials),
        real_baselines(trials),
        budgets(comparison),
        nominal_epsilon(totals, losses),
        verdicts(claims, stability),
    ]


def synthetic_agreement(comparison: pd.DataFrame) -> Finding:
    """Judge by how many of the reported synthetic numbers we come near."""
    title = "The synthetic tables can be reproduced"
    rows = comparison[comparison["dataset"] == SYNTHETIC]
    done = rows[rows["log_ratio"].notna()]
    if done.empty:
        return Finding(OPEN, title, "No cell has been run.")
    close = int((np.expm1(done["log_ratio"]).abs() <= CLOSE).sum())
    median = done["log_ratio"].abs().median()
    deviating = int((done["status"] == DEVIATES).sum())
    part = "" if len(done) == len(rows) else f", of {len(rows)} reported,"
    return Finding(
        HOLDS if close >= SHARE * len(done) and median <= MEDIAN else FAILS,
        title,
        f"{close} of {len(done)} numbers{part} lie within 15 % of the reported ones, with a median "
        f"absolute log-ratio of {median:.3f}; {deviating} differ by more than sampling error "
        f"(t-test, Holm). Means over {trials_text(done['trials'])}.",
    )


def real_agreement(comparison: pd.DataFrame) -> Finding:
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
        return Finding(OPEN, title, absent)
    real = comparison[comparison["dataset"].isin(list(REAL_TARGETS))]
    done = real[real["log_ratio"].notna()]
    deviating = int((done["status"] == DEVIATES).sum())
    text = (
        f"Largest deviation from a reported number: {'; '.join(texts)}. {deviating} of {len(done)} "
        f"numbers differ by more than sampling error (t-test, Holm). {absent}"
    )
    verdict = FAILS if not all(good) else OPEN if missing else HOLDS
    return Finding(verdict, title, text.strip())


def _largest(rows: pd.DataFrame) -> str:
    """Format the deviation of the row that deviates most, with its standard error."""
    if rows.empty:
        return "–"
    row = rows.loc[rows["log_ratio"].abs().idxmax()]
    text = signed(row["log_ratio"], digits=1)
    error = row["standard_error"] / row["published"]
    return f"{text.removesuffix(' %')} ± {100 * error:.1f} %" if np.isfinite(error) else text


def huber_advantage(trials: pd.DataFrame, comparison: pd.DataFrame) -> Finding:
    """Judge whether Huber noise beats Gaussian and Laplace noise at variance 2 (synthetic)."""
    ours = trials[(trials["dataset"] == SYNTHETIC) & (trials["variance"] == 2)]
    reported = comparison[(comparison["dataset"] == SYNTHETIC) & (comparison["variance"] == 2)]
    parts, verdicts_ = [], []
    for other in ("gaussian", "laplace"):
        interval = pooled_difference(ours, "mechanism", "huber", other)
        verdicts_.append(judged(interval))
        theirs = signed(reported_difference(reported, "mechanism", "huber", other))
        label = MECHANISM_LABELS[other]
        parts.append(f"{effect_text(interval)} against {label} (reported {theirs})")
    verdict = next(v for v in (FAILS, OPEN, HOLDS) if v in verdicts_)
    title = "Huber noise has less error than Gaussian and Laplace noise at variance 2"
    return Finding(verdict, title, _sentence(OVER_CELLS, parts, ours))


def irls_advantage(trials: pd.DataFrame, comparison: pd.DataFrame) -> Finding:
    """Judge whether A-IRLS beats ALS under Huber noise (synthetic)."""
    where = {"dataset": SYNTHETIC, "mechanism": "huber"}
    ours, reported = select(trials, **where), select(comparison, **where)
    ignore = ("irls_iterations",)
    interval = pooled_difference(ours, "method", "irls", "als", ignore)
    theirs = signed(reported_difference(reported, "method", "irls", "als", ignore))
    parts = [f"{effect_text(interval)} (reported {theirs})"]
    title = "With Huber noise IRLS has less error than ALS"
    return Finding(judged(interval), title, _sentence(OVER_CELLS, parts, ours))


def cost_of_variance(trials: pd.DataFrame, comparison: pd.DataFrame) -> Finding:
    """Judge whether variance 1 has less error than variance 2 (synthetic)."""
    ours, reported = (
        frame[(frame["dataset"] == SYNTHETIC) & frame["mechanism"].isin(PRIVATE)]
        for frame in (trials, comparison)
    )
    interval = pooled_difference(ours, "variance", 1.0, 2.0)
    theirs = signed(reported_difference(reported, "variance", 1.0, 2.0))
    parts = [f"{effect_text(interval)} at variance 1 against 2 (reported {theirs})"]
    title = "More noise costs accuracy"
    return Finding(judged(interval), title, _sentence(OVER_CELLS, parts, ours))


def synthetic_baselines(trials: pd.DataFrame) -> Finding:
    """Judge whether the private models beat the item and user biases (synthetic)."""
    title = "On synthetic data private models beat a bias per item and user, which needs no factors"
    return _against(trials[trials["dataset"] == SYNTHETIC], "user_item_bias", title)


def real_baselines(trials: pd.DataFrame) -> Finding:
    """Judge whether the private models beat a constant on real data."""
    title = "On real data private models beat a constant, the global mean rating"
    return _against(trials[trials["dataset"].isin(list(REAL_TARGETS))], "global_mean", title)


def _against(trials: pd.DataFrame, baseline: str, title: str) -> Finding:
    """Compare the mean RMSE of private cells with that of a baseline without noise."""
    if trials.empty:
        return Finding(OPEN, title, "Data not available.")
    summary = cell_summary(trials)
    level = summary[summary["method"] == baseline]
    private = summary[summary["mechanism"].isin(PRIVATE)]
    keys = ["dataset", "rank", "observed_fraction"]
    pairs = private.merge(level, on=keys, suffixes=("", "_baseline"))
    if pairs.empty:
        return Finding(OPEN, title, "Not run.")
    below = pairs["mean"] < pairs["mean_baseline"]
    apart = int((pairs["high"] < pairs["low_baseline"]).sum())
    verdict = HOLDS if below.mean() > MOST else FAILS if below.mean() < 0.5 else OPEN
    ratio = np.log(pairs["mean"] / pairs["mean_baseline"]).median()
    return Finding(
        verdict,
        title,
        f"They do in {int(below.sum())} of {len(pairs)} cells, in {apart} with 95 % intervals "
        f"apart; the median difference is {signed(ratio)} ({trials_text(pairs['trials'])} a cell). "
        "The papers show no baseline.",
    )


def budgets(comparison: pd.DataFrame) -> Finding:
    """Judge whether the reported budgets are what their formulas give."""
    title = "The reported privacy budgets are what their formulas give"
    rows = comparison[(comparison["metric"] == "epsilon") & comparison["mean"].notna()]
    wrong = rows[rows["status"] != AGREES]
    if rows.empty or wrong.empty:
        return Finding(HOLDS if len(rows) else OPEN, title, f"{len(rows)} of {len(rows)} agree.")
    parts = []
    for mechanism, part in wrong.groupby("mechanism", sort=True):
        worst = part.loc[part["log_ratio"].abs().idxmax()]
        parts.append(
            f"{len(part)} for {MECHANISM_LABELS[mechanism]} noise (worst: {worst['published']:.3f} "
            f"reported, {worst['mean']:.3f} right)"
        )
    logarithm = " The Gaussian ones were computed with log10 for ln."
    return Finding(
        FAILS,
        title,
        f"{len(wrong)} of {len(rows)} are not: {' and '.join(parts)}."
        + (logarithm if (wrong["mechanism"] == "gaussian").any() else ""),
    )


def nominal_epsilon(totals: pd.DataFrame | None, losses: pd.DataFrame | None) -> Finding:
    """Say what the reported epsilon means, with what was computed and measured."""
    parts = [
        "It is the budget of one release of one number at an assumed sensitivity of 5. A run "
        "releases every item vector in every iteration, and the noised sums change by the rating "
        "range times the norm of a user's factors, which nothing bounds."
    ]
    parts += [totals_text(totals), losses_in_short(losses)]
    title = "The reported ε is the privacy of the trained model"
    return Finding(FAILS, title, " ".join(filter(None, parts)))


def verdicts(claims: pd.DataFrame, stability: pd.DataFrame | None) -> Finding:
    """Count the verdicts on the papers' claims, and on how many halves of the trials agree."""
    title = "Most claims of the papers are supported"
    if claims.empty:
        return Finding(OPEN, title, "No claim has been judged.")
    counts = claims["verdict"].value_counts()
    supported, contradicted, none, unsure = (int(counts.get(name, 0)) for name in VERDICTS)
    if stability is None or stability.empty:
        second = "Halves of the trials have not been judged."
    else:
        same = int(stability["stable"].astype(bool).sum())
        second = f"Two halves of the trials do not disagree on {same} of {len(stability)}."
    against = contradicted + none
    return Finding(
        HOLDS if 2 * supported > len(claims) else FAILS if 2 * against > len(claims) else OPEN,
        title,
        f"Of {len(claims)}, {supported} are supported, {contradicted} contradicted, {none} have no "
        f"effect worth naming, and {unsure} are inconclusive on our trials. {second}",
    )


def _sentence(start: str, parts: list[str], trials: pd.DataFrame) -> str:
    count = trials.groupby(list(COORDINATES), dropna=False)["trial"].count()
    return f"{start}{'; '.join(parts)}; 95 % intervals over {trials_text(count)} a cell."
