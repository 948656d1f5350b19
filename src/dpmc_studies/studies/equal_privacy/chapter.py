"""The chapter of the report about private models at an equal total budget."""

from pathlib import Path

from dpmc_studies.frame.showing.chapter import Chapter, judged_claims
from dpmc_studies.frame.showing.results import has_results, read_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.equal_privacy.figures import FIGURES
from dpmc_studies.studies.equal_privacy.frames import NAMES
from dpmc_studies.studies.equal_privacy.tables import TUNED

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: str | Path, settings: object) -> Chapter:
    """Return the chapter, made of the study's folder of results, as far as files are there."""
    folder = Path(folder)
    if not has_results(read_results(folder, NAMES)):
        return Chapter.not_run(TEXT)
    claims = read_results(folder, ["claims"])["claims"]
    return Chapter.of(
        folder,
        TEXT,
        FIGURES,
        caveat=TUNED,
        judged=judged_claims(claims, TEXT("judged"), reported=True),
    )
