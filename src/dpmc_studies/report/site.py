"""The pages of a run: what its studies made, with errata, numbers, items and provenance."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.showing.erratum import read_errata
from dpmc_studies.frame.showing.items import item_rows, judged_and_compared
from dpmc_studies.report.manifest import manifest
from dpmc_studies.report.numbers import Numbers
from dpmc_studies.report.page import Report, StudyPage


def report_of(
    plan: Plan,
    given: Mapping,
    raw: Mapping[str, str | None],
    *,
    commands: str = "",
    note: str = "",
) -> Report:
    """Return the report of the studies of a plan, whose results lie below its folder.

    Parameters
    ----------
    given : mapping
        What :func:`dpmc_studies.frame.jobs.plan.page_settings` returns, with ``changed``, the
        settings that differ from the defaults, ``home``, the folder of the project, and
        ``snakemake``, the command that runs the workflow again.
    raw : mapping
        Data set to its raw file, None where it is not available.
    commands : str
        Folder of the run that commands of the page of numbers make files of, if not the plan's.
    note : str
        What the reader has to know first.
    """
    top, shown = Path(plan.top), plan.studies

    def provenance(names: Iterable[str]) -> dict[str, object]:
        """Return the manifest of some studies."""
        names = list(names)
        data = plan.real_data(shown[name] for name in names)
        return manifest(
            root=given["home"],
            configuration=given["configuration"],
            changed=given["changed"],
            seeds={run: seed for name in names for run, seed in given["seeds"][name].items()},
            raw_files={name: raw[name] for name in data},
            benchmarks=[
                path for name in names for path in (top / name / "benchmarks").rglob("*.tsv")
            ],
        )

    pages = {}
    for name, study in shown.items():
        folder = top / name
        chapter = function(study.chapter)(folder, given["chapters"][name])
        errata = read_errata(study.errata)
        rows = Numbers(plan, study, chapter, given["snakemake"], commands).rows()
        items = item_rows(study, *judged_and_compared(chapter))
        full = committed_verdicts(given["home"], name) if differs(given["changed"], name) else {}
        pages[name] = StudyPage(chapter, errata, provenance([name]), rows, items, full)
    title = given["configuration"]["report"]["title"]
    if len(pages) == 1 and "report.title" not in given["changed"]:  # the user's wins
        (title,) = (page.chapter.heading for page in pages.values())
    return Report(title, pages, provenance(shown), note)


def differs(changed: Iterable[str], study: str) -> bool:
    """Say whether settings of a study, by their dotted keys, are not those of a full run."""
    return any(key.partition(".")[0] == study for key in changed)


def committed_verdicts(home: str, study: str) -> dict[str, str]:
    """Return the verdicts of the last full run that are committed, by claim; empty if none are."""
    path = Path(home) / "results" / "reference" / study / "expected" / "full" / "claims.csv"
    if not path.is_file():
        return {}
    return dict(read_frame(path)[["id", "verdict"]].itertuples(index=False, name=None))
