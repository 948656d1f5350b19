"""The chapter of the report: factorisation that protects users."""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.chapter import Chapter, judged_claims
from dpmc_studies.frame.showing.results import has_results
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.studies.dpals.claims.own import CLOSE, beside_ours
from dpmc_studies.studies.dpals.figures import DPALS_FIGURES
from dpmc_studies.studies.dpals.frames import METRICS, NAMES, read_dpals

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
# these are too large; the CSV of every figure holds their means and intervals
LARGE = ("trials", "iterations")


def chapter(folder: str | Path, settings: Mapping[str, object]) -> Chapter:
    """Return the chapter, from the results and the files of the steps "tables" and "figures"."""
    folder = Path(folder)
    results = read_dpals(folder)
    if not has_results({name: results[name] for name in NAMES}):
        return Chapter.not_run(TEXT)
    return Chapter.of(
        folder,
        TEXT,
        DPALS_FIGURES,
        about=TEXT("about"),
        caveat=TEXT("tuned"),
        agrees=TEXT("agrees", percent=f"{100 * CLOSE:g}"),
        tables=[folder / "tables"],
        judged=judged_claims(results["claims"], TEXT("judged")),
        downloads=[
            (f"dpals_{name}.csv", folder / f"{name}.csv") for name in NAMES if name not in LARGE
        ],
        published=beside_ours(results["trials"], results["published"]),
        metrics=METRICS,
    )
