"""The chapter of the report: which private model for ratings?"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.judging.effects import lines_of
from dpmc.frame.showing.chapter import Chapter
from dpmc.frame.showing.results import has_results, read_results
from dpmc.frame.showing.texts import Texts
from dpmc.studies.which_model.figures import FIGURES
from dpmc.studies.which_model.frames import NAMES

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
FINDINGS = (*(f"L{number}" for number in range(1, 14)), "K2", "M1", "N1")
HEADLINES = ("L1",)
ANSWERS = ("L12", "L2")


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
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
        headlines=lines_of(claims, HEADLINES, found=found),
        answers=lines_of(claims, ANSWERS, found=found),
        key_figure="models_1_errors",
        caveat=TEXT("caveat"),
        findings=lines_of(claims, FINDINGS, found=found),
        downloads=[
            ("models_popularity.csv", folder / "popularity.csv"),
            ("models_claims.csv", folder / "claims.csv"),
        ],
        metrics={"rmse": "RMSE"},
    )
