"""As much Markdown as our own generated pages use, as HTML."""

import re
from html import escape

_INLINE = [
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
]


def to_html(text: str, *, top: int) -> str:
    """Return headings, paragraphs, flat bullet lists, bold and code as HTML.

    Parameters
    ----------
    text : str
        Markdown. Its title (``#``) is left out: the page has its own.
    top : int
        Level of the HTML heading that ``##`` becomes, so that headings stay in order.
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(filter(None, (_block(block, top) for block in blocks)))


def _block(block: str, top: int) -> str:
    heading = re.match(r"(#+)\s+(.*)", block)
    if heading:
        level = len(heading[1])
        rest = block[heading.end() :].strip()
        name = f"<h{top + level - 2}>{_inline(heading[2])}</h{top + level - 2}>"
        return "\n".join(
            filter(None, (name if level > 1 else "", _block(rest, top) if rest else ""))
        )
    if block.startswith("- "):
        items = re.split(r"\n- ", block[2:])
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"
    return f"<p>{_inline(block)}</p>"


def _inline(text: str) -> str:
    text = escape(" ".join(text.split()), quote=False)
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text
