"""The chapter of the report about the audit."""

from pathlib import Path

from dpmc_studies.frame.showing.chapter import Chapter
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.audit.figures import FIGURES

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results, as far as files are there."""
    audit = read_results(folder, ("audit",))["audit"]
    if audit is None:
        return Chapter.not_run(TEXT)
    passed, honest = audit["passed"].astype(bool), audit["planted_fault"].isna()
    tests = (
        f"{passed[honest].sum()} of {honest.sum()} tests passed, "
        f"{passed[~honest].sum()} of {(~honest).sum()} faults caught"
    )
    return Chapter.of(Path(folder), TEXT, FIGURES, tests=tests, tables=[])
