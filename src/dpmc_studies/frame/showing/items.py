"""The items of a paper (figures, tables, theorems, algorithms) and where dpmc reproduces them.

A study's ``items.yaml`` states for each item where it is reproduced, or why it is not. Verdicts
come from the claims, and agreement from the comparison with printed numbers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pandas as pd

from dpmc.errors import InputError
from dpmc_studies.frame.api import Study
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.finding import AGREES, DEVIATES
from dpmc_studies.frame.showing.chapter import Chapter
from dpmc_studies.yaml_files import read_plain

SCHEMA = Path(__file__).parents[1] / "items_schema.yaml"
REST = "rest"
NO_REST = "each claim belongs to an item above"
NOT_JUDGED = "shown, with no claim about it"
HEADINGS = ("Item", "Of", "What", "Command", "File", "Verdicts")
PAGE = """# What the papers hold, and where it is here

Back to the [README](../README.md); how to start: [Running](run.md).

Every figure, table, theorem and algorithm of the sources with the command that reproduces it, the
file below `results/`, and what became of it in the committed reference (`results/reference`). A
command runs its whole study, and once it has run, all of its items are there; `dpmc plan` states
what that takes. Claims of other papers are on [a page of their own](field.md#beside-the-others).
Written by `dpmc reference items` from the `items.yaml` of each study; a study's page in the report
has the same of its own run."""
INTRODUCTION = "The command runs the whole study, and once it has run, all items are there."


@dataclass(frozen=True)
class Item:
    """One entry of ``items.yaml``.

    Attributes
    ----------
    item, of, what : str
        Its name, its source, and what it shows.
    file : str
        Path below the study's results: a table, or a folder and a file in it; "" if not reproduced.
    because : str
        Why it is not reproduced.
    published : str
        Name of its printed numbers in the comparison table.
    config : str
        Overlay that is needed to include its data in a run.
    claims : sequence of str or :data:`REST`
        Claims about it; :data:`REST` means the claims that no other item names.
    """

    item: str
    of: str
    what: str
    file: str = ""
    because: str = ""
    published: str = ""
    config: str = ""
    claims: Sequence[str] | str = ()


def load_items(path: str | Path) -> list[Item]:
    """Read the items of a study; InputError names an entry that the schema rejects."""
    entries = read_plain(path)
    try:
        jsonschema.validate(entries, read_plain(SCHEMA))
    except jsonschema.ValidationError as error:
        raise InputError(f"{path}, {error.json_path}: {error.message}") from None
    return [Item(**entry) for entry in entries]


def judged_and_compared(chapter: Chapter) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """Return the claims of a chapter, and its comparison with printed numbers."""
    judged = [each.claims for each in chapter.judged]
    published = chapter.published
    compared = published if published is not None and "table" in published else None
    return (pd.concat(judged) if judged else None), compared


def item_rows(
    study: Study, claims: pd.DataFrame | None, comparison: pd.DataFrame | None
) -> list[dict[str, str]]:
    """Return the items of a study as rows of text by :data:`HEADINGS`.

    ``claims`` has the columns ``id`` and ``verdict``, and ``comparison`` the columns ``table`` and
    ``status``. They are None if they were not made.
    """
    if study.items is None:
        return []
    items = load_items(study.items)
    verdicts = {}
    if claims is not None:
        known = read_plain(study.items.with_name("claims.yaml"))
        own = [claim["id"] for claim in known if claim.get("own")]
        papers = claims.loc[~claims["id"].isin(own), ["id", "verdict"]]
        verdicts = dict(papers.itertuples(index=False))
    named = {claim for item in items if item.claims != REST for claim in item.claims}
    rows = []
    for item in items:
        listed = [each for each in verdicts if each not in named]
        judged = listed if item.claims == REST else item.claims
        said = [*_agreement(item, comparison), *_verdicts(judged, verdicts)]
        if item.because:
            said.insert(0, f"not reproduced: {item.because}")
        values = (
            item.item,
            item.of,
            item.what,
            _command(study, item),
            _file(study, item),
            "; ".join(said) or (NO_REST if item.claims == REST else NOT_JUDGED),
        )
        rows.append(dict(zip(HEADINGS, values, strict=True)))
    return rows


def _command(study: Study, item: Item) -> str:
    overlay = f" CONFIG={item.config}" if item.config else ""
    return f"make reproduce TARGET={study.name}{overlay}" if item.file or item.config else "–"


def _file(study: Study, item: Item) -> str:
    if not item.file:
        return "–"
    folder = item.file.partition("/")[0] if "/" in item.file else ""
    kind = "svg" if "figures" in folder else "html" if folder else "csv"
    return f"{study.name}/{item.file}.{kind}"


def _agreement(item: Item, comparison: pd.DataFrame | None) -> list[str]:
    if not item.published or comparison is None:
        return []
    status = comparison.loc[comparison["table"] == item.published, "status"]
    compared = status[status.isin([AGREES, DEVIATES])]
    return [f"{(compared == AGREES).sum()} of {len(compared)} numbers agree"]


def _verdicts(ids: Collection[str], verdicts: Mapping[str, str]) -> list[str]:
    """Name claims by their verdict: "supported: H7, H9"."""
    groups: dict[str, list[str]] = {}
    for each in ids:
        groups.setdefault(verdicts.get(each, "not judged"), []).append(each)
    return [f"{verdict}: {', '.join(names)}" for verdict, names in groups.items()]


def items_page(studies: Mapping[str, Study], reference: Path) -> str:
    """Return the page of items in the documents, with the verdicts of the reference.

    ``reference`` is the folder of all studies' references.
    """
    parts = [PAGE]
    for name, study in studies.items():
        expected = reference / name / "expected" / "full"
        tables = (expected / f"{table}.csv" for table in ("claims", "comparison"))
        rows = item_rows(study, *(read_frame(t) if t.is_file() else None for t in tables))
        if not rows:
            continue
        lines = [f"## {study.title} (`{name}`)", "", _line(HEADINGS)]
        lines.append(_line(["---"] * len(HEADINGS)))
        code = {"Command", "File"}
        for row in rows:
            cells = [
                f"`{value}`" if name in code and value != "–" else value.replace("|", "\\|")
                for name, value in row.items()
            ]
            lines.append(_line(cells))
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _line(cells: Collection[str]) -> str:
    return f"| {' | '.join(cells)} |"
