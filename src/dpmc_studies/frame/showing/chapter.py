"""What a study shows in the report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pandas as pd

from dpmc_studies.frame.judging.claims import is_own
from dpmc_studies.frame.judging.effects import Line, lines_of
from dpmc_studies.frame.showing.results import has_results, read_results
from dpmc_studies.frame.showing.style import FigureText
from dpmc_studies.frame.showing.texts import Texts
from dpmc_studies.yaml_files import beside


@dataclass(frozen=True)
class Gallery:
    """Figures under one heading."""

    figures: Sequence[FigureText]
    folder: Path  # where they were drawn; one that is not there is said to be absent
    title: str | None = None
    grid: bool = False  # whether they are next to each other


@dataclass(frozen=True)
class Judged:
    """A table of claims with their verdicts."""

    title: str
    claims: pd.DataFrame  # columns `CLAIM_COLUMNS`
    text: str = ""  # what the reader must know first
    reported: bool = False  # whether the verdicts on the paper's own numbers are shown too
    own: bool = False  # whether they are claims of our own, which do not count for the papers


OWN_TITLE = "Claims of our own, judged"
OWN_TEXT = (
    "What the findings say, and no paper claims. They are judged by the same rules, each by the "
    "predicate that is next to it."
)


def judged_claims(
    claims: pd.DataFrame | None, title: str = "", text: str = "", *, reported: bool = False
) -> list[Judged]:
    """Return the claims of the papers, with a title and a text, and the claims of our own.

    ``claims`` is the study's table of claims, None if it was not made; ``reported`` as for
    :class:`Judged`.
    """
    if claims is None:
        return []
    own = is_own(claims)
    parts = [
        Judged(title, claims[~own], text, reported=reported),
        Judged(OWN_TITLE, claims[own], OWN_TEXT, own=True),
    ]
    return [part for part in parts if len(part.claims)]


WORDS = ("heading", "lead", "introduction", "caveat", "key_figure", "first_figure")
LINES = ("headlines", "answers", "findings")
PUBLISHED_COLUMNS = (
    *("place", "metric", "published", "mean", "standard_error", "trials", "status"),
)


@dataclass(frozen=True)
class Chapter:
    """A study's part of the report: a page, lines of the answer, and published numbers."""

    heading: str  # of its page, and in the list of pages
    lead: str  # what is reproduced, half a sentence of HTML for the top of the report
    introduction: str  # HTML
    # those that the report begins with, by what was found; where no study of a report has any, it
    # begins with answers, else with findings, else with all claims
    headlines: Sequence[Line] = ()
    answers: Sequence[Line] = ()  # lines of the answer, further down on the first page
    # what the reader must know about this run first; at the top of the report
    notes: Sequence[str] = ()
    # id of the figure that says most, which comes first on its page; "" for none
    key_figure: str = ""
    first_figure: str = ""  # id of the figure that is next to the headlines, small; "" for none
    agrees: str = ""  # when a published number counts as one that agrees with ours
    tests: str = ""  # how many tests were passed, for the table of verdicts
    caveat: str = ""  # the same about the chapter, at its beginning
    findings: Sequence[Line] = ()
    tables: Sequence[Path] = ()  # folders with tables in all formats
    galleries: Sequence[Gallery] = ()
    judged: Sequence[Judged] = ()
    # name to be saved as, and file; files that are not there are left out
    downloads: Sequence[tuple[str, Path]] = ()
    # published numbers beside ours: `PUBLISHED_COLUMNS` and the coordinates of our cell; `place` is
    # where it was published, `status` one of `STATUSES`
    published: pd.DataFrame | None = None
    # the table that holds what is beside published numbers of no cell; "" if there are none
    published_table: str = ""
    # which metrics of the table of trials the page of numbers shows, by name, to their labels;
    # empty for all that the regression compares
    metrics: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        folder: Path,
        texts: Texts,
        figures: Sequence[FigureText],
        *,
        about: str = "",
        values: Mapping[str, object] | None = None,
        **shown: object,
    ) -> Self:
        """Return the chapter of a study that has the steps claims, tables and figures.

        ``texts`` has attributes by name (:data:`WORDS`, ``metrics``), the ids of claims that become
        lines (:data:`LINES`), sentences for these by verdict (``found``), ``downloads`` (name of
        the saved file -> table) and ``judged``, the title of the papers' claims. ``about`` and
        ``values`` are as in ``judging/effects.py``. ``shown`` adds or replaces attributes.
        """
        claims, said = read_results(folder, ["claims"])["claims"], texts.entries
        found = {"found": said.get("found")} | dict(values or {})
        made = {name: texts(name) for name in WORDS if name in said} | {
            name: lines_of(claims, said[name], about if name == "answers" else "", **found)
            for name in LINES
            if name in said
        }
        made |= {
            "tables": [folder / "tables"],
            "galleries": [Gallery(figures, folder / "figures")],
            "judged": judged_claims(claims, said.get("judged", "Claims, judged")),
            "downloads": [
                (name, folder / f"{table}.csv") for name, table in said.get("downloads", {}).items()
            ],
            "metrics": said.get("metrics", {}),
        }
        return cls(**made | shown)

    @classmethod
    def not_run(cls, texts: Texts) -> Self:
        """Return the chapter of a study without results: a heading and "not run"."""
        return cls(texts("heading"), lead="", introduction="", caveat=texts("not_run"))


def telling(
    module: str | Path, figures: Sequence[FigureText], names: Sequence[str] = ("trials",)
) -> Callable[[Path, object], Chapter]:
    """Return a chapter's function that uses only figures and the texts next to a module.

    ``module`` is its ``__file__``. The study was not run if no table in ``names`` has rows.
    """
    texts = Texts(beside(module, "chapter.yaml"))

    def chapter(folder: Path, settings: object) -> Chapter:
        if not has_results(read_results(folder, names)):
            return Chapter.not_run(texts)
        return Chapter.of(folder, texts, figures)

    return chapter
