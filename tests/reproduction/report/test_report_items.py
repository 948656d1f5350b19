"""The page of a study shows its papers' items, and what only the whole table of claims tells."""

import numpy as np
import pandas as pd
import pytest
from pages import Page

from dpmc_studies.frame.jobs.plan import page_file
from dpmc_studies.frame.judging.claims import CLAIM_COLUMNS
from dpmc_studies.frame.showing.chapter import Chapter, Judged
from dpmc_studies.frame.showing.items import HEADINGS
from dpmc_studies.report.numbers import seen_text
from dpmc_studies.report.page import Report, StudyPage, write_site

ROWS = [
    dict(zip(HEADINGS, row, strict=True))
    for row in (
        ("table 1", "paper", "errors", "make reproduce", "one/claims.csv", "supported: A1"),
        ("figure 1", "paper", "a < b", "–", "–", "not reproduced: a drawing"),
    )
]
KNOWN = [
    ("A1", "supported", "before", 0.001, 0.003, np.nan),
    ("A2", "no effect", "after", 0.03, 0.06, 0.00345),
    ("A3", "contradicted", "after", np.nan, np.nan, np.nan),
    ("A4", "inconclusive", "after", np.nan, np.nan, np.nan),
]


def claims():
    names = ("id", "verdict", "written", "p_value", "holm", "detectable")
    table = pd.DataFrame(KNOWN, columns=names).reindex(columns=list(CLAIM_COLUMNS))
    texts = ["source", "sentence", "claim", "predicate", "reported_verdict", "reason", "depends_on"]
    return table.assign(**dict.fromkeys(texts, "so")).astype({"n": "Int64"})


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    chapter = Chapter("One", "", "", judged=[Judged("Claims", claims(), reported=True)])
    write_site(folder, Report("Title", {"one": StudyPage(chapter, items=ROWS)}, {}))
    return Page((folder / page_file("one")).read_text(encoding="utf-8"))


def test_items_are_a_table_with_commands_and_files(page):
    assert "one-items" in page.ids
    for word in (*HEADINGS, *(value for row in ROWS for value in row.values())):
        assert word in page.words
    assert len(page.all("code")) >= 2


def test_it_is_said_how_many_verdicts_stand_and_when_predicates_were_written(page):
    assert "3 claims are decided, 2 of them by tests of trials." in page.words
    assert (
        "1 of these tests are significant at 5 % after Holm’s correction (all but A2)" in page.words
    )
    assert (
        "1 written before any trial that is judged was run; 3 written or changed with" in page.words
    )


def test_a_claim_says_its_chance_and_what_would_have_been_seen(page):
    assert "p = 0.03, 0.06 after Holm’s correction" in page.words
    assert page.words.count("An effect of") == 1
    assert "An effect of 0.00345 would have been seen in 80 % of repeats." in page.words


def test_beside_a_number_stands_what_would_be_seen():
    assert seen_text({"detectable": 0.123}) == "; 12 % off would be seen"
    assert seen_text({"detectable": np.nan}) == seen_text({}) == ""
