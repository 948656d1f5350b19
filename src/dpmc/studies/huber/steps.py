"""What is made of the tables of the Huber study: comparison, claims, tables, figures, forensics."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.files import write_text
from dpmc.frame.checking.runs import read_frame, write_frame
from dpmc.frame.judging.claims import load_claims
from dpmc.frame.showing import results
from dpmc.frame.showing.results import read_results
from dpmc.studies.huber import privacy_columns
from dpmc.studies.huber.claims.evidence import PREDICATES
from dpmc.studies.huber.claims.judge import judge
from dpmc.studies.huber.figures import write_figures
from dpmc.studies.huber.figures.methods import write_method_figures
from dpmc.studies.huber.figures.privacy_totals import write_privacy_figures
from dpmc.studies.huber.forensics import RealVariant, SyntheticVariant
from dpmc.studies.huber.forensics_drawing import draw, real_choices, real_fit, synthetic_fit
from dpmc.studies.huber.forensics_loss_fit import loss_fit, loss_summary
from dpmc.studies.huber.forensics_summary import summary
from dpmc.studies.huber.jobs import CLAIMS
from dpmc.studies.huber.nominal import table_one
from dpmc.studies.huber.reported import compare, load
from dpmc.studies.huber.tables import write_tables
from dpmc.studies.huber.tables_methods import write_method_tables
from dpmc.studies.huber.tables_parameters import parameters_table
from dpmc.studies.huber.tables_privacy import write_privacy_tables


def claims(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Compare with the published numbers and judge the claims."""
    published = load(real_variances=settings["real_variances"])
    names = ("convergence", "starts", "timing", "weights", "heldout", "sweetrs_variances")
    names = (*names, "thesis_methods")
    tables = {name: read_frame(folder / f"{name}.csv") for name in names}
    tables |= read_results(folder, privacy_columns.TABLES)
    trials, budgets = read_frame(folder / "trials.csv"), pd.DataFrame(table_one())
    comparison = compare(_first(trials, settings["reported_trials"]), published, budgets)
    statements = load_claims(CLAIMS, PREDICATES)
    judged = judge(
        trials,
        published,
        budgets,
        statements,
        **tables,
        comparison=comparison,
        seed=settings["seed"],
    )
    return {"comparison": comparison, "claims": judged}


def _first(trials: pd.DataFrame, count: int) -> pd.DataFrame:
    return trials[trials["trial"] < count]


def tables(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the papers' tables with our numbers, of as many trials as the papers have."""
    comparison = read_frame(folder / "comparison.csv")
    trials = _first(read_frame(folder / "trials.csv"), settings["reported_trials"])
    write_tables(trials, comparison, pd.DataFrame(table_one()), out, settings["left_out"])
    results.write_tables([parameters_table(settings["parameters"])], out)


def figures(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Draw the figures of results."""
    names = ("trials", "comparison", "convergence")
    write_figures(*(read_frame(folder / f"{name}.csv") for name in names), out)


def method_tables(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the tables of how the methods behave."""
    write_method_tables(folder, out)


def method_figures(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Draw the figures of how the methods behave."""
    write_method_figures(folder, out)


def privacy_tables(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the tables of what the published budgets mean."""
    published = load(real_variances=settings["real_variances"])
    write_privacy_tables(folder, published, out)


def privacy_figures(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Draw the figures of what the published budgets mean."""
    write_privacy_figures(folder, out)


def forensics(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write which of the choices that the papers leave open gives their numbers, and draw it."""
    published = load()
    synthetic = synthetic_fit(
        _by_variant(SyntheticVariant, settings["synthetic"], folder / "forensics_synthetic.csv"),
        published,
    )
    runs = _by_variant(RealVariant, settings["real"], folder / "forensics_real.csv")
    real = real_fit(runs, published)
    choices = real_choices(real)
    defaults = settings["defaults"]
    missing = [name for name in defaults["real"] if name not in {v.dataset for v in runs}]
    write_frame(out / "synthetic.csv", synthetic)
    write_frame(out / "real.csv", real)
    draw(out, synthetic, choices)
    losses = loss_fit(read_frame(folder / "forensics_loss.csv"), published)
    write_frame(out / "loss.csv", losses)
    text = summary(synthetic, choices, defaults, missing)
    write_text(out / "summary.md", f"{text}\n{loss_summary(losses)}")


def _by_variant(kind, variants, path: Path) -> dict:
    """Variant -> trial rows; a variant without rows had no data."""
    table = read_frame(path)
    named = {kind(**fields).variant: kind(**fields) for fields in variants}
    rows = table.drop(columns="variant")
    return {
        named[name]: rows[table["variant"] == name]
        for name in named
        if (table["variant"] == name).any()
    }
