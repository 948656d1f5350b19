"""Links of the documents lead somewhere, and the README is short."""

import re

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


def test_dead_links_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("test_links.HOME", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "# One two\n## One two\n[a](page.md#one-two-1) [b](#one-two) [c](#two) [d](none.md)\n"
        "[`e`](page.md#no) ![f](none.png) [g](../out.md) `[h](none.md)`\n```\n[i](no.md)\n```\n"
        '<a id="x"></a>named: [x](#x) [y](#y)\n'
        "code `over\n an end`: [j](no.md#j). The `[k](none.md)`\n"
    )
    found = ["#two", "none.md", "page.md#no", "none.png", "../out.md", "#y", "no.md#j"]
    assert list(dead(page)) == found


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
