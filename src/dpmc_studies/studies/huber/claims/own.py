"""What we claim ourselves of the Huber paper: R1 to R6."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NOT_AVAILABLE, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    explained,
    fact,
    mostly_below,
    not_available,
    percent,
)
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
from dpmc_studies.studies.huber.reported.compare import AGREES, CLOSE, DEVIATES
from dpmc_studies.studies.huber.statistics import published_metric, shares_above

SHARE, MEDIAN = 0.85, 0.06  # when the synthetic tables count as reproduced
REAL_TOLERANCES = {"ml-100k": 0.02, "sweetrs": 0.05}
SETTING = ["dataset", "rank", "observed_fraction"]


@claim("R1")
def synthetic_tables_are_reproduced(evidence: Evidence) -> Finding:
    done = _compared(evidence, [SYNTHETIC])
    if done.empty:
        return not_available("cells of the synthetic tables")
    close = int((np.expm1(-done["log_ratio"]).abs() <= CLOSE).sum())  # shares of our means
    median = float(done["log_ratio"].abs().median())
    text = (
        f"{close} of {len(done)} numbers lie within 15 % of our means, with a median absolute "
        f"log-ratio of {median:.3f}; {_deviating(done)}"
    )
    holds = close >= SHARE * len(done) and median <= MEDIAN
    return fact(holds, text, effect=median, margin=MEDIAN)


@claim("R2")
def real_tables_are_nearly_reproduced(evidence: Evidence) -> Finding:
    done = _compared(evidence, list(REAL_TOLERANCES))
    if done.empty:
        return not_available("MovieLens 100K and SweetRS")
    size = np.expm1(done["log_ratio"]).abs()
    close = size <= done["dataset"].map(REAL_TOLERANCES)
    largest = [
        f"{DATASET_LABELS[name]} {percent(part.loc[part.abs().idxmax()])}"
        for name, part in done.groupby("dataset")["log_ratio"]
    ]
    text = f"Largest deviation from a reported number: {', '.join(largest)}. {_deviating(done)}"
    missing = [DATASET_LABELS[name] for name in REAL_TOLERANCES if name not in set(done["dataset"])]
    if missing and close.all():
        return Finding(INCONCLUSIVE, reason=f"{text} {NOT_AVAILABLE} ({' and '.join(missing)}).")
    return fact(bool(close.all()), text)


def _compared(evidence: Evidence, datasets: list[str]) -> pd.DataFrame:
    """Return the reported RMSEs of some data sets for which we have our own."""
    table = evidence.table("comparison")
    if table is None:
        return pd.DataFrame()
    return table[table["dataset"].isin(datasets) & table["log_ratio"].notna()]


def _deviating(rows: pd.DataFrame) -> str:
    return (
        f"{int((rows['status'] == DEVIATES).sum())} of {len(rows)} numbers differ by more than "
        f"sampling error (t-test, Holm); means over {trials_text(rows['trials'])}."
    )


@claim("R3")
def private_models_beat_biases_on_synthetic_data(evidence: Evidence) -> Finding:
    return _against(evidence, [SYNTHETIC], "user_item_bias")


@claim("R4")
def private_models_beat_a_constant_on_real_data(evidence: Evidence) -> Finding:
    return _against(evidence, list(REAL_TOLERANCES), "global_mean")


def _against(evidence: Evidence, datasets: list[str], baseline: str) -> Finding:
    trials = evidence.table("trials")
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
    inner = "" if pd.isna(cell["irls_iterations"]) else f", K = {cell['irls_iterations']:g}"
    return (
        f"{DATASET_LABELS[cell['dataset']]}, rank {cell['rank']:g}, "
        f"{100 * cell['observed_fraction']:g} % observed, {METHOD_LABELS[cell['method']]} with "
        f"{MECHANISM_LABELS[cell['mechanism']]} noise of variance {cell['variance']:g}{inner}"
    )


@claim("R5")
def reported_budgets_are_what_formulas_give(evidence: Evidence) -> Finding:
    table = evidence.table("comparison")
    if table is None:
        return not_available("budgets by their formulas")
    rows = table[(table["metric"] == "epsilon") & table["mean"].notna()]
    wrong = rows[rows["status"] != AGREES]
    counts = wrong["mechanism"].value_counts(sort=False)
    told = ", ".join(
        f"{count} with {MECHANISM_LABELS[name]} noise" for name, count in counts.items()
    )
    text = f"{len(wrong)} of {len(rows)} are not: {told}." if told else f"All {len(rows)} agree."
    if (wrong["mechanism"] == "gaussian").any():
        text += " The Gaussian ones were computed with log10 for ln."
    return fact(wrong.empty, text)


@claim("R6")
def reported_epsilon_is_that_of_the_model(evidence: Evidence) -> Finding:
    losses = evidence.table("transcript_loss")
    if losses is None:
        return not_available("measured losses")
    text = (
        "It is the budget of one release of one number at an assumed sensitivity of 5. A run "
        "releases every item vector in every iteration, and the noised sums change by the rating "
        "range times the norm of a user's factors, which nothing bounds; the Gram matrices have no "
        "noise. So as written the algorithms have no finite guarantee. The measured loss of all "
        f"iterates of a run exceeds the total in {shares_above(losses)}."
    )
    exceeded = bool((losses["share_above_total"] > 0).any())
    return Finding(CONTRADICTED if exceeded else INCONCLUSIVE, reason=text)
