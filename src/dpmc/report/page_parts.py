"""Parts of the page: tables and figures with what lies behind them, as data URIs."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from dpmc.study.style import FigureText
from dpmc.study.table_formats import FRAGMENT

LABELS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
MEDIA = {
    "csv": "text/csv;charset=utf-8",
    "md": "text/markdown;charset=utf-8",
    "tex": "application/x-tex",
    "svg": "image/svg+xml",
}


def data_uri(content: bytes, kind: str) -> str:
    """Return ``content`` as an address that holds it."""
    return f"data:{MEDIA[kind]};base64,{b64encode(content).decode()}"


def embedded_tables(folder: Path) -> Iterator[dict]:
    """Yield every table of ``folder``: its HTML, and its other formats as downloads."""
    for path in sorted(folder.glob("table*.html")):
        text = path.read_text(encoding="utf-8")
        fragment = text.partition(FRAGMENT[0])[2].partition(FRAGMENT[1])[0]
        files = [path.with_suffix(f".{kind}") for kind in ("csv", "md", "tex")]
        yield {
            "id": path.stem,
            "html": Markup(fragment),
            "files": [
                (file.name, LABELS[file.suffix[1:]], data_uri(file.read_bytes(), file.suffix[1:]))
                for file in files
                if file.is_file()
            ],
        }


def embedded_figure(entry: FigureText, folder: Path) -> dict:
    """Return what the page needs of one figure; without an image it says that it is absent."""
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
    if not image.is_file():
        return figure
    figure["image"] = data_uri(image.read_bytes(), "svg")
    if numbers.is_file():
        figure["csv"] = data_uri(numbers.read_bytes(), "csv")
        data = pd.read_csv(numbers)
        if entry.describe and len(data):
            sentence = entry.describe(data)
            figure["caption"] += f" {sentence}"
            figure["alt"] += f" {sentence}"
    return figure


def result_files(files: Sequence[tuple[str, Path]]) -> list[tuple[str, str, str]]:
    """Return the files that are there as downloads: file name, label, address."""
    return [
        (name, name, data_uri(path.read_bytes(), "csv")) for name, path in files if path.is_file()
    ]
