"""Documents of studies as pages of the report: their Markdown as HTML like that of other pages.

A link between documents of the report goes there. Any other file of the repository is not beside
the report, so its path stands in the place of a link. Formulas become MathML.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath

import mistune
from latex2mathml.converter import convert
from markupsafe import Markup, escape

from dpmc.errors import InputError
from dpmc.frame.jobs.plan import document_name

ELSEWHERE = re.compile(r"https?://|mailto:")
SIMILAR = ("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
"""What the converter makes of ``\\sim``, and the relation that it is."""
CELL = "\N{INFORMATION SEPARATOR ONE}"
"""Ends a cell of a table until its row knows the columns."""


@dataclass(frozen=True)
class Document:
    """A Markdown file by its path below a folder, to which its links lead."""

    folder: Path
    file: str

    @property
    def name(self) -> str:
        """Name of its page, with which its anchors begin."""
        return document_name(self.file)

    def linked(self, url: str) -> tuple["Document", str]:
        """Return the file that a relative link in it leads to, and the anchor there."""
        path, _, anchor = url.partition("#")
        file = normpath(join(dirname(self.file), path)) if path else self.file
        return Document(self.folder, file), anchor


def shown_document(
    document: Document, known: Sequence[Document], link: Callable[..., str], level: int
) -> Mapping[str, object]:
    """Return what the templates show of a document; its first heading has that level.

    ``known`` are all documents of the report, and ``link`` returns the address of one of its pages,
    or of an anchor there. A document that does not begin with its title is an InputError.
    """
    text = (document.folder / document.file).read_text(encoding="utf-8")
    renderer = _Page(document, known, link, level)
    render = mistune.create_markdown(renderer=renderer, plugins=["table", "math"])
    html = render(text) if text.startswith("# ") else ""
    if [of for of, *_ in renderer.headings].count(1) != 1:
        raise InputError(
            f"{document.file} is a page of the report, so it has to begin with its title (# ...), "
            "the only heading of that level."
        )
    (_, anchor, title), *others = renderer.headings
    return {
        "id": document.name,
        "file": document.file,
        "level": level,
        "anchor": anchor,
        "title": title,
        "html": Markup(html),
        "contents": [(anchor, words) for of, anchor, words in others if of == 2],
    }


class _Page(mistune.HTMLRenderer):
    """Renders one document, and keeps its headings: level, anchor, text."""

    def __init__(self, document, known, link, level):
        super().__init__()
        self.document, self.known, self.address, self.level = document, known, link, level
        self.headings: list[tuple[int, str, str]] = []
        self.columns: list[str] = []

    def heading(self, text, level, **_):
        """A heading with the anchor that GitHub gives it."""
        words = Markup(text).striptags()
        anchor = self._anchor(re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-"))
        found = [each for _, each, _ in self.headings]
        copies = sum(
            re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", each) is not None for each in found
        )
        anchor = f"{anchor}-{copies}" if copies else anchor
        self.headings.append((level, anchor, words))
        # the title stands in the template
        return super().heading(text, min(level + self.level - 1, 6), id=anchor) if level > 1 else ""

    def _anchor(self, name, document=None):
        return f"{(document or self.document).name}-{name}"

    def link(self, text, url, title=None):
        """A link to what is in the report, or on the web; of other files the path."""
        if ELSEWHERE.match(url):
            return super().link(text, url, title)
        target, anchor = self.document.linked(url)
        if target in self.known:
            address = self.address(target.name, anchor and self._anchor(anchor, target))
            return f'<a href="{escape(address)}">{text}</a>'
        path = f"{target.file}#{anchor}" if anchor else target.file
        return f'{text} <span class="path">[{escape(path)}]</span>'

    image = link

    def block_code(self, code, info=None):
        return f"<pre{self._scrolls('scroll')}><code>{escape(code)}</code></pre>\n"

    def inline_math(self, text):
        math = convert(text).replace(*SIMILAR)  # browsers do not break its lines
        return f'<span class="scroll math" tabindex="0">{math}</span>'

    def block_math(self, text):
        math = convert(text, display="block").replace(*SIMILAR)
        return f"<div{self._scrolls('scroll')}>{math}</div>\n"

    def table(self, text):
        caption = f'<caption class="vh">{escape(self.headings[-1][2])}</caption>'
        table = f'<table class="items">{caption}{text}</table>'
        return f"<div{self._scrolls('scroll table')}>{table}</div>\n"

    def table_head(self, text):
        cells = text.split(CELL)[:-1]
        self.columns = [escape(Markup(cell).striptags()) for cell in cells]
        heads = (f'<th scope="col">{cell}</th>' for cell in cells)
        return f"<thead><tr>{''.join(heads)}</tr></thead>\n"

    def table_row(self, text):
        first, *others = text.split(CELL)[:-1]
        named = zip(self.columns[1:], others, strict=True)
        cells = (f'<td data-label="{column}">{cell}</td>' for column, cell in named)
        return f'<tr><th scope="row">{first}</th>{"".join(cells)}</tr>\n'

    def table_cell(self, text, align=None, head=False):
        return text + CELL

    def _scrolls(self, classes):
        """Attributes of a box that scrolls sideways and can be reached by keyboard."""
        words = escape(self.headings[-1][2])
        return f' class="{classes}" tabindex="0" role="region" aria-label="{words}"'
