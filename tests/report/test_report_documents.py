"""A document of a study is a page of the report: all of it arrives, its links lead somewhere."""

import re
from pathlib import Path

import pytest
from pages import Page

from dpmc import studies
from dpmc.errors import InputError
from dpmc.frame.jobs.plan import document_page, page_file
from dpmc.frame.showing.chapter import Chapter
from dpmc.report.documents import Document
from dpmc.report.page import Report, StudyPage, write_single, write_site

HOME = Path(__file__).resolve().parents[2]
DECLARED = [(name, file) for name, study in studies.load().items() for file in study.documents]


def both_forms(folder, documents):
    """Write a report of one study with these documents: its pages by name, and the one file."""
    report = Report("Title", {"mine": StudyPage(Chapter("A", "b", "c"), documents=documents)}, {})
    write_site(folder / "site", report)
    write_single(folder / "single.html", report)
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    return {name: Page(text) for name, text in texts.items()}, texts


def squeezed(text):
    """Return a text without spaces and without what Markdown marks."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[\s`*]", "", text)


@pytest.fixture(scope="module", params=DECLARED, ids=lambda declared: declared[1])
def shown(request, tmp_path_factory):
    """Source of a document of a built-in study, its name, and the pages that show it."""
    document = Document(HOME, request.param[1])
    pages, texts = both_forms(tmp_path_factory.mktemp("documents"), [document])
    forms = document_page(document.name), "single.html"
    return (HOME / document.file).read_text(encoding="utf-8"), document, pages, texts, forms


def test_every_heading_table_and_block_arrives(shown):
    source, document, _, texts, forms = shown
    blocks = re.findall(r"^```\w*\n(.*?)^```", source, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", source, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^(#+) +(.+)$", prose, re.MULTILINE)
    rules = re.findall(r"^\|(?: ?-+:? ?\|)+$", prose, re.MULTILINE)
    cells = [
        squeezed(cell)
        for row in re.findall(r"^\| (.+) \|$", prose, re.MULTILINE)
        if f"| {row} |" not in rules
        for cell in row.split(" | ")
    ]
    assert min(map(len, (blocks, headings, rules, cells))) > 0
    for form, deeper in zip(forms, (0, 1), strict=True):
        # of the one file the part that is the document
        _, start, text = texts[form].partition(f'<section id="{document.name}" class="document">')
        page = Page(start + text.partition("</section>")[0] + "</section>")
        found = [(tag, one["id"]) for tag, one in page.tags if re.fullmatch("h[1-6]", tag)]
        assert [tag for tag, _ in found] == [f"h{len(marks) + deeper}" for marks, _ in headings]
        plain = re.sub(r"\s", "", "".join(page.text))
        assert all(squeezed(words) in plain for _, words in headings)
        assert len(page.all("table")) == len(page.all("caption")) == len(rules)
        inside = [tag for tag, _ in page.inside("table")]
        assert inside.count("th") + inside.count("td") == len(cells)
        place = 0  # cells stand in their order
        for cell in cells:
            place = plain.index(cell, place) + len(cell)
        assert len(page.all("pre")) == len(blocks)
        assert all(block in "".join(page.text) for block in blocks)
        boxes = [one for tag, one in page.tags if tag in {"pre", "div"}]
        assert all({"tabindex", "aria-label"} <= set(one) for one in boxes)


def test_every_formula_is_mathml(shown):
    source, _, _, texts, forms = shown
    formulas = re.findall(r"\$([^$\n]+)\$", source)
    for form in forms:
        written = re.findall(r"<math.*?</math>", texts[form])
        words = ["".join(Page(one).text) for one in written]
        assert len(words) == len(formulas) > 0
        assert not re.search(r"[$\\{}_^~]", "".join(words))
        for formula, text in zip(formulas, words, strict=True):
            letters = re.sub(r"\\\w+", "", formula)
            assert re.findall(r"\w", re.sub("_", "", letters)) == re.findall(r"[A-Za-z0-9]", text)
    assert "<mo>∼" in texts[forms[0]].replace("&#x0223C;", "∼")


def test_its_links_and_paths_lead_somewhere(shown):
    source, document, pages, texts, forms = shown
    for name in (*forms, page_file("mine")):
        for link in pages[name].all("a"):
            path, _, anchor = link["href"].partition("#")
            assert (path or name) in pages
            assert not anchor or anchor in pages[path or name].ids
    assert document_page(document.name) in {
        link["href"] for link in pages[page_file("mine")].all("a")
    }
    paths = re.findall(r'<span class="path">\[(.+?)\]</span>', texts[forms[0]])
    assert paths
    assert all((HOME / path.partition("#")[0]).exists() for path in paths)
    to_others = [link for link in re.findall(r"\]\(([^)\s]+)\)", source) if link[0] != "#"]
    assert len(paths) == len(to_others)


ONE = """# One & two
[other](sub/two.md), [its part](sub/two.md#a-b-1), [file](../x.py#y), [web](https://example.org/a)
![picture](p.png) <b>raw</b> and `sub/two.md`

$$
a \\sim b
$$

```text
<i>code</i>
```
"""
TWO = "# Two\n[back](../one.md), [here](#a-b)\n## A `b`\n## A b\n### C\n"


def test_documents_find_each_other_in_both_forms(tmp_path):
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "one.md").write_text(ONE)
    (tmp_path / "docs" / "sub" / "two.md").write_text(TWO)
    files = [Document(tmp_path, name) for name in ("docs/one.md", "docs/sub/two.md")]
    _, texts = both_forms(tmp_path, files)
    site, single = texts["one.html"], texts["single.html"]
    for text, page in ((site, "two.html"), (single, "")):
        other = page or "#two"
        for link in (f'"{other}">other', f'"{page}#two-a-b-1">its part', 'org/a">web'):
            assert link in text
        assert 'file <span class="path">[x.py#y]</span>' in text
        assert 'picture <span class="path">[docs/p.png]</span> &lt;b&gt;raw' in text
        assert "<code>&lt;i&gt;code&lt;/i&gt;\n</code>" in text
        assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in text
    assert "One &amp; two – Title</title>" in site
    assert '<a href="one.html">back</a>, <a href="two.html#two-a-b">here</a>' in texts["two.html"]
    assert '<a href="#one">back</a>, <a href="#two-a-b">here</a>' in single
    contents = '<a href="#two-a-b">A b</a>\n<a href="#two-a-b-1">A b</a>\n</nav>'
    assert contents in texts["two.html"]
    for text in (texts["two.html"], single):
        assert {"two-a-b", "two-a-b-1", "two-c"} <= set(Page(text).ids)


@pytest.mark.parametrize("text", ["Text\n# Title\n", "# One\n# Two\n", "| a |\n| - |\n| b |\n"])
def test_a_document_has_one_title(tmp_path, text):
    (tmp_path / "notes.md").write_text(text)
    with pytest.raises(InputError, match=r"notes\.md is a page of the report"):
        both_forms(tmp_path, [Document(tmp_path, "notes.md")])
