"""Parts of the page: tables and figures with what lies behind them, as data URIs."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from dpmc.studies.dpals.figures import DPALS_FIGURES
from dpmc.studies.dpals.findings import caveats as dpals_caveats
from dpmc.studies.dpals.findings import dpals_findings
from dpmc.studies.dpals.frames import NAMES as DPALS_NAMES
from dpmc.studies.equal_privacy.figures import PRIVACY_FIGURES, folder_of
from dpmc.studies.equal_privacy.findings import privacy_findings
from dpmc.studies.equal_privacy.frames import NAMES
from dpmc.studies.equal_privacy.tables_equal import TUNED
from dpmc.studies.huber.figures import FORENSICS
from dpmc.studies.onebit.figures import ONEBIT_FIGURES
from dpmc.studies.onebit.findings import caveats, onebit_findings
from dpmc.studies.onebit.frames import NAMES as ONEBIT_NAMES
from dpmc.study.style import FigureText
from dpmc.study.table_formats import FRAGMENT

LABELS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
MEDIA = {
    "csv": "text/csv;charset=utf-8",
    "md": "text/markdown;charset=utf-8",
    "tex": "application/x-tex",
    "svg": "image/svg+xml",
}
# trials.csv is too large; the CSV of every figure holds its means and intervals
EMBEDDED = tuple(name for name in ONEBIT_NAMES if name != "trials")
DPALS_EMBEDDED = tuple(name for name in DPALS_NAMES if name not in ("trials", "iterations"))


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


def forensics_part(folder: str | Path | None) -> list[dict]:
    """Return the heat maps that are there: the forensics is a target of its own."""
    figures = [] if folder is None else [embedded_figure(e, Path(folder)) for e in FORENSICS]
    return [figure for figure in figures if figure["image"]]


def privacy_part(
    folder: str | Path | None, results: Mapping[str, pd.DataFrame | None]
) -> dict | None:
    """Return what the privacy section shows; None if nothing of that part has been run."""
    findings = privacy_findings(results) if results else []
    if folder is None or not findings:
        return None
    return {
        "findings": findings,
        "caveat": TUNED,
        "tables": list(embedded_tables(Path(folder) / "tables")),
        "figures": [
            embedded_figure(entry, Path(folder) / folder_of(entry.id)) for entry in PRIVACY_FIGURES
        ],
        "files": _result_files(Path(folder), NAMES),
    }


def onebit_part(
    folder: str | Path | None, results: Mapping[str, pd.DataFrame | None]
) -> dict | None:
    """Return what the one-bit section shows; None if nothing of that part has been run."""
    findings = onebit_findings(results) if results else []
    if folder is None or not findings:
        return None
    return {
        "findings": findings,
        "caveat": caveats(results["trials"]),
        "tables": list(embedded_tables(Path(folder) / "tables")),
        "figures": [embedded_figure(entry, Path(folder) / "figures") for entry in ONEBIT_FIGURES],
        "files": _result_files(Path(folder), EMBEDDED, prefix="onebit_"),
    }


def dpals_part(
    folder: str | Path | None, results: Mapping[str, pd.DataFrame | None]
) -> dict | None:
    """Return what the DPALS section shows; None if nothing of that part has been run."""
    findings = dpals_findings(results) if results else []
    if folder is None or not findings:
        return None
    return {
        "findings": findings,
        "caveat": dpals_caveats(results["trials"]),
        "tables": list(embedded_tables(Path(folder) / "tables")),
        "figures": [embedded_figure(entry, Path(folder) / "figures") for entry in DPALS_FIGURES],
        "files": _result_files(Path(folder), DPALS_EMBEDDED, prefix="dpals_"),
    }


def _result_files(
    folder: Path, names: Sequence[str], prefix: str = ""
) -> list[tuple[str, str, str]]:
    """Return the result tables that are there as downloads: file name, label, address."""
    found = []
    for name in names:
        path = folder / f"{name}.csv"
        if path.is_file():
            shown = f"{prefix}{path.name}"
            found.append((shown, shown, data_uri(path.read_bytes(), "csv")))
    return found
