"""The report: one HTML file that holds everything, opens offline and asks no server for anything.

Figures, tables and the files behind them are embedded as data URIs; a content security policy
forbids the browser every other source. Every study is a chapter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from dpmc.files import write_text
from dpmc.report import markdown
from dpmc.report.errata import errata_markdown
from dpmc.report.page_parts import embedded_figure, embedded_tables, result_files
from dpmc.study.chapter import Chapter, Judged
from dpmc.study.erratum import Erratum
from dpmc.study.finding import FACT, VERDICTS


def write_page(
    path: str | Path,
    chapters: Mapping[str, Chapter],
    errata: Sequence[Erratum],
    manifest: Mapping,
    title: str,
) -> None:
    """Write the report.

    Parameters
    ----------
    path : path
        The page, for example ``results/report/index.html``.
    chapters : mapping
        By the name of the study, in the order of the page.
    errata : sequence of Erratum
    manifest : mapping
        Versions, commit, machine, seeds, digests, wall time; nested as it likes.
    title : str
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    every = list(chapters.values())
    page = environment.get_template("page.html.jinja").render(
        title=title,
        lead=Markup(_sentence(chapter.lead for chapter in every)),
        answers=[line for chapter in every for line in chapter.answers],
        notes=[note for chapter in every for note in chapter.notes],
        chapters=[_chapter(name, chapter) for name, chapter in chapters.items()],
        errata=Markup(markdown.to_html(errata_markdown(errata), top=3)) if errata else "",
        manifest=list(flattened(manifest)),
    )
    write_text(path, page)


def _sentence(parts: Iterable[str]) -> str:
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}."


def _chapter(name: str, chapter: Chapter) -> dict[str, object]:
    """Return what the template shows of a chapter, images and files as data URIs."""
    return {
        "id": name.replace("_", "-"),
        "heading": chapter.heading,
        "introduction": Markup(chapter.introduction),
        "caveat": chapter.caveat,
        "findings": chapter.findings,
        "tables": [table for folder in chapter.tables for table in embedded_tables(folder)],
        "galleries": [
            {
                "title": gallery.title,
                "grid": gallery.grid,
                "figures": [embedded_figure(entry, gallery.folder) for entry in gallery.figures],
            }
            for gallery in chapter.galleries
        ],
        "judged": [_judged(name, number, each) for number, each in enumerate(chapter.judged)],
        "files": result_files(chapter.downloads),
    }


def _judged(name: str, number: int, judged: Judged) -> dict[str, object]:
    verdicts = judged.claims["verdict"]
    return {
        "id": f"{name}-{number}",
        "title": judged.title,
        "text": Markup(judged.text),
        "rows": claim_rows(judged.claims),
        "counts": {verdict: int((verdicts == verdict).sum()) for verdict in VERDICTS},
        "reported": judged.reported,
    }


def _unbroken(text: str) -> str:
    """Keep a number and its per cent sign on one line, and the sizes of a matrix, and ε = 1."""
    for tight in (" %", " × ", "ε = "):
        text = text.replace(tight, tight.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def claim_rows(claims: pd.DataFrame) -> list[dict]:
    """Return the claims as the page shows them."""
    rows = []
    for claim in claims.to_dict("records"):
        rows.append(
            {
                **{name: "" if pd.isna(value) else value for name, value in claim.items()},
                "effect": _shown(claim["effect"]),
                "interval": interval_text(claim["interval_low"], claim["interval_high"]),
                "n": "–" if pd.isna(claim["n"]) else f"{int(claim['n']):,}",
                "rule": rule_text(claim),
                "needed": needed_text(claim.get("needed")),
            }
        )
    return rows


def rule_text(claim: Mapping[str, object]) -> str:
    """Name the rule, its margin and whose margin that is; nothing for a plain fact."""
    if pd.isna(claim.get("rule")) or claim["rule"] in ("", FACT):
        return ""
    margin = claim.get("margin")
    known = "" if pd.isna(margin) else f", margin {_shown(margin)} ({claim['margin_of']})"
    return f"Rule: {claim['rule']}{known}."


def needed_text(needed: float) -> str:
    """Say what would decide an open claim, if more trials would."""
    if needed is None or pd.isna(needed):
        return ""
    if not np.isfinite(needed):
        return "No number of such trials would decide."
    return f"About {needed:,.0f} trials would decide."


def interval_text(low: float, high: float) -> str:
    """Format an interval; nothing where there is none."""
    return "" if pd.isna(low) or pd.isna(high) else f"[{_shown(low)}, {_shown(high)}]"


def _shown(number: float) -> str:
    return "–" if pd.isna(number) else f"{number:.4g}".replace("-", "−")


def flattened(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of nested mappings and lists as (path, text)."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flattened(inner, f"{name} › {key}" if name else str(key))
    elif isinstance(value, (list, tuple)) and any(isinstance(v, (Mapping, list)) for v in value):
        for place, inner in enumerate(value, start=1):
            yield from flattened(inner, f"{name} {place}")
    elif isinstance(value, (list, tuple)):
        yield name, ", ".join(map(str, value))
    else:
        yield name, "–" if value is None else str(value)
