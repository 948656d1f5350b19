"""The papers' items: what each entry names is there, and the page of the documents is current."""

import re
from functools import cache

import committed
import pandas as pd
import pytest
import yaml
from document_texts import HOME
from every_study import REFERENCE, STUDIES, plan_of

from dpmc.errors import InputError
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.showing.items import (
    HEADINGS,
    REST,
    item_rows,
    items_page,
    judged_and_compared,
    load_items,
)
from dpmc_studies.report.claims_page import anchors_of, claims_page, linked

WITH_PAPERS = [name for name, each in STUDIES.items() if each.items]
every_study = pytest.mark.parametrize("name", WITH_PAPERS)
ITEM = "- {item: table 1, of: paper, what: errors, file: claims}\n"


@cache
def items_of(name):
    return load_items(STUDIES[name].items)


def claims_of(name):
    path = STUDIES[name].items.with_name("claims.yaml")
    return [each["id"] for each in yaml.safe_load(path.read_text()) if not each.get("own")]


@every_study
def test_every_claim_of_a_paper_belongs_to_an_item(name):
    items = items_of(name)
    named = {claim for item in items if item.claims != REST for claim in item.claims}
    assert named <= set(claims_of(name))
    assert [item.claims for item in items].count(REST) == 1
    assert len({(item.item, item.of) for item in items}) == len(items)


def test_all_printed_numbers_belong_to_an_item():
    printed = pd.read_csv(REFERENCE / "huber" / "expected" / "full" / "comparison.csv")["table"]
    assert {item.published for item in items_of("huber")} - {""} == set(printed)


def test_rows_hold_verdicts_agreement_and_reasons():
    claims = pd.DataFrame(
        [("H2", "supported"), ("H5", "no effect"), ("R1", "supported")], columns=["id", "verdict"]
    )
    compared = pd.DataFrame({"table": ["table3"] * 3, "status": ["agrees", "deviates", "not run"]})
    rows = item_rows(STUDIES["huber"], claims, compared)
    by_item = {row["Item"]: row for row in rows}
    assert tuple(rows[0]) == HEADINGS
    said = by_item["table 3"]["Verdicts"]
    assert said == ("1 of 2 numbers agree; supported: H2; no effect: H5; not judged: H6, H12, H37")
    assert by_item["figure 1.1"]["Verdicts"] == "not reproduced: a drawing"
    assert by_item["figure 1.1"]["Command"] == by_item["figure 1.1"]["File"] == "–"
    # claims of our own are about no item of a paper
    assert not any("R1" in row["Verdicts"] for row in rows)
    claims.loc[3] = ["H99", "contradicted"]
    rest = item_rows(STUDIES["huber"], claims, compared)[-1]
    assert rest["Verdicts"] == "contradicted: H99"
    assert item_rows(STUDIES["audit"], None, None) == []


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_of_a_study_has_rows_of_its_own_run(name, tmp_path):
    study, folder = STUDIES[name], committed.write(name, tmp_path)
    settings = study.chapter_settings(plan_of("full").sections[name])
    chapter = function(study.chapter)(folder, settings)
    claims, compared = judged_and_compared(chapter)
    rows = item_rows(study, claims, compared)
    assert bool(rows) == (name in WITH_PAPERS)
    said = " ".join(row["Verdicts"] for row in rows)
    assert ("numbers agree" in said) == (name == "huber")
    own = [claim for each in chapter.judged if each.own for claim in each.claims["id"]]
    assert not any(re.search(rf"\b{claim}\b", said) for claim in own)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("file: claims", "because: a drawing, minutes: 3"), "minutes"),
        ((", file: claims", ""), "is not valid under any of the given schemas"),
        (("file: claims", "file: ../claims"), "does not match"),
        (("file: claims", "file: claims, claims: all"), "is not valid"),
        (("item: table 1, ", ""), "'item' is a required property"),
    ],
)
def test_a_broken_entry_is_refused(tmp_path, change, message):
    path = tmp_path / "items.yaml"
    path.write_text(ITEM)
    assert load_items(path)[0].item == "table 1"
    path.write_text(ITEM.replace(*change))
    with pytest.raises(InputError, match=message):
        load_items(path)


def test_the_page_of_the_documents_is_that_of_the_reference():
    """`dpmc reference items` writes it again."""
    page = (HOME / "docs" / "items.md").read_text(encoding="utf-8")
    made = items_page(STUDIES, REFERENCE)
    anchors = anchors_of(claims_page(STUDIES, REFERENCE))
    assert page == linked(made, "claims.md", anchors), "write it with: dpmc reference items"
