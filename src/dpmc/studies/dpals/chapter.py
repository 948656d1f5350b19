"""The chapter of the report: factorisation that protects users."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.findings import (
    NOT_RUN,
    beside_ours,
    caveats,
    dpals_answer,
    dpals_findings,
)
from dpmc.studies.dpals.frames import METRICS, NAMES, has_dpals, read_dpals
from dpmc.study.chapter import Chapter, Gallery, Judged
from dpmc.study.effects import Answer
from dpmc.study.finding import INCONCLUSIVE
from dpmc.study.results import Results
from dpmc.study.texts import Texts

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
# these are too large; the CSV of every figure holds their means and intervals
LARGE = ("trials", "iterations")


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter.

    Parameters
    ----------
    folder : path
        The study's results, with what the steps "tables" and "figures" made.
    settings : mapping
        None are used.
    """
    folder = Path(folder)
    results = read_dpals(folder)
    if not has_dpals(results):
        nothing = Answer(INCONCLUSIVE, NOT_RUN.removesuffix("."), "")
        return Chapter(TEXT("heading"), lead="", introduction="", findings=[nothing])
    return Chapter(
        TEXT("heading"),
        TEXT("lead"),
        TEXT("introduction"),
        answers=dpals_answer(results),
        key_figure="dpals_3_users",
        caveat=caveats(results["trials"]),
        findings=dpals_findings(results),
        tables=[folder / "tables"],
        galleries=[Gallery(DPALS_FIGURES, folder / "figures")],
        judged=_judged(results),
        downloads=[
            (f"dpals_{name}.csv", folder / f"{name}.csv") for name in NAMES if name not in LARGE
        ],
        published=beside_ours(results["trials"], results["published"]),
        metrics=METRICS,
    )


def _judged(results: Results) -> list[Judged]:
    texts = {
        "claims": (TEXT("judged"), ""),
        "claims_surrogate": (TEXT("judged_on_generated"), TEXT("on_generated")),
    }
    return [
        Judged(title, results[name], text, counted=name == "claims", table=name)
        for name, (title, text) in texts.items()
        if results[name] is not None
    ]
