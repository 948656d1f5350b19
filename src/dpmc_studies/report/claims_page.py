"""The page of the documents that states every claim and every mistake, and links to it.

The text of a claim comes from the ``claims.yaml`` of its study, its verdict and its number from the
committed reference, and the title of a mistake from ``errata.yaml``.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from dpmc_studies.frame.api import Study
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import COMPARE
from dpmc_studies.frame.judging.finding import NOT_RUN, UNREPORTED
from dpmc_studies.frame.judging.wording import told
from dpmc_studies.frame.showing.erratum import read_errata
from dpmc_studies.report.numbers import effect_parts
from dpmc_studies.yaml_files import read_plain

PAGE = """# All claims, by id

Back to the [README](../README.md). This page is for readers who meet an id such as H34 in a
document, a table or a figure: it states the claim, and what became of it in the committed
reference (`results/reference`).

*Supported*, *contradicted*, *no effect* and *inconclusive* are explained in the
[glossary](glossary.md#verdict). The number is the effect that was judged, with its 95 % interval.
RMSEs are compared in per cent: “−2 %” means that the first of the two is 2 % lower. Where the
number is neither per cent nor points, the words beside it say what it is; without words it is a
difference of logarithms, which for small values is 100 times as much in per cent. A claim about
every case is contradicted by one clear failure, so its mean effect can have the sign of the claim.

The column “Verdict” also names the choices on which a verdict depends. “As printed” is the verdict
by the numbers that the paper prints. How a claim is judged, and why it has its verdict, is in its
report. `dpmc reference claims` writes this page."""
MISTAKES = """## Mistakes in the papers

What the papers print wrongly or leave open. `results/errata.md` of a run, and its report, say
what is right and show the number that proves it."""
HEADINGS = ("Id", "Claim", "Source", "Verdict", "Number", "As printed")
SKIPPED = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)[^\n]*$|^#[^\n]*$|`(?:[^`\n]|\n(?!\s*\n))+`"
    r"|\$\$.+?\$\$|\$(?=\S)[^$`]+?(?<=\S)\$(?!\d)"
    r"|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^)]*\)|\[[^\]]*\])|<[^>\n]+>|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
"""What is left as it is: code, formulas, headings, links, HTML."""
ID = re.compile(
    r"(?P<mistake>(?:[Ee]rratum|[Mm]istake) )?(?<![\w\[/#.-])(?P<id>[A-Z]\d{1,2})(?![\w-])"
)


def claims_page(studies: Mapping[str, Study], reference: Path) -> str:
    """Return the page in Markdown; ``reference`` is the folder of all studies' references."""
    parts = [PAGE]
    for name, study in studies.items():
        known = read_plain(study.schema.with_name("claims.yaml"))
        judged = _judged(reference / name / "expected")
        rows = [_row(claim, judged.get(claim["id"])) for claim in known]
        head = f"## {study.title} (`{name}`)\n\nDetails: [its page](studies/{name}.md)."
        parts.append(f"{head}\n\n{_table(HEADINGS, rows)}")
    mistakes = []
    for study in studies.values():
        mistakes += [
            (_named(f"erratum-{each.id.lower()}", each.id), each.title, each.place, each.grade)
            for each in read_errata(study.errata)
        ]
    parts.append(f"{MISTAKES}\n\n{_table(('Id', 'What', 'Where', 'Grade'), mistakes)}")
    return "\n\n".join(parts) + "\n"


def _judged(expected: Path) -> dict[str, dict]:
    """Return the claims of the full run by id; where it lacks the data, of a run that had them."""
    full = expected / "full" / "claims.csv"
    judged = read_frame(full).set_index("id").to_dict("index") if full.is_file() else {}
    for path in sorted(expected.glob("*/claims.csv")):
        for claim in read_frame(path).to_dict("records"):
            if (known := judged.get(claim["id"])) and known["verdict"] == NOT_RUN != claim[
                "verdict"
            ]:
                verdict = f"{claim['verdict']} (`config/once/{path.parent.name}.yaml`)"
                judged[claim["id"]] = claim | {"verdict": verdict}
    return judged


def _row(claim: Mapping, judged: Mapping | None) -> tuple[str, ...]:
    source = "ours" if claim.get("own") else claim["source"]
    words = (_named(claim["id"].lower(), claim["id"]), claim["claim"], source)
    if judged is None:
        return (*words, "judged in each run", "", "")
    predicate = claim.get("predicate", "")
    if COMPARE in claim:
        predicate = f"{told(claim[COMPARE])} {predicate}"
    effect, interval = effect_parts({**judged, "predicate": predicate})
    what = re.split(r"\.(?:\s|$)", predicate.partition("Effect:")[2])[0].strip()
    plain = effect and "%" not in effect and "points" not in effect
    depends, printed = (_text(judged.get(key)) for key in ("depends_on", "reported_verdict"))
    verdict = judged["verdict"] + (f"; depends on: {depends}" if depends else "")
    return (*words, verdict, f"{effect} {interval} {what if plain else ''}".strip(), printed)


def _text(value: object) -> str:
    return value if isinstance(value, str) and value != UNREPORTED else ""


def _named(anchor: str, text: str) -> str:
    return f'<a id="{anchor}"></a>{text}'


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    cells = ([" ".join(str(cell).split()).replace("|", "\\|") for cell in row] for row in lines)
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def anchors_of(page: str) -> set[str]:
    """Return the anchors that a page made here has."""
    return set(re.findall(r'<a id="([\w-]+)"></a>', page))


def linked(text: str, to_claims: str, anchors: set[str]) -> str:
    """Return a document in which every id of a claim or mistake is a link.

    ``to_claims`` is the path from the document to the page of claims. An id such as E1 can be a
    claim and a mistake; it means the mistake after the word "mistake" or "erratum".
    """

    def link(found: re.Match) -> str:
        here = found["id"].lower()
        names = [here, f"erratum-{here}"]
        if found["mistake"]:
            names.reverse()
        name = next((each for each in names if each in anchors), None)
        link = f"[{found['id']}]({to_claims}#{name})" if name else found["id"]
        return f"{found['mistake'] or ''}{link}"

    return outside(text, lambda part: ID.sub(link, part))


def outside(text: str, change: Callable[[str], str]) -> str:
    """Apply a function to what of a document is prose, see :data:`SKIPPED`."""
    parts, place = [], 0
    for found in SKIPPED.finditer(text):
        parts += [change(text[place : found.start()]), found[0]]
        place = found.end()
    return "".join(parts) + change(text[place:])
