"""What every study makes for readers of made-up results: tables, figures and its chapter."""

import re
from collections import defaultdict
from functools import cache

import fake_results
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
# tables that a chapter does not offer: most are too large
NOT_OFFERED = {
    "audit": {"claims"},
    "dpals": {"trials", "iterations", "published"},
    "equal_privacy": set(),
    "huber": {"trials"},
    "onebit": {"trials", "ranks"},
    "which_model": {"trials"},
}
# one figure of each study, of different kinds
DRAWN_TWICE = {
    "audit": "privacy_audit_tests",
    "dpals": "dpals_5_items",
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
    """Folder with made-up results of every study."""
    top = tmp_path_factory.mktemp("results")
    for name in STUDIES:
        fake_results.write(name, top / name)
    return top


def may_lack(name):
    """Ids of the figures of a study that become a box where nothing was run."""
    return set() if name == "huber" else set(figures_of(name))  # whose first ones need the grid


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
    study, jobs = STUDIES[name], {job.name: job for job in STUDIES[name].jobs}
    shown = {path.stem for folder in tables(name) for path in folder.iterdir()}
    code = " ".join(path.read_text() for path in study.schema.parent.rglob("tables*.py"))
    shown |= set(re.findall(r'"(table_\w+)"', code))  # of experiments that are not made up
    folders = {step.name for step in study.steps if not step.makes}
    for item in load_items(study.items):
        folder, _, file = item.file.rpartition("/")
        if not folder:
            assert not file or file in plan.all_tables(study), item.item
        else:
            assert folder in folders, item.item
            assert file in (figures_of(name) if "figures" in folder else shown), item.item
        assert set(item.jobs) <= set(jobs), item.item
        assert not item.config or (HOME / item.config).is_file()
        for job in item.jobs:
            assert set(item.only) <= set(jobs[job].coordinates), item.item


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


@that_may_lack
def test_without_results_there_are_no_tables(name, tmp_path):
    for folder in run_steps(name, "tables", tmp_path / "nothing", tmp_path):
        assert list(folder.iterdir()) == []


@every_study
def test_the_chapter_holds_what_is_there(name, results):
    made = chapter_of(name, results / name)
    tables = fake_results.STUDIES[name].tables()
    judged = {each for key in tables if "claims" in key for each in tables[key]["id"]}
    texts = read_mapping(STUDIES[name].schema.with_name("chapter.yaml"))
    for kind in LINES:
        lines, ids = getattr(made, kind), texts.get(kind, ())
        assert bool(lines) == bool(ids)
        assert [line.claim for line in lines] == [each for each in ids if each in judged]
    assert {claim for each in made.judged for claim in each.claims["id"]} == judged
    assert all((is_own(each.claims) == each.own).all() for each in made.judged)
    assert bool(made.caveat) == (name not in ("audit", "huber"))
    assert made.lead
    assert made.introduction
    assert not made.introduction.startswith("<p>")  # the page makes the paragraph
    shown = {entry.id for each in made.galleries for entry in each.figures}
    assert shown == set(figures_of(name))
    folders = [*(each.folder for each in made.galleries), *made.tables]
    assert {folder.parent for folder in folders} == {results / name}
    assert {folder.name for folder in folders} <= {step.name for step in STUDIES[name].steps}
    assert all(path.is_file() for _, path in made.downloads)
    assert all(each.endswith(path.name) for each, path in made.downloads)
    assert {path.stem for _, path in made.downloads} == set(tables) - NOT_OFFERED[name]


@that_may_lack
def test_claims_that_were_not_judged_have_no_lines_and_no_table(name, tmp_path):
    measured = [key for key in fake_results.STUDIES[name].tables() if "claims" not in key]
    made = chapter_of(name, fake_results.write(name, tmp_path, measured))
    assert made.introduction
    assert not any(map(len, (made.answers, made.findings, made.judged)))


@that_may_lack
def test_the_chapter_of_a_study_that_was_not_run_says_so(name, tmp_path):
    made = chapter_of(name, tmp_path)
    assert made.caveat.endswith("has not been run.")
    assert made.lead == made.introduction == ""
    shown = (made.answers, made.findings, made.judged, made.tables, made.galleries, made.downloads)
    assert not any(map(len, shown))


@every_study
def test_a_figure_whose_tables_are_missing_says_so(name):
    for key in may_lack(name):
        with pytest.raises(NothingToDraw):
            figures_of(name)[key].function(defaultdict(lambda: None))


@pytest.fixture(scope="module")
def drawings():
    """The figures of a study by name, laid out."""
    known = {}

    def drawn(name):
        if name not in known:
            tables = defaultdict(lambda: None, fake_results.STUDIES[name].tables())
            with matplotlib.rc_context(RC):
                known[name] = {
                    entry.id: entry.function(tables).figure for entry in figures_of(name).values()
                }
                for figure in known[name].values():
                    figure.draw_without_rendering()
        return known[name]

    return drawn


@pytest.mark.slow
@every_study
def test_every_figure_has_two_images_its_numbers_and_words(name, results, tmp_path):
    folders = run_steps(name, "figures", results / name, tmp_path)
    drawn = set()
    for folder in folders:
        here = {path.stem for path in folder.iterdir()}
        drawn |= here
        entries = [entry for key, entry in figures_of(name).items() if key in here]
        check_files(folder, entries)
    assert drawn == set(figures_of(name))


@pytest.mark.slow
@that_may_lack
def test_without_results_every_figure_is_a_box_without_numbers(name, tmp_path):
    drawn = set()
    for folder in run_steps(name, "figures", tmp_path / "nothing", tmp_path):
        assert all(pd.read_csv(path).empty for path in folder.glob("*.csv"))
        drawn |= {path.name for path in folder.iterdir()}
    kinds = (".csv", ".png", ".svg")
    assert drawn == {f"{key}{kind}" for key in may_lack(name) for kind in kinds}


@pytest.mark.slow
@every_study
def test_same_results_give_the_same_files(name, tmp_path):
    entry, tables = figures_of(name)[DRAWN_TWICE[name]], fake_results.STUDIES[name].tables()
    for folder in ("first", "again"):
        draw_all([entry], tables, tmp_path / folder)
    for first in (tmp_path / "first").iterdir():
        assert first.read_bytes() == (tmp_path / "again" / first.name).read_bytes()


@pytest.mark.slow
@every_study
def test_letters_are_legible_axes_labelled_and_no_text_leaves_the_figure(name, drawings):
    for figure in drawings(name).values():
        check_named_panels(figure)
        check_edges(figure)


@pytest.mark.slow
@every_study
def test_labels_of_ticks_do_not_touch(name, drawings):
    for figure in drawings(name).values():
        check_ticks(figure)
