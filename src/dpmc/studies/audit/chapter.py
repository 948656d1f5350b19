"""The chapter of the report about the audit."""

from pathlib import Path

from dpmc.frame.judging.effects import lines_of
from dpmc.frame.showing.chapter import Chapter
from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.texts import Texts
from dpmc.studies.audit.figures import FIGURES
from dpmc.studies.audit.frames import describe_tests

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
FINDINGS = ("T1",)


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results, as far as files are there."""
    folder = Path(folder)
    results = read_results(folder, ("audit", "claims"))
    if results["audit"] is None:
        return Chapter(TEXT("heading"), lead="", introduction="", caveat=TEXT("not_run"))
    return Chapter.of(
        folder,
        TEXT,
        FIGURES,
        results["claims"],
        key_figure="privacy_audit_tests",
        tests=describe_tests(results["audit"]),
        findings=lines_of(results["claims"], FINDINGS),
        downloads=[("audit.csv", folder / "audit.csv")],
    )
