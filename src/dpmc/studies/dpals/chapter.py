"""The chapter of the report: factorisation that protects users."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.frame.judging.effects import lines_of
from dpmc.frame.showing.chapter import Chapter, Gallery, Judged, judged_claims
from dpmc.frame.showing.texts import Texts
from dpmc.studies.dpals.claims.own import beside_ours
from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.frames import (
    METRICS,
    NAMES,
    datasets_of,
    has_dpals,
    is_surrogate,
    read_dpals,
)

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
FINDINGS = (
    *("D25", "F1", "D22", "F2", "D1", "F3", "F4", "F5", "F6", "F7", "D17", "D15", "D18", "D5"),
    *("D21", "F8"),
)
ANSWERS = ("D25", "F1", "D22")
# these are too large; the CSV of every figure holds their means and intervals
LARGE = ("trials", "iterations")


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter, made of the results and of what the steps "tables" and "figures" made."""
    folder = Path(folder)
    results = read_dpals(folder)
    if not has_dpals(results):
        return Chapter(TEXT("heading"), lead="", introduction="", caveat=TEXT("not_run"))
    claims = results["claims"]
    return Chapter(
        TEXT("heading"),
        TEXT("lead"),
        TEXT("introduction"),
        answers=lines_of(claims, ANSWERS, TEXT("about")),
        key_figure="dpals_3_users",
        caveat=caveats(results["trials"]),
        findings=lines_of(claims, FINDINGS),
        tables=[folder / "tables"],
        galleries=[Gallery(DPALS_FIGURES, folder / "figures")],
        judged=[
            *judged_claims(claims, TEXT("judged")),
            *_on_generated(results["claims_surrogate"]),
        ],
        downloads=[
            (f"dpals_{name}.csv", folder / f"{name}.csv") for name in NAMES if name not in LARGE
        ],
        published=beside_ours(results["trials"], results["published"]),
        metrics=METRICS,
    )


def _on_generated(claims: pd.DataFrame | None) -> list[Judged]:
    if claims is None:
        return []
    title, text = TEXT("judged_on_generated"), TEXT("on_generated")
    return [Judged(title, claims, text, counted=False, table="claims_surrogate")]


def caveats(trials: pd.DataFrame | None) -> str:
    """Return what the reader must know before the numbers."""
    generated = any(is_surrogate(name) for name in datasets_of(trials))
    return f"{TEXT('tuned')} {TEXT('generated')}" if generated else TEXT("tuned")
