"""The chapter of the report about private models at an equal total budget."""

from pathlib import Path

import pandas as pd

from dpmc.studies.equal_privacy.figures import FIGURES
from dpmc.studies.equal_privacy.findings import findings, usable
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.studies.equal_privacy.tables_equal import TUNED
from dpmc.study.chapter import Chapter, Gallery, Judged
from dpmc.study.results import has_results, read_results
from dpmc.study.runs import read_frame
from dpmc.study.texts import Texts

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results.

    Parameters
    ----------
    folder : path
        With ``calibrated.csv``, ``frontier.csv``, ``claims.csv``, ``tables`` and ``figures``, as
        far as they are there.
    settings : object
        Not used.
    """
    folder = Path(folder)
    results = read_results(folder, NAMES)
    if not has_results(results):
        return Chapter(TEXT("heading"), lead="", introduction="", findings=findings(results))
    return Chapter(
        TEXT("heading"),
        lead=TEXT("lead"),
        introduction=TEXT("introduction"),
        key_figure="privacy_equal_user",
        answers=[usable(results["calibrated"])],
        caveat=TUNED,
        findings=findings(results),
        tables=[folder / "tables"],
        galleries=[Gallery(FIGURES, folder / "figures")],
        judged=_judged(folder / "claims.csv"),
        downloads=[
            *((f"{name}.csv", folder / f"{name}.csv") for name in NAMES),
            ("equal_privacy_claims.csv", folder / "claims.csv"),
        ],
        metrics={"rmse_heldout": "RMSE, held out"},
    )


def _judged(path: Path) -> list[Judged]:
    claims = read_frame(path) if path.is_file() else pd.DataFrame()
    return [] if claims.empty else [Judged(TEXT("judged"), claims, reported=True)]
