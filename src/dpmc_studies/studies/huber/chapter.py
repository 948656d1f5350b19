"""The chapter of the report on the Huber mechanism paper and its thesis."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.judging.finding import VERDICTS
from dpmc_studies.frame.showing.chapter import Chapter, Gallery, judged_claims
from dpmc_studies.frame.showing.frames import DATASET_LABELS, trials_text
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.huber.figures import (
    HUBER_COLUMNS,
    METHOD_FIGURES,
    NEW_FIGURES,
    PRIVACY_FIGURES,
    THESIS_FIGURES,
)
from dpmc_studies.studies.huber.privacy_meaning import shares_above
from dpmc_studies.studies.huber.tables_rmse import PROVIDE_DATA

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter.

    ``excluded`` of the settings are the papers' data sets that the configuration leaves out.
    """
    comparison, claims = (read_frame(folder / f"{name}.csv") for name in ("comparison", "claims"))
    losses = read_results(folder, ("transcript_loss",))["transcript_loss"]
    return Chapter.of(
        folder,
        TEXT,
        NEW_FIGURES,
        values={"above": shares_above(losses)},
        notes=[*_excluded(settings["excluded"]), *coverage(comparison, settings["excluded"])],
        agrees=TEXT("agrees"),
        tables=[folder / name for name in ("tables", "method_tables", "privacy_tables")],
        galleries=[
            Gallery(NEW_FIGURES, folder / "figures"),
            Gallery(METHOD_FIGURES, folder / "method_figures", TEXT("methods")),
            Gallery(PRIVACY_FIGURES, folder / "privacy_figures", TEXT("privacy")),
            Gallery(HUBER_COLUMNS, folder / "unstated", TEXT("unstated")),
            Gallery(THESIS_FIGURES, folder / "figures", TEXT("thesis"), grid=True),
        ],
        judged=judged_claims(
            claims,
            TEXT("judged"),
            f"{TEXT('how_judged')} {counts_text(claims)}",
            reported=True,
        ),
        published=beside_ours(comparison),
        published_table="comparison",
    )


def counts_text(claims: pd.DataFrame) -> str:
    """Count the verdicts on the papers' claims, and those that depend on how one looks."""
    papers = claims[~is_own(claims)]
    counts = papers["verdict"].value_counts()
    verdicts = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    dependent = int((papers["depends_on"].fillna("") != "").sum())
    return TEXT("counts", total=len(papers), verdicts=verdicts, dependent=dependent)


def beside_ours(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the comparison as the page of numbers has it: a cell without noise has no variance."""
    noisy = comparison["mechanism"] != "none"
    place = comparison["table"].str.replace("table", "table ")
    return comparison.assign(place=place, variance=comparison["variance"].where(noisy))


def _excluded(names: list[str]) -> list[str]:
    if not names:
        return []
    return [TEXT("excluded", names=" and ".join(names))]


def coverage(comparison: pd.DataFrame, excluded: Sequence[str] = ()) -> list[str]:
    """Return what the reader must know about numbers that this run does not compare, if any.

    Data sets that the configuration leaves out are not missing.
    """
    rmse = comparison[comparison["metric"] != "epsilon"]
    ran = rmse["mean"].notna()
    notes = []
    synthetic = rmse["dataset"] == SYNTHETIC
    if not ran[synthetic].all():
        compared = rmse[synthetic & ran]
        counts = {"compared": len(compared), "published": int(synthetic.sum())}
        notes.append(TEXT("reduced", trials=trials_text(compared["trials"]), **counts))
    wanted = ~synthetic & ~rmse["dataset"].isin(list(excluded))
    done = ran[wanted].groupby(rmse["dataset"], sort=False).any()
    if not done.all():
        names = [DATASET_LABELS[name] for name in done.index[~done]]
        count = int(rmse["dataset"].isin(done.index[~done]).sum())
        notes.append(
            f"{TEXT('unavailable', names=' and '.join(names), count=count)} {PROVIDE_DATA}"
        )
    return notes
