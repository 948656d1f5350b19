"""The site: small pages that find each other, readable without scripts, each row with origin."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from pages import Page

from dpmc_studies.frame.jobs.cells import cell_name
from dpmc_studies.frame.jobs.plan import INDEX, NUMBERS, page_file
from dpmc_studies.frame.showing.chapter import Chapter
from dpmc_studies.report.numbers import (
    CLAIM,
    MEAN,
    PUBLISHED,
    TEST,
    Numbers,
    origin_of,
)
from dpmc_studies.report.page import COLUMNS, Report, StudyPage, write_site

LIMIT = 3_000_000  # bytes of a page
STUDIES = ("huber", "equal_privacy", "which_model", "audit", "onebit", "dpals")
PAGES = (INDEX, NUMBERS, *map(page_file, STUDIES))


@pytest.fixture(scope="module")
def folder(outputs):
    return outputs / "report"


@pytest.fixture(scope="module")
def pages(folder):
    return {name: Page((folder / name).read_text(encoding="utf-8")) for name in PAGES}


def test_pages_are_all_there_and_small(folder):
    written = {path.name for path in folder.iterdir()}
    assert written == {*PAGES, "files"}
    assert max((folder / name).stat().st_size for name in PAGES) < LIMIT


def test_every_link_arrives(folder, pages):
    for name, page in pages.items():
        for tag, attributes in page.tags:
            address = attributes.get("href" if tag in {"a", "link"} else "src", "data:")
            if address.startswith("data:"):
                continue
            assert not re.match(r"\w+:|/", address), address
            path, _, anchor = address.partition("#")
            assert (folder / path).is_file() if path else anchor
            if anchor:
                assert anchor in pages[path or name].ids, address


def test_every_page_leads_to_every_other(pages):
    for name, page in pages.items():
        links = {link["href"] for link in page.all("a")}
        assert set(PAGES) <= links
        (here,) = (link["href"] for link in page.all("a") if "aria-current" in link)
        assert here == name


def test_every_page_is_accessible(pages):
    for page in pages.values():
        assert page.all("html") == [{"lang": "en"}]
        assert page.all("a")[0] == {"class": "skip", "href": "#content"}
        assert page.all("main") == [{"id": "content"}]
        assert len(page.ids) == len(set(page.ids))
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert all(image["alt"] for image in page.all("img"))
        assert {"col", "row"} <= {attributes["scope"] for attributes in page.all("th")}
        assert len(page.all("caption")) == len(page.all("table"))
        for box in page.all("nav"):
            assert box["aria-label"]


def test_controls_have_labels_and_show_only_with_a_script(pages):
    page = pages[NUMBERS]
    inside = page.inside("form")
    controls = [tag for tag, _ in inside if tag in {"input", "select"}]
    assert len(controls) == 1 + sum(COLUMNS.values())
    assert [tag for tag, _ in inside].count("label") == len(controls)
    (form,) = page.all("form")
    assert "hidden" in form
    places = [int(attributes["data-column"]) for tag, attributes in inside if tag == "select"]
    assert [list(COLUMNS)[place] for place in places] == [
        name for name, filtered in COLUMNS.items() if filtered
    ]


def test_a_study_has_a_page_with_all_of_it(pages, chapters):
    for name, chapter in chapters.items():
        page = pages[page_file(name)]
        shown = [entry for gallery in chapter.galleries for entry in gallery.figures]
        images = [image["alt"] for image in page.all("img")]
        lack = [each for each in shown if not any(alt.startswith(each.alt) for alt in images)]
        assert len(images) == len(shown) - len(lack)
        key = next(entry for entry in shown if entry.id == chapter.key_figure)
        assert images[0].startswith(key.alt)
        assert f"{name}-provenance" in page.ids
        for finding in chapter.findings:
            assert " ".join(finding.text.split()) in page.words
        for judged in chapter.judged:
            assert all(reason in page.words for reason in judged.claims["reason"])
    assert "E2. Inverse CDF" in pages[page_file("huber")].words
    assert "Inverse CDF" not in pages[page_file("onebit")].words


def test_without_scripts_every_row_can_be_read(pages, rows):
    page, every = pages[NUMBERS], [row for name in STUDIES for row in rows[name]]
    body = page.inside("tbody")
    assert [tag for tag, _ in body].count("tr") == len(every) > 500
    assert not [attributes for tag, attributes in body if "hidden" in attributes]
    origins = {row.origin for row in every}
    items = [identifier for identifier in page.ids if re.fullmatch(r"o\d+", identifier)]
    assert len(items) == len(origins)
    for row in every[::97]:
        for text in (row.what, row.ours, row.origin.settings, row.origin.command):
            assert text in page.words
    assert all(row.origin.command for row in every)


def test_rows_are_claims_published_numbers_means_and_tests(rows, chapters):
    kinds = {name: {row.kind for row in rows[name]} for name in STUDIES}
    assert kinds["huber"] == {CLAIM, PUBLISHED, MEAN}
    assert kinds["audit"] == {CLAIM, TEST}
    published = chapters["huber"].published
    shown = [row for row in rows["huber"] if row.kind == PUBLISHED]
    assert [row.verdict for row in shown] == list(published["status"])
    first = published.iloc[0]
    assert shown[0].published == f"{first['published']:.4g}"
    place, _, cell = shown[0].what.partition(": ")
    assert place == "table 3"
    same = [
        row
        for row in rows["huber"]
        if (row.kind, row.what, row.mechanism, row.metric) == (MEAN, cell, "none", shown[0].metric)
        and row.data == "synthetic"
    ]
    assert [row.origin for row in same] == [shown[0].origin]
    (budgets,) = {row.origin.command for row in shown if row.metric.startswith("ε")}
    assert budgets.endswith("huber/comparison.csv")


def test_a_mean_names_the_job_that_made_it(tmp_path, planned):
    """The real jobs of a study, each with rows of its own."""
    study = planned.studies["equal_privacy"]
    plan = type(planned)(str(tmp_path), planned.configuration, planned.studies)
    (job,) = (job for job in study.jobs if job.name == "fit")
    cells = [dict(zip(job.coordinates, place, strict=True)) for place in plan.jobs(study, job)]
    paths = plan.parts(study, "calibrated")
    settings = plan.settings_by_cell(study)
    for number, (cell, path) in enumerate(zip(cells, paths, strict=True)):
        coordinates = cell | {"epsilon": 1.0, "mechanism": "gaussian"}
        values = {"rmse_all": None, "rmse_heldout": float(number), "rmse_clipped": None}
        frame = pd.DataFrame([{**coordinates, "trial": trial, **values} for trial in range(2)])
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
    chapter = Chapter("Mine", "a", "b", metrics={"rmse_heldout": "RMSE"})
    made = Numbers(plan, study, chapter, "snakemake --cores 1").rows()
    assert [row.ours for row in made] == [f"{number:.4g} ± 0" for number in range(len(cells))]
    assert {row.metric for row in made} == {"RMSE"}
    for row, path, cell in zip(made, paths, cells, strict=True):
        assert row.origin.command.replace("'", "") == f"snakemake --cores 1 --force {path}"
        name = cell_name(
            {"dataset": cell["dataset"], "relation": cell["relation"], "epsilon": 1.0,
             "method": cell["method"], "mechanism": "gaussian"}
        )  # fmt: skip
        if name in settings:
            own = settings[name]
            assert row.origin == origin_of(own, row.origin.command)
            assert row.origin.seed == str(own["seed"])
            assert json.dumps(own["method"], ensure_ascii=False) in row.origin.settings


def test_a_site_without_claims_or_numbers(tmp_path):
    chapter = Chapter("Mine & yours", "a", "b")
    write_site(tmp_path, Report("Title", {"mine": StudyPage(chapter)}, {}))
    index = Page((tmp_path / INDEX).read_text(encoding="utf-8"))
    assert "mine" in index.words
    assert index.all("img") == []  # there is nothing to draw
