"""The chapter of the report on the Huber mechanism paper and its thesis."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.chapter import Chapter, Gallery, judged_claims
from dpmc_studies.frame.showing.frames import DATASET_LABELS, trials_text
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.huber.figures import HUBER_COLUMNS, NEW_FIGURES, THESIS_FIGURES
from dpmc_studies.studies.huber.statistics import shares_above

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
        notes=coverage(comparison, settings["excluded"]),
        agrees=TEXT("agrees"),
        galleries=[
            Gallery(NEW_FIGURES, folder / "figures"),
            Gallery(HUBER_COLUMNS, folder / "figures", TEXT("unstated")),
            Gallery(THESIS_FIGURES, folder / "figures", TEXT("thesis"), grid=True),
        ],
        judged=judged_claims(claims, TEXT("judged"), TEXT("how_judged"), reported=True),
        published=beside_ours(comparison),
        published_table="comparison",
    )


def beside_ours(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the comparison as the page of numbers has it: a cell without noise has no variance."""
    noisy = comparison["mechanism"] != "none"
    place = comparison["table"].str.replace("table", "table ")
    return comparison.assign(place=place, variance=comparison["variance"].where(noisy))


def coverage(comparison: pd.DataFrame, excluded: Sequence[str] = ()) -> list[str]:
    """Return what the reader must know about numbers that this run does not compare, if any.

    Data sets that the configuration leaves out are not missing.
    """
    rmse = comparison[comparison["metric"] != "epsilon"]
    ran, synthetic = rmse["mean"].notna(), rmse["dataset"] == SYNTHETIC
    notes = [TEXT("excluded", names=" and ".join(excluded))] if excluded else []
    if not ran[synthetic].all():
        compared = rmse[synthetic & ran]
        counts = {"compared": len(compared), "published": int(synthetic.sum())}
        notes.append(TEXT("reduced", trials=trials_text(compared["trials"]), **counts))
    wanted = rmse[~synthetic & ~rmse["dataset"].isin(excluded)]
    absent = wanted.groupby("dataset", sort=False).filter(lambda rows: rows["mean"].isna().all())
    if len(absent):
        names = " and ".join(DATASET_LABELS[name] for name in absent["dataset"].unique())
        notes.append(TEXT("unavailable", names=names, count=len(absent)))
    return notes
