"""Links of the documents lead somewhere, and the README is short."""

import re
import runpy

import pytest
from document_texts import DOCUMENTS, HOME, README, name_of

MOST_LINES, MOST_WORDS = 100, 900
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
BEFORE = re.compile(r"https?://|mailto:")


def prose(document):
    """Return the text of a document without its blocks, and code in it without brackets."""
    text = document.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(
        r"`((?:[^`\n]|\n(?!\s*\n))*)`", lambda code: re.sub(r"[\[\]()]", "", code[1]), text
    )


def anchors(document):
    """Return the anchors of headings, as GitHub makes them, and those that the page names."""
    text = document.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    named = re.findall(r'<a id="([\w-]+)"></a>', text)
    found = []
    for heading in re.findall(r"^#+ +(.*?)\s*$", text, flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        copies = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", each) is not None for each in found)
        found.append(f"{name}-{copies}" if copies else name)
    return [*found, *named]


def dead(document):
    """Yield the links of a document that lead nowhere."""
    for link in LINK.findall(prose(document)):
        if BEFORE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        inside = target.is_relative_to(HOME)
        if not inside or not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


def test_links_lead_somewhere():
    assert {name_of(each): found for each in DOCUMENTS if (found := list(dead(each)))} == {}


def test_every_page_is_linked_from_the_readme_or_from_a_page_that_is():
    reached, waiting = set(), [README]
    while waiting:
        document = waiting.pop()
        if document in reached:
            continue
        reached.add(document)
        for link in LINK.findall(prose(document)):
            target = (document.parent / link.partition("#")[0]).resolve()
            if target in DOCUMENTS:
                waiting.append(target)
    assert [name_of(each) for each in DOCUMENTS if each not in reached] == []


def test_the_readme_is_short():
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS


@pytest.fixture(scope="module")
def links():
    return runpy.run_path(str(HOME / "envs" / "links.py"))


def test_every_id_and_the_first_use_of_a_word_of_ours_are_links(links):
    """`python envs/links.py` makes them."""
    made = {each: links["with_links"](each, each.read_text(encoding="utf-8")) for each in DOCUMENTS}
    behind = [
        name_of(each)
        for each, text in made.items()
        if each not in links["GENERATED"] and text != each.read_text(encoding="utf-8")
    ]
    assert behind == [], "link them with: .venv/bin/python envs/links.py"


def test_the_glossary_explains_the_words_that_pages_link_to_and_is_short(links):
    text = links["GLOSSARY"].read_text(encoding="utf-8")
    words = re.findall(r'^\| <a id="([\w-]+)"></a>', text, flags=re.MULTILINE)
    assert set(links["WORDS"]) <= set(words)
    assert len(words) == len(set(words)) <= 30
