"""The report: a small site that opens from a folder, or one file that holds everything.

``index.html`` answers first and leads to a page for each study and to one of all claims and
numbers; figures, and files to download, lie beside them. A content security policy forbids the
browser every server. In the single file all of that is one page, its files data URIs.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from dpmc.files import write_text
from dpmc.frame.jobs.plan import INDEX, NUMBERS, REPORT_FILES, page_file
from dpmc.frame.judging.finding import AGREES, DEVIATES, FACT, VERDICTS
from dpmc.frame.showing.chapter import Chapter, Judged
from dpmc.frame.showing.erratum import Erratum
from dpmc.report.errata import INTRODUCTION, by_grade
from dpmc.report.numbers import Row, claim_anchor, interval_text, shown
from dpmc.report.overview import OVERVIEW, agreement, draw_overview, verdict_counts
from dpmc.report.page_parts import (
    Address,
    copied_to,
    data_uri,
    result_files,
    shown_figure,
    shown_tables,
)

TEMPLATES = Path(__file__).parent / "templates"
FIRST, ALL_NUMBERS = "index", "numbers"  # pages that belong to no study
COLUMNS = {  # of the page of numbers, and whether it can be filtered by them
    "Claim or cell": False,
    "Study": True,
    "Kind": True,
    "Data": True,
    "Mechanism": True,
    "Metric": True,
    "Published": False,
    "Ours": False,
    "Trials": False,
    "Verdict": True,
    "Seed": False,
    "How": False,
}


@dataclass(frozen=True)
class StudyPage:
    """What the report holds of a study.

    ``manifest`` has versions, commit, machine, seeds, digests, wall time, nested as it likes;
    ``rows`` are the study's claims and numbers.
    """

    chapter: Chapter
    errata: Sequence[Erratum] = ()
    manifest: Mapping[str, object] = ()
    rows: Sequence[Row] = ()


@dataclass(frozen=True)
class Report:
    """Everything that the report holds: the studies by name, in the order of the pages.

    ``manifest`` is that of the whole run.
    """

    title: str
    studies: Mapping[str, StudyPage]
    manifest: Mapping[str, object]


def write_site(folder: str | Path, report: Report) -> None:
    """Write the report as pages in a folder, files in a folder beside them."""
    folder = Path(folder)
    names = {FIRST: INDEX, ALL_NUMBERS: NUMBERS}
    names |= {name: page_file(name) for name in report.studies}

    def link(page: str, anchor: str = "") -> str:
        return f"{names[page]}#{anchor}" if anchor else names[page]

    content = _content(report, lambda study: copied_to(folder, f"{REPORT_FILES}/{study}"), level=1)
    shared = _shared(content, link, "'self' file: data:")
    environment = _environment()
    for page, file in names.items():
        study = next((each for each in content["studies"] if each["id"] == page), None)
        template = environment.get_template(f"{'study' if study else page}.html.jinja")
        write_text(folder / file, template.render(shared, page=page, study=study))


def write_single(path: str | Path, report: Report) -> None:
    """Write the report as one file."""
    content = _content(report, lambda study: data_uri, level=2)
    shared = _shared(content, lambda page, anchor="": f"#{anchor or page}", "data:")
    write_text(path, _environment().get_template("single.html.jinja").render(shared, page=""))


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    return environment


def _shared(content: Mapping, link: Callable[..., str], images: str) -> dict[str, object]:
    """Return what all templates are given: the report, and how its pages find each other."""
    script = (TEMPLATES / "numbers.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    studies = [(study["id"], study["heading"]) for study in content["studies"]]
    return {
        "report": content,
        "link": link,
        "pages": [(FIRST, "Answer"), *studies, (ALL_NUMBERS, "Claims and numbers")],
        "images": images,
        "script": Markup(script),
        "script_hash": Markup(f"sha256-{digest}"),
        "column_labels": Markup(_column_labels()),
    }


def _column_labels() -> str:
    """Return the style that names the values of a row where it is a block of lines."""
    rules = [
        f'.numbers td:nth-child({place})::before {{ content: "{label}: "; }}'
        for place, label in enumerate(COLUMNS, start=1)
    ]
    return f"@media (max-width: 60rem) {{ {' '.join(rules)} }}"


def _content(report: Report, address: Callable[[str], Address], level: int) -> dict[str, object]:
    """Return what the templates show, files by their addresses.

    The heading of a study has that level.
    """
    pages = report.studies.values()
    chapters = {name: page.chapter for name, page in report.studies.items()}
    rows = [(name, row) for name, page in report.studies.items() for row in page.rows]
    origins = {row.origin: None for _, row in rows}
    places = {origin: place for place, origin in enumerate(origins)}
    with TemporaryDirectory() as folder:
        draw_overview(chapters, folder)
        overview = shown_figure(OVERVIEW, Path(folder), address(FIRST))
    return {
        "title": report.title,
        "lead": Markup(_sentence(page.chapter.lead for page in pages)),
        "overview": overview,
        "answers": [line for page in pages for line in page.chapter.answers],
        "notes": [note for page in pages for note in page.chapter.notes],
        "verdicts": VERDICTS,
        "studies": [
            _study(name, page, address(name), level) for name, page in report.studies.items()
        ],
        "rows": [(asdict(row) | {"page": name}, places[row.origin]) for name, row in rows],
        "origins": list(origins),
        "columns": [
            {"label": label, "filter": by, "place": place}
            for place, (label, by) in enumerate(COLUMNS.items())
        ],
        "manifest": list(flattened(report.manifest)),
    }


def _sentence(parts: Iterable[str]) -> str:
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}."


def _study(name: str, page: StudyPage, address: Address, level: int) -> dict[str, object]:
    """Return what the templates show of a study."""
    chapter, status = page.chapter, agreement(page.chapter)
    compared = sum(status.get(name, 0) for name in (AGREES, DEVIATES))
    figures = {
        entry.id: shown_figure(entry, gallery.folder, address)
        for gallery in chapter.galleries
        for entry in gallery.figures
    }
    key = chapter.key_figure
    galleries = [
        {
            "title": gallery.title,
            "grid": gallery.grid,
            "figures": [figures[entry.id] for entry in gallery.figures if entry.id != key],
        }
        for gallery in chapter.galleries
    ]
    study = {
        "id": name,
        "level": level,
        "heading": chapter.heading,
        "introduction": Markup(chapter.introduction),
        "caveat": chapter.caveat,
        "counts": verdict_counts(chapter),
        "agreement": f"{status.get(AGREES, 0)} of {compared}" if compared else "",
        "key_figure": figures.get(key),
        "findings": chapter.findings,
        "tables": [each for folder in chapter.tables for each in shown_tables(folder, address)],
        "galleries": [gallery for gallery in galleries if gallery["figures"]],
        "judged": [_judged(name, number, each) for number, each in enumerate(chapter.judged)],
        "files": result_files(chapter.downloads, address),
        "errata_count": len(page.errata),
        "errata": by_grade(page.errata),
        "errata_introduction": INTRODUCTION,
        "manifest": list(flattened(page.manifest)),
    }
    return study | {"contents": list(_contents(study))}


def _contents(study: Mapping) -> Iterator[tuple[str, str]]:
    """Yield anchor and text of what the page of a study has."""
    name = study["id"]
    if study["findings"]:
        yield f"{name}-findings", "Findings"
    for judged in study["judged"]:
        yield f"claims-{judged['id']}", judged["title"]
    for part in ("figures", "tables", "errata"):
        if study["galleries" if part == "figures" else part]:
            yield f"{name}-{part}", part.capitalize()
    yield f"{name}-provenance", "Provenance"


def _judged(name: str, number: int, judged: Judged) -> dict[str, object]:
    verdicts = judged.claims["verdict"]
    rows = claim_rows(judged.claims)
    return {
        "id": f"{name}-{number}",
        "title": judged.title,
        "text": Markup(judged.text),
        "rows": [row | {"anchor": claim_anchor(name, number, row["id"])} for row in rows],
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
                "effect": shown(claim["effect"]) or "–",
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
    known = "" if pd.isna(margin) else f", margin {shown(margin)} ({claim['margin_of']})"
    return f"Rule: {claim['rule']}{known}."


def needed_text(needed: float) -> str:
    """Say what would decide an open claim, if more trials would."""
    if needed is None or pd.isna(needed):
        return ""
    if not np.isfinite(needed):
        return "No number of such trials would decide."
    return f"About {needed:,.0f} trials would decide."


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
