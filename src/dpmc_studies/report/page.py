"""The report: a small site that opens from a folder.

``index.html`` shows the answers first. It links to a page for each study, and to one page of all
claims and numbers. Figures and files to download are in the same folder. A content security policy
stops the browser from contacting any server.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from dpmc.files import write_text
from dpmc_studies.frame.jobs.plan import INDEX, NUMBERS, REPORT_FILES, page_file
from dpmc_studies.frame.judging.chance import standing
from dpmc_studies.frame.judging.claims import WRITTEN
from dpmc_studies.frame.judging.effects import Line, lines_of
from dpmc_studies.frame.judging.finding import AGREES, DEVIATES, FACT, VERDICTS
from dpmc_studies.frame.showing import items
from dpmc_studies.frame.showing.chapter import LINES, Chapter, Judged
from dpmc_studies.frame.showing.erratum import Erratum
from dpmc_studies.report.errata import INTRODUCTION, by_grade
from dpmc_studies.report.numbers import Row, claim_anchor, effect_parts, form_of
from dpmc_studies.report.page_parts import (
    Address,
    copied_to,
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
    """The content of the page of one study.

    ``manifest`` has versions, commit, machine, seeds, digests and wall time, nested in any way.
    ``rows`` are the study's claims and numbers. ``items`` are the contents of its papers, as
    :func:`dpmc_studies.frame.showing.items.item_rows` returns them. ``full`` maps claims to the
    verdicts of the committed full run; it is empty if this run has the settings of a full run.
    """

    chapter: Chapter
    errata: Sequence[Erratum] = ()
    manifest: Mapping[str, object] = ()
    rows: Sequence[Row] = ()
    items: Sequence[Mapping[str, str]] = ()
    full: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """Everything that the report holds: the studies by name, in the order of the pages.

    ``manifest`` describes the whole run; ``note`` is text that the reader needs first.
    """

    title: str
    studies: Mapping[str, StudyPage]
    manifest: Mapping[str, object]
    note: str = ""


def write_site(folder: str | Path, report: Report) -> None:
    """Write the report as pages in a folder, with a folder of files next to them."""
    folder = Path(folder)
    names = {FIRST: INDEX, ALL_NUMBERS: NUMBERS}
    names |= {name: page_file(name) for name in report.studies}

    def link(page: str, anchor: str = "") -> str:
        return f"{names[page]}#{anchor}" if anchor else names[page]

    content = _content(report, lambda study: copied_to(folder, f"{REPORT_FILES}/{study}"))
    shared = _shared(content, link)
    environment = _environment()
    studies = {study["id"]: study for study in content["studies"]}
    for page, file in names.items():
        template = environment.get_template(f"{'study' if page in studies else page}.html.jinja")
        write_text(folder / file, template.render(shared, page=page, study=studies.get(page)))


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


def _shared(content: Mapping, link: Callable[..., str]) -> dict[str, object]:
    """Return what all templates are given: the report, and how its pages find each other."""
    script = (TEMPLATES / "numbers.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    named = [(study["id"], study["id"]) for study in content["studies"]]
    return {
        "report": content,
        "link": link,
        "pages": [(FIRST, "Answer"), *named, (ALL_NUMBERS, "Claims and numbers")],
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


def _content(report: Report, address: Callable[[str], Address]) -> dict[str, object]:
    """Return what the templates show, files by their addresses."""
    pages = report.studies.values()
    rows = [(name, row) for name, page in report.studies.items() for row in page.rows]
    origins = {row.origin: None for _, row in rows}
    places = {origin: place for place, origin in enumerate(origins)}
    studies = [_study(name, page, address(name)) for name, page in report.studies.items()]
    return {
        "title": report.title,
        "lead": Markup(_sentence(page.chapter.lead for page in pages)),
        "headlines": _headlines(report),
        "answers": _lines(report, "answers"),
        "first_figures": _first_figures(studies),
        "notes": [*filter(None, [report.note]), *(n for page in pages for n in page.chapter.notes)],
        "verdicts": VERDICTS,
        "studies": studies,
        "rows": [(asdict(row) | {"page": name}, places[row.origin]) for name, row in rows],
        "origins": list(origins),
        "columns": [
            {"label": label, "filter": by, "place": place}
            for place, (label, by) in enumerate(COLUMNS.items())
        ],
        "manifest": list(flattened(report.manifest)),
    }


def _headlines(report: Report) -> list[dict[str, object]]:
    """Return what the report begins with: lines of the first kind that there is, or all claims."""
    declared = (lines for kind in LINES if (lines := _lines(report, kind)))
    return next(declared, None) or _lines(report, "")


def _first_figures(studies: Sequence[Mapping]) -> list[dict[str, object]]:
    """Return the figures beside the headlines; of one study that declares none its key figure."""
    key = "key_figure" if len(studies) == 1 and not studies[0]["first_figure"] else "first_figure"
    return [{"page": study["id"], **study[key]} for study in studies if study[key]]


def _lines(report: Report, kind: str) -> list[dict[str, object]]:
    """Return the lines of a kind of all studies, of none all claims, each with its place."""
    places = {
        (name, identifier): claim_anchor(name, number, identifier)
        for name, page in report.studies.items()
        for number, judged in enumerate(page.chapter.judged)
        for identifier in judged.claims["id"]
    }
    return [
        {"page": name, "anchor": places.get((name, line.claim), ""), **_shown(line, page)}
        for name, page in report.studies.items()
        for line in (getattr(page.chapter, kind) if kind else _every_claim(page.chapter))
    ]


def _shown(line: Line, page: StudyPage) -> dict[str, object]:
    """Return a line with the verdict of the full run, where this run is another one."""
    return asdict(line) | {"full": page.full.get(line.claim, "")}


def _every_claim(chapter: Chapter) -> Iterator[Line]:
    for judged in chapter.judged:
        yield from lines_of(judged.claims, judged.claims["id"])


def _sentence(parts: Iterable[str]) -> str:
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}."


def _study(name: str, page: StudyPage, address: Address) -> dict[str, object]:
    """Return what the templates show of a study."""
    chapter, published = page.chapter, page.chapter.published
    status = {} if published is None else published["status"].value_counts()
    only_own = all(each.own for each in chapter.judged) and bool(chapter.judged)
    compared = sum(status.get(name, 0) for name in (AGREES, DEVIATES))
    figures = {
        entry.id: shown_figure(entry, gallery.folder, address)
        for gallery in chapter.galleries
        for entry in gallery.figures
    }
    drawn = {name: figure for name, figure in figures.items() if figure["image"]}
    key = chapter.key_figure
    galleries = [
        {
            "title": gallery.title,
            "grid": gallery.grid,
            "figures": [drawn[name] for name in names if name in drawn and name != key],
            "absent": [figures[name]["title"] for name in names if name not in drawn],
        }
        for gallery in chapter.galleries
        for names in [[entry.id for entry in gallery.figures]]
    ]
    study = {
        "id": name,
        "heading": chapter.heading,
        "introduction": Markup(chapter.introduction),
        "caveat": chapter.caveat,
        # of the papers' claims, or of its own if it has no others
        "counts": verdict_counts(chapter, own=only_own),
        "only_own": only_own,
        "agreement": f"{status.get(AGREES, 0)} of {compared}" if compared else chapter.tests,
        "agrees": chapter.agrees if compared else "",
        "key_figure": drawn.get(key),
        "first_figure": drawn.get(chapter.first_figure),
        "findings": [_shown(line, page) for line in chapter.findings],
        "tables": [each for folder in chapter.tables for each in shown_tables(folder, address)],
        "galleries": [each for each in galleries if each["figures"] or each["absent"]],
        "judged": [
            _judged(name, number, each, page.full) for number, each in enumerate(chapter.judged)
        ],
        "files": result_files(chapter.downloads, address),
        "items": page.items,
        "items_introduction": items.INTRODUCTION,
        "errata_count": len(page.errata),
        "errata": by_grade(page.errata),
        "errata_introduction": INTRODUCTION,
        "manifest": list(flattened(page.manifest)),
    }
    return study | {"contents": list(_contents(study))}


def verdict_counts(chapter: Chapter, *, own: bool) -> dict[str, int]:
    """Return how many claims of papers, or of a study's own, have each verdict."""
    every = [each.claims["verdict"] for each in chapter.judged if each.own == own]
    counts = pd.concat(every).value_counts() if every else {}
    return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}


def _contents(study: Mapping) -> Iterator[tuple[str, str]]:
    """Yield anchor and text of what the page of a study has."""
    name = study["id"]
    if study["findings"]:
        yield f"{name}-findings", "Findings"
    for judged in study["judged"]:
        yield f"claims-{judged['id']}", judged["title"]
    for part in ("items", "figures", "tables", "errata"):
        if study["galleries" if part == "figures" else part]:
            yield f"{name}-{part}", "Mistakes" if part == "errata" else part.capitalize()
    yield f"{name}-provenance", "Provenance"


def _judged(name: str, number: int, judged: Judged, full: Mapping[str, str]) -> dict[str, object]:
    verdicts = judged.claims["verdict"]
    rows = [row | {"full": full.get(row["id"], "")} for row in claim_rows(judged.claims)]
    return {
        "id": f"{name}-{number}",
        "title": judged.title,
        "text": Markup(judged.text),
        "rows": [row | {"anchor": claim_anchor(name, number, row["id"])} for row in rows],
        "counts": {verdict: int((verdicts == verdict).sum()) for verdict in VERDICTS},
        "many": _of_all(judged),
        "reported": judged.reported,
    }


def _of_all(judged: Judged) -> str:
    """Say of claims of a paper what only the whole table tells."""
    if judged.own:
        return ""
    return f"{when_written_text(judged.claims)} {many_text(judged.claims)}".strip()


def _unbroken(text: str) -> str:
    """Keep a number and its per cent sign on one line, and the sizes of a matrix, and ε = 1."""
    for tight in (" %", " × ", "ε = "):
        text = text.replace(tight, tight.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def claim_rows(claims: pd.DataFrame) -> list[dict]:
    """Return the claims as the page shows them."""
    rows = []
    for claim in claims.to_dict("records"):
        effect, interval = effect_parts(claim)
        rows.append(
            {
                **{name: "" if pd.isna(value) else value for name, value in claim.items()},
                "effect": effect or "–",
                "interval": interval,
                "n": "–" if pd.isna(claim["n"]) else f"{int(claim['n']):,}",
                "rule": rule_text(claim),
                "needed": needed_text(claim.get("needed")),
                "detectable": detectable_text(claim),
                "chance": chance_text(claim),
                "written": written_text(claim.get("written")),
            }
        )
    return rows


def rule_text(claim: Mapping[str, object]) -> str:
    """Name the rule, its margin and whose margin that is; nothing for a plain fact."""
    if pd.isna(claim.get("rule")) or claim["rule"] in ("", FACT):
        return ""
    margin = claim.get("margin")
    known = "" if pd.isna(margin) else f", margin {form_of(claim)(margin)} ({claim['margin_of']})"
    return f"Rule: {claim['rule']}{known}."


def needed_text(needed: float) -> str:
    """Say what would decide an open claim, if more trials would."""
    if needed is None or pd.isna(needed):
        return ""
    if not np.isfinite(needed):
        return "No number of such trials would decide."
    return f"About {needed:,.0f} trials would decide."


def detectable_text(claim: Mapping[str, object]) -> str:
    """Say how large an effect would have been seen, where there is none."""
    size = claim.get("detectable")
    if size is None or pd.isna(size):
        return ""
    return f"An effect of {form_of(claim)(size)} would have been seen in 80 % of repeats."


def chance_text(claim: Mapping[str, object]) -> str:
    """Give the p-value of a verdict, alone and after correction for as many claims."""
    alone, corrected = claim.get("p_value"), claim.get("holm")
    if alone is None or pd.isna(alone):
        return ""
    return f"p = {alone:.2g}, {corrected:.2g} after Holm’s correction over all claims."


def written_text(when: object) -> str:
    """Say when a predicate was written."""
    return f"Predicate {WRITTEN[when]}." if when in WRITTEN else ""


def when_written_text(claims: pd.DataFrame) -> str:
    """Count the predicates by when they were written, if it is known."""
    if "written" not in claims:
        return ""
    counts = claims["written"].value_counts()
    parts = [f"{counts[when]} {text}" for when, text in WRITTEN.items() if when in counts]
    return f"Predicates: {'; '.join(parts)}." if parts else ""


def many_text(claims: pd.DataFrame) -> str:
    """Say how many verdicts stand after correction for as many claims, if it is known."""
    if "p_value" not in claims or claims["p_value"].isna().all():
        return ""
    decided, tested, fallen = standing(claims)
    named = f"all but {', '.join(fallen)}" if fallen else "all of them"
    return (
        f"{decided} claims are decided, {tested} of them by tests of trials. "
        f"{tested - len(fallen)} of these tests are significant at 5 % after Holm’s correction "
        f"({named}). The other claims rest on exact computations or on tests of their own, and are "
        "not corrected."
    )


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
