"""The chapter of the report: factorisation that protects users."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc.frame.showing.chapter import Chapter, Judged, judged_claims
from dpmc.frame.showing.texts import Texts
from dpmc.studies.dpals.claims.own import CLOSE, beside_ours
from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.frames import (
    METRICS,
    NAMES,
    Results,
    datasets_of,
    has_dpals,
    is_surrogate,
    read_dpals,
)

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
# these are too large; the CSV of every figure holds their means and intervals
LARGE = ("trials", "iterations")


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter, made of the results and of what the steps "tables" and "figures" made."""
    folder = Path(folder)
    results = read_dpals(folder)
    if not has_dpals(results):
        return Chapter.not_run(TEXT)
    return Chapter.of(
        folder,
        TEXT,
        DPALS_FIGURES,
        about=TEXT("about"),
        caveat=caveats(results["trials"]),
        agrees=TEXT("agrees", percent=f"{100 * CLOSE:g}"),
        tables=[folder / "tables", folder / "laws"],
        judged=[
            *judged_claims(results["claims"], TEXT("judged")),
            *_on_other_data(results),
        ],
        downloads=[
            (f"dpals_{name}.csv", folder / f"{name}.csv") for name in NAMES if name not in LARGE
        ],
        published=beside_ours(results["trials"], results["published"]),
        metrics=METRICS,
    )


def _on_other_data(results: Results) -> list[Judged]:
    texts = {
        "claims_elsewhere": (TEXT("judged_elsewhere"), TEXT("elsewhere")),
        "claims_surrogate": (TEXT("judged_on_generated"), TEXT("on_generated")),
    }
    return [
        Judged(title, results[name], text, counted=False, table=name)
        for name, (title, text) in texts.items()
        if results[name] is not None
    ]


def caveats(trials: pd.DataFrame | None) -> str:
    """Return what the reader must know before the numbers."""
    generated = any(is_surrogate(name) for name in datasets_of(trials))
    return f"{TEXT('tuned')} {TEXT('generated')}" if generated else TEXT("tuned")
