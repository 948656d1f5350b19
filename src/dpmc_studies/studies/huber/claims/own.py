"""What we claim ourselves of the Huber paper: R1 to R6."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.effects import signed
from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NOT_AVAILABLE, Finding
from dpmc_studies.frame.judging.rules import Rows, explained, fact, mostly_below, not_available
from dpmc_studies.frame.showing.frames import (
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    PRIVATE,
    trials_text,
)
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.privacy_meaning import losses_text, totals_text
from dpmc_studies.studies.huber.reported.compare import AGREES, CLOSE, DEVIATES
from dpmc_studies.studies.huber.statistics import published_metric

SHARE, MEDIAN = 0.85, 0.06  # when the synthetic tables count as reproduced
REAL_TOLERANCES = {"ml-100k": 0.02, "sweetrs": 0.05}
SETTING = ["dataset", "rank", "observed_fraction"]


@claim("R1")
def synthetic_tables_are_reproduced(evidence: Evidence) -> Finding:
    rows = _compared(evidence, [SYNTHETIC])
    done = rows[rows["log_ratio"].notna()]
    if done.empty:
        return not_available("cells of the synthetic tables")
    close = int((np.expm1(-done["log_ratio"]).abs() <= CLOSE).sum())  # shares of our means
    median = float(done["log_ratio"].abs().median())
    deviating = int((done["status"] == DEVIATES).sum())
    part = "" if len(done) == len(rows) else f", of {len(rows)} reported,"
    text = (
        f"{close} of {len(done)} numbers{part} lie within 15 % of our means, with a median "
        f"absolute log-ratio of {median:.3f}; {deviating} differ by more than sampling error "
        f"(t-test, Holm). Means over {trials_text(done['trials'])}."
    )
    holds = close >= SHARE * len(done) and median <= MEDIAN
    return fact(holds, text, effect=median, margin=MEDIAN)


@claim("R2")
def real_tables_are_nearly_reproduced(evidence: Evidence) -> Finding:
    compared = _compared(evidence, list(REAL_TOLERANCES))
    done = compared[compared["log_ratio"].notna()]
    if done.empty:
        return not_available("MovieLens 100K and SweetRS")
    texts, good = [], []
    for dataset, tolerance in REAL_TOLERANCES.items():
        rows = done[done["dataset"] == dataset]
        if rows.empty:
            continue
        private = rows["mechanism"] != "none"
        good.append(bool((np.expm1(rows["log_ratio"]).abs() <= tolerance).all()))
        texts.append(
            f"{DATASET_LABELS[dataset]} {_largest(rows[private])} with noise and "
            f"{_largest(rows[~private])} without ({trials_text(rows['trials'])})"
        )
    deviating = int((done["status"] == DEVIATES).sum())
    text = (
        f"Largest deviation from a reported number: {'; '.join(texts)}. {deviating} of {len(done)} "
        "numbers differ by more than sampling error (t-test, Holm)."
    )
    missing = [DATASET_LABELS[name] for name in REAL_TOLERANCES if name not in set(done["dataset"])]
    if missing and all(good):
        return Finding(INCONCLUSIVE, reason=f"{text} {NOT_AVAILABLE} ({' and '.join(missing)}).")
    return fact(all(good), text)


def _compared(evidence: Evidence, datasets: list[str]) -> pd.DataFrame:
    """Return the reported errors of some data sets beside ours."""
    if evidence.comparison is None:
        return pd.DataFrame(columns=["dataset", "log_ratio"])
    return evidence.comparison[evidence.comparison["dataset"].isin(datasets)]


def _largest(rows: pd.DataFrame) -> str:
    """Format the deviation of the row that deviates most, with its standard error."""
    if rows.empty:
        return "–"
    row = rows.loc[rows["log_ratio"].abs().idxmax()]
    text = signed(row["log_ratio"], digits=1)
    error = row["standard_error"] / row["published"]
    return f"{text.removesuffix(' %')} ± {100 * error:.1f} %" if np.isfinite(error) else text


@claim("R3")
def private_models_beat_biases_on_synthetic_data(evidence: Evidence) -> Finding:
    return _against(evidence, [SYNTHETIC], "user_item_bias")


@claim("R4")
def private_models_beat_a_constant_on_real_data(evidence: Evidence) -> Finding:
    return _against(evidence, list(REAL_TOLERANCES), "global_mean")


def _against(evidence: Evidence, datasets: list[str], baseline: str) -> Finding:
    trials = evidence.trials
    here = None if trials is None else trials[trials["dataset"].isin(datasets)]
    if here is None or here.empty:
        return not_available("cells with noise")
    cells, logs = trial_matrix(here, log_positive(published_metric(here)), COORDINATES)
    free = cells["method"] == baseline
    levels = {
        tuple(cell): values
        for cell, values in zip(cells.loc[free, SETTING].to_numpy(), logs[free], strict=True)
    }
    rows: Rows = {}
    for cell, values in zip(cells.to_dict("records"), logs, strict=True):
        level = levels.get(tuple(cell[name] for name in SETTING))
        if cell["mechanism"] in PRIVATE and level is not None:
            rows[_named(cell)] = values - level
    if not rows:
        return not_available("a baseline without noise")
    return explained(mostly_below(rows, choices=evidence.choices), "The papers show no baseline.")


def _named(cell: dict[str, object]) -> str:
    """Return what reasons call a cell with noise."""
    noise = f"{MECHANISM_LABELS[cell['mechanism']]} noise of variance {cell['variance']:g}"
    inner = cell["irls_iterations"]
    parts = [
        DATASET_LABELS[cell["dataset"]],
        f"rank {cell['rank']:g}",
        f"{100 * cell['observed_fraction']:g} % observed",
        f"{METHOD_LABELS[cell['method']]} with {noise}",
    ]
    return ", ".join(parts if pd.isna(inner) else [*parts, f"K = {inner:g}"])


@claim("R5")
def reported_budgets_are_what_formulas_give(evidence: Evidence) -> Finding:
    table = evidence.comparison
    if table is None or table.empty:
        return not_available("budgets by their formulas")
    rows = table[(table["metric"] == "epsilon") & table["mean"].notna()]
    wrong = rows[rows["status"] != AGREES]
    parts = []
    for mechanism, part in wrong.groupby("mechanism", sort=True):
        worst = part.loc[part["log_ratio"].abs().idxmax()]
        parts.append(
            f"{len(part)} for {MECHANISM_LABELS[mechanism]} noise (worst: {worst['published']:.3f} "
            f"reported, {worst['mean']:.3f} right)"
        )
    text = f"{len(rows) - len(wrong)} of {len(rows)} agree."
    if parts:
        text = f"{len(wrong)} of {len(rows)} are not: {' and '.join(parts)}."
    if (wrong["mechanism"] == "gaussian").any():
        text += " The Gaussian ones were computed with log10 for ln."
    return fact(wrong.empty, text)


@claim("R6")
def reported_epsilon_is_that_of_the_model(evidence: Evidence) -> Finding:
    totals, losses = evidence.totals, evidence.transcript_loss
    parts = [text for text in (totals_text(totals), losses_text(losses)) if text]
    if not parts:
        return not_available("totals over a training and measured losses")
    text = (
        "It is the budget of one release of one number at an assumed sensitivity of 5. A run "
        "releases every item vector in every iteration, and the noised sums change by the rating "
        "range times the norm of a user's factors, which nothing bounds; the Gram matrices have no "
        f"noise. So as written the algorithms have no finite guarantee. {' '.join(parts)}"
    )
    exceeded = losses is not None and bool((losses["share_above_total"] > 0).any())
    return Finding(CONTRADICTED if exceeded else INCONCLUSIVE, reason=text)
