"""The chapter of the report: one-bit completion."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.onebit.figures import ONEBIT_FIGURES
from dpmc.studies.onebit.findings import NOT_RUN, caveats, onebit_answer, onebit_findings
from dpmc.studies.onebit.frames import NAMES, read_onebit
from dpmc.study.chapter import Chapter, Gallery, Judged
from dpmc.study.effects import Answer
from dpmc.study.finding import INCONCLUSIVE
from dpmc.study.results import has_results
from dpmc.study.texts import Texts

TEXT = Texts(Path(__file__).with_name("chapter.yaml"))
METRICS = {
    "are_truncated": "Relative error, truncated to the rank",
    "accuracy_truncated": "Test signs that are right",
}
# these are too large; the CSV of every figure holds its means and intervals
EMBEDDED = tuple(name for name in NAMES if name not in ("trials", "ranks"))


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
    results = read_onebit(folder)
    if not has_results(results):
        nothing = Answer(INCONCLUSIVE, NOT_RUN.removesuffix("."), "")
        return Chapter(TEXT("heading"), lead="", introduction="", findings=[nothing])
    claims = results["claims"]
    return Chapter(
        TEXT("heading"),
        TEXT("lead"),
        TEXT("introduction"),
        answers=onebit_answer(results),
        key_figure="onebit_7_outp_privacy",
        caveat=caveats(results["trials"]),
        findings=onebit_findings(results),
        tables=[folder / "tables"],
        galleries=[Gallery(ONEBIT_FIGURES, folder / "figures")],
        judged=[] if claims is None else [Judged(TEXT("judged"), claims)],
        downloads=[(f"onebit_{name}.csv", folder / f"{name}.csv") for name in EMBEDDED],
        metrics=METRICS,
    )
