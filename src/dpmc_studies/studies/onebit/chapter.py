"""The chapter of the report: one-bit completion."""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.chapter import Chapter
from dpmc_studies.frame.showing.results import has_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.onebit.figures import ONEBIT_FIGURES
from dpmc_studies.studies.onebit.frames import NAMES, read_onebit

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
# these are too large; the CSV of every figure holds its means and intervals
EMBEDDED = tuple(name for name in NAMES if name not in ("trials", "ranks", "wrong_link"))


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter, made of the results and of what the steps "tables" and "figures" made."""
    folder = Path(folder)
    results = read_onebit(folder)
    if not has_results(results):
        return Chapter.not_run(TEXT)
    return Chapter.of(
        folder,
        TEXT,
        ONEBIT_FIGURES,
        about=TEXT("heading"),
        caveat=TEXT("no_values"),
        downloads=[(f"onebit_{name}.csv", folder / f"{name}.csv") for name in EMBEDDED],
    )
