"""The chapter of the report: which private model for ratings?"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.showing.chapter import Chapter
from dpmc.frame.showing.results import has_results, read_results
from dpmc.frame.showing.texts import Texts
from dpmc.studies.which_model.figures import FIGURES
from dpmc.studies.which_model.frames import NAMES

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter, made of the study's folder of results, as far as files are there."""
    folder = Path(folder)
    if not has_results(read_results(folder, NAMES)):
        return Chapter.not_run(TEXT)
    return Chapter.of(folder, TEXT, FIGURES)
