"""Claims about why the methods do what they do: H38 (weights), H39 and H44 (overfitting)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import NOT_REPORTED, Finding
from dpmc_studies.frame.judging.rules import always_below, mostly_below, not_available, percent
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS, METHOD_LABELS, select
from dpmc_studies.statistics.tests import row_tests
from dpmc_studies.studies.huber.claims.evidence import Evidence, claim
from dpmc_studies.studies.huber.statistics import against_same_noise, share_below_one

STOPPED = 20  # iterations on MovieLens 100K in the papers


@claim("H38")
def irls_handles_the_large_deviations(evidence: Evidence) -> Finding:
    table = _rows(evidence.weights, dataset=SYNTHETIC, mechanism="huber")
    if table.empty:
        return not_available("weights")
    cells, matrix = against_same_noise(table)
    labels = cells[["rank", "variance", "observed_fraction"]].itertuples(index=False)
    rows = {
        f"rank {rank:g}, variance {variance:g}, {100 * fraction:g} %": values
        for (rank, variance, fraction), values in zip(labels, matrix, strict=True)
    }
    found = mostly_below(rows, choices=evidence.choices)
    means = row_tests(matrix).mean
    worst = int(np.argmax(means))
    most = f"most against it {percent(means[worst])} ({list(rows)[worst]})"
    return replace(found, reason=f"{_shares(table)}; {found.reason}; {most}; {NOT_REPORTED}")


def _shares(table: pd.DataFrame) -> str:
    """Say how many weights are below 1, by variance, after the first inner step and in it."""
    parts = [
        f"{100 * share_below_one(part):.2g} % at variance {variance:g}"
        for variance, part in table.groupby("variance")
    ]
    return (
        f"weights below 1: {', '.join(parts)}, but {100 * share_below_one(table, 'first'):.0f} % "
        "in the first inner step, whose residuals are those of a random theta"
    )


@claim("H39")
def more_iterations_overfit(evidence: Evidence) -> Finding:
    return _later_is_worse(evidence, [("als", "none")])


@claim("H44")
def more_iterations_overfit_with_noise(evidence: Evidence) -> Finding:
    return _later_is_worse(evidence, [("als", "gaussian"), ("irls", "huber")])


def _later_is_worse(evidence: Evidence, models: list[tuple[str, str]]) -> Finding:
    table = evidence.heldout
    last = 0 if table is None or table.empty else int(table["iteration"].max())
    if last <= STOPPED:
        return not_available("held-out errors by iteration")
    rows, told = {}, []
    for method, mechanism in models:
        errors = _rows(table, method=method, mechanism=mechanism).pivot_table(
            index="iteration", columns="trial", values="rmse_heldout"
        )
        logs, means = np.log(errors), errors.mean(axis=1)
        rows[_model(method, mechanism)] = (logs.loc[STOPPED] - logs.loc[last]).to_numpy()
        told.append(
            f"{_model(method, mechanism)} {means.min():.3f} after {means.idxmin()}, "
            f"{means[STOPPED]:.3f} after {STOPPED}, {means[last]:.3f} after {last}"
        )
    found = always_below(rows, choices=evidence.choices)
    reason = f"held-out error, least first: {'; '.join(told)}; {found.reason}; {NOT_REPORTED}"
    return replace(found, reason=reason)


def _model(method: str, mechanism: str) -> str:
    noise = "" if mechanism == "none" else f" + {MECHANISM_LABELS[mechanism][0]}"
    return METHOD_LABELS[method] + noise


def _rows(table: pd.DataFrame | None, **where: str) -> pd.DataFrame:
    """Return the rows with these coordinates; an empty table for none."""
    return pd.DataFrame() if table is None or table.empty else select(table, **where)
