"""Judging every claim of the study's ``claims.yaml``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.claims import (  # noqa: F401  (importing them registers their predicates)
    budgets,
    compared,
    facts,
    noise_comparisons,
    own,
    real_data,
    side_experiments,
    trends,
)
from dpmc_studies.studies.huber.claims.contrasts import LogRmse
from dpmc_studies.studies.huber.claims.evidence import PREDICATES, Evidence
from dpmc_studies.studies.huber.reported import compare, load

CELLS = {
    "trials": (*COORDINATES, "trial"),
    "convergence": (*COORDINATES[:-1], "noise_target", "iteration", "trial"),
    "starts": (*COORDINATES[1:-1], "trial", "start"),
    "weights": (*COORDINATES, "trial"),
    "heldout": (*COORDINATES, "iteration", "trial"),
    "sweetrs_variances": (*COORDINATES, "trial"),
}
"""Columns that name a cell, then the one that numbers its trials."""
OTHERS = ("timing", "thesis_methods", "totals", "transcript_loss")
CHOICES = {
    "equal weights": Choices(weighted=False),
    "margins times two": Choices(widening=2.0),
}
"""Readings of the same trials by other choices that we made."""


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Compare with the published numbers and judge the claims."""
    published = load(real_variances=settings["real_variances"])
    tables = {name: read_frame(folder / f"{name}.csv") for name in (*CELLS, *OTHERS)}
    trials, nominal = tables["trials"], pd.DataFrame(table_one())
    reported = trials[trials["trial"] < settings["reported_trials"]]
    tables["comparison"] = compare(reported, published, nominal)
    evidence, readings = evidence_of(tables, published, nominal, settings["seed"])
    claims = judge_all(__file__, PREDICATES, evidence, readings)
    return {"comparison": tables["comparison"], "claims": claims}


def evidence_of(
    tables: Mapping[str, pd.DataFrame],
    published: pd.DataFrame,
    nominal: pd.DataFrame,
    seed: int = 0,
) -> tuple[Evidence, dict[str, Evidence]]:
    """Return the evidence of our trials and tables, and each other reading of it by name.

    ``published`` is as :func:`dpmc_studies.studies.huber.reported.numbers.load` returns it,
    ``nominal`` as :func:`dpmc.privacy.nominal.table_one` does at the paper's settings.
    """
    epsilon = published["metric"] == "epsilon"
    noisy = published[~epsilon & (published["mechanism"] != "none")]
    variances = noisy.groupby("dataset")["variance"].first().to_dict()
    reported = LogRmse.of_published(published)

    def evidence(tables: Mapping[str, pd.DataFrame]) -> Evidence:
        ours, printed = LogRmse.of_trials(tables["trials"]), published[epsilon]
        return Evidence(ours, reported, variances, nominal, printed, tables, seed)

    cells = {name: columns for name, columns in CELLS.items() if name in tables}
    readings = {name: evidence(changed) for name, changed in on_trials(tables, cells)}
    usual = evidence(tables)
    return usual, readings | {name: replace(usual, choices=each) for name, each in CHOICES.items()}
