"""A report on the committed results of every study."""

from pathlib import Path

import committed
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from dpmc.privacy.nominal import table_one
from dpmc_studies import configuration, studies
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.erratum import CHANGES_CONCLUSION, WITHOUT_CONSEQUENCE, Erratum
from dpmc_studies.report.numbers import Numbers
from dpmc_studies.report.page import Report, StudyPage, write_site
from dpmc_studies.studies.huber.reported import compare, load

ROOT = Path(__file__).resolve().parents[3]
STUDIES = studies.load()


@pytest.fixture(scope="session")
def trials() -> pd.DataFrame:
    """The first trials of the Huber study: as many as stand beside the printed means."""
    every = committed.table("huber", "trials")
    return every[every["trial"] < 10]


@pytest.fixture(scope="session")
def trials_without_data(trials) -> pd.DataFrame:
    return trials[trials["dataset"] == "synthetic"]


@pytest.fixture(scope="session")
def budgets() -> pd.DataFrame:
    return pd.DataFrame(table_one())


@pytest.fixture(scope="session")
def comparison(trials, budgets) -> pd.DataFrame:
    return compare(trials, load(), budgets)


@pytest.fixture(scope="session")
def claims() -> pd.DataFrame:
    return committed.table("huber", "claims")


ERRATA = [
    Erratum("E1", "Sign", WITHOUT_CONSEQUENCE, "paper", "+", "−", "It is less."),
    Erratum("E2", "Inverse CDF", CHANGES_CONCLUSION, "`4.4`", "x < 1 & y", "x > 1", "It is 0.5."),
]
MANIFEST = {
    "dpmc": "0.1.0",
    "git": {"commit": "0123456789abcdef" * 8, "dirty": False},
    "cores": [1, 2],
}


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="session")
def planned() -> Plan:
    """The plan of the full run: what steps and chapters are given."""
    full = configuration.load(ROOT / "config" / "config.yaml")
    return Plan("results", configuration.checked(full, STUDIES), STUDIES)


@pytest.fixture(scope="session")
def results(report_folder, comparison) -> Path:
    """Folder of all studies' tables, and of what their steps make of them for readers."""
    for name in STUDIES:
        committed.write(name, report_folder / name)
    comparison.to_csv(report_folder / "huber" / "comparison.csv", index=False)
    return report_folder


@pytest.fixture(scope="session")
def chapters(request, results, planned) -> dict:
    """The chapter of each study, after all of its steps that make folders.

    Figures are drawn as pages show them, without the images for print. Everyday tests look at what
    is next to figures and never into them, so that they get boxes of the figures' numbers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(style.IMAGES, ".png")
        if not any(item.get_closest_marker("slow") for item in request.session.items):
            patch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
            patch.setattr(Figure, "savefig", save_box)
        run_steps(results, planned)
    return {name: chapter_of(planned, name, results / name) for name in STUDIES}


def save_box(figure, path, **_) -> None:
    """Write an SVG image that no other figure has, instead of the figure."""
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><title>{path.name}</title></svg>')


def run_steps(results: Path, planned: Plan) -> None:
    """Make the tables and figures of each study for readers."""
    for name, study in STUDIES.items():
        for step in study.steps:
            if not step.makes and step.target is None:
                out = results / name / step.name
                out.mkdir()
                settings = step.settings(planned.sections[name])
                function(step.run)(results / name, settings, out)


def chapter_of(planned: Plan, name: str, folder: Path):
    """Return the chapter of a study from a folder of its results."""
    study = STUDIES[name]
    return function(study.chapter)(folder, study.chapter_settings(planned.sections[name]))


@pytest.fixture(scope="session")
def rows(results, chapters, planned) -> dict:
    """The claims and numbers of each study."""
    plan = Plan(str(results), planned.configuration, STUDIES)
    return {
        name: Numbers(plan, STUDIES[name], chapter, "snakemake").rows()
        for name, chapter in chapters.items()
    }


@pytest.fixture(scope="session")
def report(chapters, rows) -> Report:
    pages = {
        name: StudyPage(
            chapter,
            ERRATA if name == "huber" else [],
            MANIFEST,
            rows[name],
        )
        for name, chapter in chapters.items()
    }
    return Report("Report <1>", pages, MANIFEST)


@pytest.fixture(scope="session")
def outputs(results, report) -> Path:
    """The results of all studies, the report in ``report``."""
    write_site(results / "report", report)
    return results
