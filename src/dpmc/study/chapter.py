"""What a study shows in the report."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    """

    title: str
    claims: pd.DataFrame
    text: str = ""
    reported: bool = False


@dataclass(frozen=True)
class Chapter:
    """One chapter of the report.

    Attributes
    ----------
    heading : str
        Also its line in the table of contents.
    lead : str
        What is reproduced, half a sentence of HTML for the top of the report.
    introduction : str
        HTML.
    answers : sequence of Answer
        Lines of the answer at the top of the report.
    notes : sequence of str
        What the reader must know about this run first; at the top of the report.
    caveat : str
        The same about the chapter, at its beginning.
    findings : sequence of Answer
    tables : sequence of path
        Folders with tables in all formats.
    galleries : sequence of Gallery
    judged : sequence of Judged
    downloads : sequence of (str, path)
        Name to be saved as, and file; files that are not there are left out.
    """

    heading: str
    lead: str
    introduction: str
    answers: Sequence[Answer] = ()
    notes: Sequence[str] = ()
    caveat: str = ""
    findings: Sequence[Answer] = ()
    tables: Sequence[Path] = ()
    galleries: Sequence[Gallery] = ()
    judged: Sequence[Judged] = ()
    downloads: Sequence[tuple[str, Path]] = ()
