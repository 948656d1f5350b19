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

HEADING = "Factorisation that protects users"
LEAD = (
    "“Private alternating least squares” (Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "
    "ICML 2021) with private Frank-Wolfe, DP-AltMin and DP-SAltLS"
)
INTRODUCTION = """\
One user with all ratings protected: only item factors are published, and users fit their own
(joint differential privacy). Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang (“Private
alternating least squares”, ICML 2021) do so by alternating least squares with noised item steps
(DPALS) and compare it with private Frank-Wolfe (DPFW; Jain, Thakkar and Thakurta, 2018) and a
private singular value decomposition (DPSVD). DP-AltMin and DP-SAltLS follow the read-me of
DP_Matrix_Completion_Alt_Min. Every method is charged for all that looks at ratings; “as published”
and “published noise” take the noise that the papers print.
"""
ON_GENERATED = (
    "Claims about MovieLens 10M and 20M on data that were generated in their shape. They show that "
    "the judging works and say nothing about the paper."
)
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
        return Chapter(HEADING, lead="", introduction="", findings=[nothing])
    return Chapter(
        HEADING,
        LEAD,
        INTRODUCTION,
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
        "claims": ("Claims of the DPALS paper and of the read-me, judged", ""),
        "claims_surrogate": ("The same on generated data: no verdicts", ON_GENERATED),
    }
    return [
        Judged(title, results[name], text, counted=name == "claims", table=name)
        for name, (title, text) in texts.items()
        if results[name] is not None
    ]
