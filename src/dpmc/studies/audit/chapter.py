"""The chapter of the report about the audit."""

from pathlib import Path

from dpmc.studies.audit.figures import FIGURES
from dpmc.studies.audit.findings import audited
from dpmc.study.chapter import Chapter, Gallery
from dpmc.study.results import read_results
from dpmc.study.texts import Texts

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results.

    Parameters
    ----------
    folder : path
        With ``audit.csv``, ``tables`` and ``figures``, as far as they are there.
    settings : object
        Not used.
    """
    folder = Path(folder)
    audit = read_results(folder, ("audit",))["audit"]
    if audit is None:
        return Chapter(TEXT("heading"), lead="", introduction="", findings=[audited(None)])
    return Chapter(
        TEXT("heading"),
        lead=TEXT("lead"),
        introduction=TEXT("introduction"),
        key_figure="privacy_audit_tests",
        findings=[audited(audit)],
        tables=[folder / "tables"],
        galleries=[Gallery(FIGURES, folder / "figures")],
        downloads=[("audit.csv", folder / "audit.csv")],
    )
