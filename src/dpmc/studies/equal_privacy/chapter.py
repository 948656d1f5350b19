"""The chapter of the report about private models at an equal total budget."""

from pathlib import Path

from dpmc.frame.judging.effects import lines_of
from dpmc.frame.showing.chapter import Chapter, judged_claims
from dpmc.frame.showing.results import has_results, read_results
from dpmc.frame.showing.texts import Texts
from dpmc.studies.equal_privacy.figures import FIGURES
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.studies.equal_privacy.tables import TUNED

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
FINDINGS = ("P1", "P2", "P3", "P4", "P5", "P6", "P7")
HEADLINES, ANSWERS = ("H34", "P3"), ("H34", "P8", "P9", "P3", "P4")


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results, as far as files are there."""
    folder = Path(folder)
    results = read_results(folder, NAMES)
    if not has_results(results):
        return Chapter(TEXT("heading"), lead="", introduction="", caveat=TEXT("not_run"))
    claims, found = read_results(folder, ["claims"])["claims"], TEXT.entries["found"]
    return Chapter.of(
        folder,
        TEXT,
        FIGURES,
        claims,
        key_figure="privacy_equal_user",
        first_figure="privacy_cost",
        headlines=lines_of(claims, HEADLINES, found=found),
        answers=lines_of(claims, ANSWERS, found=found),
        caveat=TUNED,
        findings=lines_of(claims, FINDINGS, found=found),
        judged=judged_claims(claims, TEXT("judged"), reported=True),
        downloads=[
            *((f"{name}.csv", folder / f"{name}.csv") for name in NAMES),
            ("equal_privacy_claims.csv", folder / "claims.csv"),
        ],
        metrics={"rmse_heldout": "RMSE, held out"},
    )
