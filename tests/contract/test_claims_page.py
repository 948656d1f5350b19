"""The page that states all claims: it is current, and ids in documents lead to it."""

import re

from document_texts import HOME
from every_study import REFERENCE, STUDIES

from dpmc_studies.report.claims_page import anchors_of, claims_page, linked
from dpmc_studies.yaml_files import read_plain

PAGE = (HOME / "docs" / "claims.md").read_text(encoding="utf-8")
ANCHORS = {"h2", "h34", "e1", "erratum-e1", "erratum-e60"}


def test_the_page_is_that_of_the_claims_and_of_the_reference():
    """`dpmc reference claims` writes it again."""
    assert claims_page(STUDIES, REFERENCE) == PAGE, "write it with: dpmc reference claims"


def test_it_has_every_claim_and_every_mistake_once():
    names = []
    for study in STUDIES.values():
        names += [each["id"].lower() for each in read_plain(study.schema.with_name("claims.yaml"))]
        errata = study.schema.with_name("errata.yaml")
        names += [f"erratum-{key.lower()}" for key in read_plain(errata)] if errata.exists() else []
    found = re.findall(r'<a id="([\w-]+)"></a>', PAGE)
    assert set(found) == set(names) == anchors_of(PAGE)
    assert len(found) == len(names)


def test_a_row_has_words_source_verdict_and_a_number_with_its_unit():
    assert (
        '| <a id="h3"></a>H3 | Huber noise has the lowest RMSE in the majority of cases over all '
        "ranks | thesis, section 5.2, observation 1 | no effect | +0.09 % [+0.03 %, +0.15 %] "
        "| supported |"
    ) in PAGE
    assert "| contradicted | 2.839 the largest exact loss over epsilon |" in PAGE
    (multiple,) = re.findall(r'^\| <a id="d4"></a>.*$', PAGE, flags=re.MULTILINE)
    assert "| 5.18 times [4.83 times, 5.56 times] |" in multiple  # of a claim of "at least 7-fold"


def test_a_claim_that_a_full_run_has_no_data_for_has_the_verdict_of_the_run_that_had_them():
    (row,) = re.findall(r'^\| <a id="l18"></a>.*$', PAGE, flags=re.MULTILINE)
    assert "| supported (`config/once/new-data.yaml`) | −" in row
    assert re.search(r'^\| <a id="d6"></a>.*\| not run \|', PAGE, flags=re.MULTILINE)


def test_ids_in_prose_become_links_and_nothing_else_does():
    text = (
        "# About H2\nH2, H99 and `H2`; (H34). [H2](x.md) [of H2][1] <a id=H2>\n"
        "```\nH2\n```\n$t=H2^{1/2}$; E1, erratum E1, Erratum E60, E60, section-H2, figure2/H2, "
        "H2-form\n"
    )
    assert linked(text, "claims.md", ANCHORS) == (
        "# About H2\n[H2](claims.md#h2), H99 and `H2`; ([H34](claims.md#h34)). [H2](x.md) "
        "[of H2][1] <a id=H2>\n```\nH2\n```\n$t=H2^{1/2}$; [E1](claims.md#e1), erratum "
        "[E1](claims.md#erratum-e1), Erratum [E60](claims.md#erratum-e60), "
        "[E60](claims.md#erratum-e60), section-H2, figure2/H2, H2-form\n"
    )


def test_linking_again_changes_nothing():
    once = linked("Claims H2 and H34.", "../claims.md", ANCHORS)
    assert linked(once, "../claims.md", ANCHORS) == once
