"""What a study shows in the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from dpmc.study.effects import Answer
from dpmc.study.style import FigureText


@dataclass(frozen=True)
class Gallery:
    """Figures under one heading.

    Attributes
    ----------
    figures : sequence of FigureText
    folder : path
        Where they were drawn; one that is not there is said to be absent.
    title : str or None
    grid : bool
        Whether they stand beside each other.
    """

    figures: Sequence[FigureText]
    folder: Path
    title: str | None = None
    grid: bool = False


@dataclass(frozen=True)
class Judged:
    """A table of claims with their verdicts.

    Attributes
    ----------
    title : str
    claims : DataFrame
        Columns :data:`dpmc.study.claims.CLAIM_COLUMNS`.
    text : str
        What the reader must know first.
    reported : bool
        Whether the verdicts on the paper's own numbers are shown too.
    counted : bool
        Whether they are verdicts about a paper, which the overview counts.
    table : str
        The study's table in which they stand.
    """

    title: str
    claims: pd.DataFrame
    text: str = ""
    reported: bool = False
    counted: bool = True
    table: str = "claims"


PUBLISHED_COLUMNS = (
    *("place", "metric", "published", "mean", "standard_error", "trials", "status"),
)


@dataclass(frozen=True)
class Chapter:
    """What a study shows: a page of the report, and its part of the answer and of the numbers.

    Attributes
    ----------
    heading : str
        Of its page, and in the list of pages.
    lead : str
        What is reproduced, half a sentence of HTML for the top of the report.
    introduction : str
        HTML.
    answers : sequence of Answer
        Lines of the answer at the top of the report.
    notes : sequence of str
        What the reader must know about this run first; at the top of the report.
    key_figure : str
        Id of the figure that says most, which comes first on its page; "" for none.
    caveat : str
        The same about the chapter, at its beginning.
    findings : sequence of Answer
    tables : sequence of path
        Folders with tables in all formats.
    galleries : sequence of Gallery
    judged : sequence of Judged
    downloads : sequence of (str, path)
        Name to be saved as, and file; files that are not there are left out.
    published : DataFrame or None
        Published numbers beside ours: :data:`PUBLISHED_COLUMNS` and the coordinates of our cell;
        ``place`` is where it was published, ``status`` one of
        :data:`dpmc.study.finding.STATUSES`.
    published_table : str
        The table that holds what is beside published numbers of no cell; "" if there are none.
    metrics : mapping
        Which metrics of the table of trials the page of numbers shows, by name, to their labels;
        empty for all that the regression compares.
    """

    heading: str
    lead: str
    introduction: str
    answers: Sequence[Answer] = ()
    notes: Sequence[str] = ()
    key_figure: str = ""
    caveat: str = ""
    findings: Sequence[Answer] = ()
    tables: Sequence[Path] = ()
    galleries: Sequence[Gallery] = ()
    judged: Sequence[Judged] = ()
    downloads: Sequence[tuple[str, Path]] = ()
    published: pd.DataFrame | None = None
    published_table: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
