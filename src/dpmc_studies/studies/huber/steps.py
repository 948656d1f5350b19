"""Steps that judge and draw: the comparison with the claims, and the figures."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import load_claims
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.style import drawing_step
from dpmc_studies.studies.huber import KEPT
from dpmc_studies.studies.huber.claims.evidence import PREDICATES
from dpmc_studies.studies.huber.claims.judge import judge
from dpmc_studies.studies.huber.experiments import PRIVACY_TABLES, TABLES
from dpmc_studies.studies.huber.figures import (
    FIGURES,
    HUBER_COLUMNS,
    METHOD_FIGURES,
    PRIVACY_FIGURES,
)
from dpmc_studies.studies.huber.reported import compare, load


def claims(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Compare with the published numbers and judge the claims."""
    published = load(real_variances=settings["real_variances"])
    names = ("convergence", "starts", "timing", *TABLES)
    tables = {name: read_frame(folder / f"{name}.csv") for name in names}
    tables |= read_results(folder, PRIVACY_TABLES)
    trials, budgets = read_frame(folder / "trials.csv"), pd.DataFrame(table_one())
    reported = trials[trials["trial"] < settings["reported_trials"]]
    comparison = compare(reported, published, budgets)
    judged = judge(
        trials,
        published,
        budgets,
        load_claims(Path(__file__).with_name("claims.yaml"), PREDICATES),
        **tables,
        comparison=comparison,
        seed=settings["seed"],
    )
    return {"comparison": comparison, "claims": judged}


figures = drawing_step(FIGURES)
unstated = drawing_step(HUBER_COLUMNS, lambda folder: {"huber_columns": read_frame(KEPT)})
method_figures = drawing_step(METHOD_FIGURES)
privacy_figures = drawing_step(PRIVACY_FIGURES)
