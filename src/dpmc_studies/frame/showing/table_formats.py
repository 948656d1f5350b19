"""A table as CSV (unrounded), Markdown, LaTeX (booktabs) and HTML."""

from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

import jinja2
import pandas as pd

from dpmc_studies.frame.showing.table_model import Cell, Row, Table

FRAGMENT = ("<!-- table -->\n", "<!-- /table -->\n")


def to_csv(table: Table) -> str:
    """Return the table as CSV with full precision: separate lines for means, errors and trials.

    The columns ``lowest`` and ``deviating`` (and ``tied``, in tables that mark ties) list the
    marked columns of the row.
    """
    ties = any(cell.tied for row in table.rows for cell in row.cells)
    records = []
    for row in table.rows:
        start = dict(zip((key for key, _ in table.headings), row.keys, strict=True))
        parts = [(row.line, [cell.value for cell in row.cells])]
        if any(cell.trials for cell in row.cells):
            parts.append((f"{row.line}: standard error", [cell.error for cell in row.cells]))
            parts.append((f"{row.line}: trials", [cell.trials or None for cell in row.cells]))
        for place, (name, values) in enumerate(parts):
            numbers = dict(zip((column.key for column in table.columns), values, strict=True))
            marks = _marked(table, row, ties)
            if place:
                marks = dict.fromkeys(marks, "")
            records.append({**start, "line": name, **numbers, **marks})
    return pd.DataFrame(records).to_csv(index=False)


def _marked(table: Table, row: Row, ties: bool) -> dict[str, str]:
    pairs = list(zip(table.columns, row.cells, strict=True))
    marks = {
        "lowest": ";".join(column.key for column, cell in pairs if cell.lowest),
        "deviating": ";".join(column.key for column, cell in pairs if cell.deviates),
    }
    if ties:
        marks["tied"] = ";".join(column.key for column, cell in pairs if cell.tied)
    return marks


def to_markdown(table: Table) -> str:
    """Return the table as GitHub Markdown, with the two levels of headings in one."""
    headings = [label for _, label in table.headings] + [""]
    headings += [", ".join(filter(None, (c.group, c.label))) for c in table.columns]
    aligned = ["---"] * (len(table.headings) + 1) + ["---:"] * len(table.columns)
    lines = [f"**{table.title}**", "", _pipes(headings), _pipes(aligned)]
    lines += [
        _pipes([*row.labels, row.line, *(_markdown_cell(cell) for cell in row.cells)])
        for row in table.rows
    ]
    lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _pipes(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _markdown_cell(cell: Cell) -> str:
    number = f"**{cell.number}**" if cell.lowest else cell.number
    spread = f" ± {cell.spread}" if cell.spread else ""
    return number + spread + ("†" if cell.deviates else "") + (" ≈" if cell.tied else "")


def to_latex(table: Table) -> str:
    """Return the table as a floating LaTeX table, with standard errors below their means."""
    count = len(table.headings) + 1
    lines = [
        "% Needs \\usepackage{booktabs}.",
        "\\begin{table}",
        "\\centering\\scriptsize\\setlength{\\tabcolsep}{3pt}",
        f"\\caption{{{_tex(table.title)}}}",
        f"\\label{{tab:{table.id}}}",
        f"\\begin{{tabular}}{{{'l' * count}{'r' * len(table.columns)}}}",
        "\\toprule",
        *_latex_headings(table, count),
        "\\midrule",
        *_latex_rows(table),
        "\\bottomrule",
        "\\end{tabular}",
        *(f"\\par\\smallskip\\parbox{{\\linewidth}}{{{_tex(note)}}}" for note in table.notes),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_headings(table: Table, count: int) -> Iterator[str]:
    if any(group for group, _ in table.groups()):
        upper, rules, position = [""] * count, [], count + 1
        for group, width in table.groups():
            upper.append(f"\\multicolumn{{{width}}}{{c}}{{{_tex(group)}}}")
            if group:
                rules.append(f"\\cmidrule(lr){{{position}-{position + width - 1}}}")
            position += width
        yield " & ".join(upper) + r" \\"
        yield "".join(rules)
    lower = [_tex(label) for _, label in table.headings] + [""]
    yield " & ".join([*lower, *(_tex(column.label) for column in table.columns)]) + r" \\"


def _latex_rows(table: Table) -> Iterator[str]:
    previous: tuple[str, ...] = ()
    for row in table.rows:
        if previous and row.labels[0] != previous[0]:
            yield "\\midrule"
        shown = _unrepeated(row.labels, previous)
        reason = _all_absent(row)
        cells = [_latex_cell(cell) for cell in row.cells]
        if reason:
            cells = [f"\\multicolumn{{{len(cells)}}}{{l}}{{{_tex(reason)}}}"]
        yield " & ".join([*map(_tex, shown), _tex(row.line), *cells]) + r" \\"
        if any(cell.spread for cell in row.cells):
            errors = [f"$\\pm${cell.spread}" if cell.spread else "" for cell in row.cells]
            yield " & ".join([""] * len(shown) + ["s.e.", *errors]) + r" \\"
        previous = row.labels


def _unrepeated(labels: tuple[str, ...], previous: tuple[str, ...]) -> list[str]:
    """Blank the labels that repeat those of the row above, up to the first that differs."""
    shown = []
    for place, label in enumerate(labels):
        shown.append("" if labels[: place + 1] == previous[: place + 1] else label)
    return shown


def _latex_cell(cell: Cell) -> str:
    number = f"\\textbf{{{cell.number}}}" if cell.lowest else _tex(cell.number)
    number += "\\textsuperscript{\\dag}" if cell.deviates else ""
    return number + ("\\textsuperscript{$\\approx$}" if cell.tied else "")


_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "$": r"\$",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "†": r"\textsuperscript{\dag}",
    "≈": r"$\approx$",
    "ℓ": r"$\ell$",
    "é": r"\'e",
    "×": r"$\times$",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "∞": r"$\infty$",
    "‖": r"$\|$",
    "−": "$-$",
    "²": "\\textsuperscript{2}",
    "’": "'",
    "σ": r"$\sigma$",
    "<": "$<$",
    ">": "$>$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)


def to_html(table: Table) -> str:
    """Return a complete HTML page with :func:`html_fragment`."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(table.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{FRAGMENT[0]}{html_fragment(table)}{FRAGMENT[1]}</body>\n</html>\n"
    )


_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem;color:#1b1b1b;background:#fff}
.scroll{overflow-x:auto;position:relative}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
caption{text-align:left;font-weight:600;padding-bottom:.6rem;white-space:normal}
th,td{padding:.15rem .5rem;text-align:right;vertical-align:top;font-weight:400}
thead th{border-bottom:1px solid #999}tbody{border-bottom:1px solid #ccc}
tbody th{text-align:left}td b{font-weight:700}small{display:block;color:#595959}
.mark{position:absolute}.vh{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
"""


def html_fragment(table: Table) -> str:
    """Return the table as HTML for any page: a box that scrolls sideways, and the notes."""
    bodies = [_body(list(rows)) for _, rows in groupby(table.rows, lambda row: row.labels[0])]
    two = any(group for group, _ in table.groups())
    return _template().render(table=table, two=two, bodies=bodies)


@cache
def _template() -> jinja2.Template:
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    options = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    environment = jinja2.Environment(loader=loader, autoescape=True, **options)
    return environment.get_template("table.html.jinja")


def _body(rows: list[Row]) -> list[tuple[Row, list[tuple[str, int]], str]]:
    """Return rows that share their first label, with new labels and how many rows each spans."""
    found = []
    previous: tuple[str, ...] = ()
    for row in rows:
        heads = [
            (label, sum(other.labels[: place + 1] == row.labels[: place + 1] for other in rows))
            for place, label in enumerate(_unrepeated(row.labels, previous))
            if label
        ]
        found.append((row, heads, _all_absent(row)))
        previous = row.labels
    return found


def _all_absent(row: Row) -> str:
    """Return the one reason why all the cells of a row are empty, or an empty string."""
    reasons = {cell.absent for cell in row.cells}
    empty = not any(cell.present for cell in row.cells)
    return reasons.pop() if empty and len(reasons) == 1 else ""


FORMATS = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "html": to_html,
}
