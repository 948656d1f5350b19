"""Parts of the pages: tables and figures, and the files behind them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from dpmc.files import copy
from dpmc_studies.frame.showing.style import FigureText
from dpmc_studies.frame.showing.table_formats import FRAGMENT

LABELS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
Address = Callable[[Path, str], str]
"""From a file and the name to save it under to the address that a page has for it."""


def copied_to(site: Path, below: str) -> Address:
    """Return a function that copies files to a folder of the site: their addresses there."""

    def address(path: Path, name: str) -> str:
        copy(path, site / below / name)
        return f"{below}/{name}"

    return address


def shown_tables(folder: Path, address: Address) -> Iterator[dict]:
    """Yield every table of ``folder``: its HTML, and its other formats as downloads."""
    for path in sorted(folder.glob("table*.html")):
        text = path.read_text(encoding="utf-8")
        fragment = text.partition(FRAGMENT[0])[2].partition(FRAGMENT[1])[0]
        files = [path.with_suffix(f".{kind}") for kind in LABELS]
        yield {
            "id": path.stem,
            "html": Markup(fragment),
            "files": [
                (file.name, LABELS[file.suffix[1:]], address(file, file.name))
                for file in files
                if file.is_file()
            ],
        }


def shown_figure(entry: FigureText, folder: Path, address: Address) -> dict:
    """Return what a page needs of one figure; one without data has no image."""
    image, numbers = folder / f"{entry.id}.svg", folder / f"{entry.id}.csv"
    figure = {
        "id": entry.id,
        "title": entry.title,
        "caption": entry.caption,
        "alt": entry.alt,
        "wide": entry.wide,
        "image": None,
        "csv": None,
    }
    data = pd.read_csv(numbers) if numbers.is_file() else None
    if not image.is_file() or (data is not None and data.empty):
        return figure
    figure["image"] = address(image, image.name)
    if data is not None:
        figure["csv"] = address(numbers, numbers.name)
        if entry.describe:
            sentence = entry.describe(data)
            figure["caption"] += f" {sentence}"
            figure["alt"] += f" {sentence}"
    return figure


def result_files(files: Sequence[tuple[str, Path]], address: Address) -> list[tuple[str, str, str]]:
    """Return the files that are there as downloads: file name, label, address."""
    return [(name, name, address(path, name)) for name, path in files if path.is_file()]
