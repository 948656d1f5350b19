"""What every study makes for readers of the committed results: tables, figures and its chapter."""

import re
from collections import defaultdict
from contextlib import suppress
from functools import cache

import committed
import matplotlib
import pandas as pd
import pytest
from every_study import HOME, STUDIES, figures_of, plan_of
from figure_checks import check_edges, check_files, check_named_panels, check_ticks

from dpmc_studies.frame.jobs import plan
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.showing.chapter import LINES, Chapter
from dpmc_studies.frame.showing.items import load_items
from dpmc_studies.frame.showing.style import RC, NothingToDraw, draw_all
from dpmc_studies.yaml_files import read_mapping

FORMATS = (".csv", ".html", ".md", ".tex")
OF_LARGE_DATA = {"dpals_2_large", "dpals_5_items"}  # of a run with config/large.yaml
# one figure of each study, of different kinds
DRAWN_TWICE = {
    "audit": "privacy_audit_tests",
    "dpals": "dpals_7_ratings",
    "equal_privacy": "privacy_cost",
    "huber": "rmse_by_fraction",
    "onebit": "onebit_7_outp_privacy",
    "which_model": "models_1_errors",
}

every_study = pytest.mark.parametrize("name", STUDIES)
# the grid of the Huber study is always there: its other tables are next to published numbers
that_may_lack = pytest.mark.parametrize("name", [name for name in STUDIES if name != "huber"])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Folder with the committed results of every study."""
    top = tmp_path_factory.mktemp("results")
    for name in STUDIES:
        committed.write(name, top / name)
    return top


def run_steps(name, kind, results, folder):
    """Run the steps of a study that make folders of tables or figures; return these folders."""
    section = plan_of("full").sections[name]
    folders = []
    for step in STUDIES[name].steps:
        if kind in step.name and not step.makes:
            folders.append(folder / step.name)
            function(step.run)(results, step.settings(section), folders[-1])
    return folders


def chapter_of(name, folder) -> Chapter:
    study = STUDIES[name]
    settings = study.chapter_settings(plan_of("full").sections[name])
    return function(study.chapter)(folder, settings)


@pytest.fixture(scope="module")
def tables(results, tmp_path_factory):
    """A function: the folders of the tables of a study for readers."""
    return cache(
        lambda name: run_steps(name, "tables", results / name, tmp_path_factory.mktemp(name))
    )


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.items])
def test_what_an_item_of_a_paper_names_is_there(name, tables):
    study = STUDIES[name]
    shown = {path.stem for folder in tables(name) for path in folder.iterdir()}
    code = " ".join(path.read_text() for path in study.schema.parent.rglob("tables*.py"))
    shown |= set(re.findall(r'"(table_\w+)"', code))  # of data that are not committed
    folders = {step.name for step in study.steps if not step.makes}
    for item in load_items(study.items):
        folder, _, file = item.file.rpartition("/")
        if not folder:
            assert not file or file in plan.all_tables(study), item.item
        else:
            assert folder in folders, item.item
            assert file in (figures_of(name) if "figures" in folder else shown), item.item
        assert not item.config or (HOME / item.config).is_file()


@every_study
def test_every_table_is_written_in_every_format(name, tables):
    for folder in tables(name):
        paths = sorted(folder.iterdir())
        stems = sorted({path.stem for path in paths})
        assert stems
        assert [path.name for path in paths] == [stem + kind for stem in stems for kind in FORMATS]
        for path in paths:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".csv":
                assert len(pd.read_csv(path))
            else:
                assert not re.search(r"\bnan\b", text, re.IGNORECASE), path.name


@every_study
def test_the_chapter_holds_what_is_there(name, results):
    made, judged = chapter_of(name, results / name), set(committed.table(name, "claims")["id"])
    texts = read_mapping(STUDIES[name].schema.with_name("chapter.yaml"))
    for kind in LINES:
        lines, ids = getattr(made, kind), texts.get(kind, ())
        assert [line.claim for line in lines] == [each for each in ids if each in judged]
    assert {claim for each in made.judged for claim in each.claims["id"]} == judged
    assert all((is_own(each.claims) == each.own).all() for each in made.judged)
    assert made.lead
    assert not made.introduction.startswith("<p>")  # the page makes the paragraph
    shown = {entry.id for each in made.galleries for entry in each.figures}
    assert shown == set(figures_of(name))
    folders = [*(each.folder for each in made.galleries), *made.tables]
    assert {folder.name for folder in folders} <= {step.name for step in STUDIES[name].steps}
    assert all(each.endswith(path.name) for each, path in made.downloads)


@that_may_lack
def test_a_study_that_was_not_run_says_so(name, tmp_path):
    for folder in run_steps(name, "tables", tmp_path / "nothing", tmp_path):
        assert list(folder.iterdir()) == []
    made = chapter_of(name, tmp_path)
    assert made.caveat.endswith("has not been run.")
    assert made.lead == made.introduction == ""
    shown = (made.answers, made.findings, made.judged, made.tables, made.galleries, made.downloads)
    assert not any(map(len, shown))


@pytest.fixture(scope="module")
def drawings():
    """A function: the figures of a study whose data are committed, laid out."""

    @cache
    def drawn(name):
        tables, found = defaultdict(lambda: None, committed.tables(name)), []
        with matplotlib.rc_context(RC):
            for entry in figures_of(name).values():
                with suppress(NothingToDraw):
                    found.append(entry.function(tables).figure)
            for figure in found:
                figure.draw_without_rendering()
        return found

    return drawn


@pytest.mark.slow
@every_study
def test_every_figure_has_two_images_its_numbers_and_words(name, results, tmp_path):
    folders = run_steps(name, "figures", results / name, tmp_path)
    drawn = set()
    for folder in folders:
        here = {path.stem for path in folder.iterdir()}
        drawn |= here
        boxes = check_files(folder, [figures_of(name)[key] for key in here])
        assert boxes <= OF_LARGE_DATA
    assert drawn == set(figures_of(name))


@pytest.mark.slow
@that_may_lack
def test_without_results_every_figure_is_a_box_without_numbers(name, tmp_path):
    drawn = set()
    for folder in run_steps(name, "figures", tmp_path / "nothing", tmp_path):
        assert all(pd.read_csv(path).empty for path in folder.glob("*.csv"))
        drawn |= {path.stem for path in folder.iterdir()}
    assert drawn <= set(figures_of(name))
    assert name == "huber" or drawn == set(figures_of(name))


@pytest.mark.slow
@every_study
def test_same_results_give_the_same_files(name, tmp_path):
    entry, tables = figures_of(name)[DRAWN_TWICE[name]], committed.tables(name)
    for folder in ("first", "again"):
        draw_all([entry], tables, tmp_path / folder)
    for first in (tmp_path / "first").iterdir():
        assert first.read_bytes() == (tmp_path / "again" / first.name).read_bytes()


@pytest.mark.slow
@every_study
def test_letters_are_legible_axes_labelled_and_no_text_touches_another(name, drawings):
    for figure in drawings(name):
        check_named_panels(figure)
        check_edges(figure)
        check_ticks(figure)
