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

HEADING = "Privacy"
LEAD = "what private models cost at an equal total budget"
INTRODUCTION = (
    "What models cost that keep a stated total budget (ε, δ): ratings and factors are clipped, "
    "every release of a training is counted, and the noise is scaled to the budget. One rating "
    "protected: its value may change, who rated what is public, and the completed matrix may be "
    "published. One user protected: the user may join or leave with all ratings, and only item "
    "factors may be published (joint differential privacy)."
)
CLAIMS_TITLE = "Claims of the papers at an equal total budget, judged"


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
        return Chapter(HEADING, lead="", introduction="", findings=findings(results))
    return Chapter(
        HEADING,
        lead=LEAD,
        introduction=INTRODUCTION,
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
    return [] if claims.empty else [Judged(CLAIMS_TITLE, claims, reported=True)]
