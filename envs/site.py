"""Hooks of MkDocs (mkdocs.yml): pages from outside of docs/, links to files, formulas, the API.

A link to a document of the project leads to its page; any other file of the project is not on the
site, so its path is next to the words. Formulas become MathML.
"""

import os
import re
from pathlib import Path
from posixpath import dirname, normpath, relpath
from shutil import copytree

from latex2mathml.converter import convert
from mkdocs.structure.files import File

HOME = Path(__file__).parents[1]
REPORTS = (HOME / "results" / "report", HOME / "build" / "report")
"""The report of a full run; without one, that of the committed tables (`make published`)."""
REPORT = next((each for each in REPORTS if (each / "index.html").is_file()), REPORTS[0])
REPOSITORY = os.environ.get("DPMC_REPOSITORY", "")
"""Address of the repository, for links to files that are no pages; without it, paths are shown."""
OUTSIDE = {
    "index.md": "README.md",
    "config.md": "config/README.md",
    "benchmarks.md": "benchmarks/README.md",
    **{
        name: name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    },
}
"""Pages of the site that are other documents of the project."""
API = {
    "estimator": ("PrivateFactorization", ["estimator.PrivateFactorization", "errors"]),
    "released": ("Published models", ["released", "methods.released.verify"]),
    "privacy": (
        "Privacy",
        [
            f"privacy.{name}"
            for name in ("relations", "guarantee", "calibration", "accounting", "recommendation")
        ]
        + ["privacy.ledger", "privacy.sensitivity", "privacy.selection", "privacy.release"]
        + [
            "privacy.sums",
            "privacy.spending",
            "privacy.attacker",
            "privacy.policy",
            "fitting.book",
        ],
    ),
    "mechanisms": ("Mechanisms", ["mechanisms", "mechanisms.base.Mechanism"]),
    "publication": ("Ratings and stores", ["ratings.Ratings", "publication.store.Store"]),
    "studies": ("Studies", ["frame.api"]),
}
"""Pages of the API: title, and what they show of dpmc (the last one of dpmc_studies)."""
PARTS = re.compile(
    r"(?P<code>^(?P<fence>```+).*?^(?P=fence)\s*?$|`(?:[^`\n]|\n(?!\s*\n))+`)"
    r"|\$\$(?P<block>.+?)\$\$|\$(?=\S)(?P<inline>[^$`]+?)(?<=\S)\$(?!\d)"
    r"|(?P<image>!?)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<to>[^)\s]+)\)",
    re.DOTALL | re.MULTILINE,
)
WEB = re.compile(r"https?://|mailto:")
SIMILAR = ("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
"""What the converter makes of ``\\sim``, and the relation that it is."""
STYLE = """
.md-typeset table:not([class]) th { min-width: 0 }
.md-typeset table:not([class]) :is(th, td) { padding: .6em .7em }
.md-typeset td code { word-break: keep-all }
.md-typeset .highlight:not(.language-text) code { white-space: pre-wrap; overflow-wrap: anywhere }
.md-typeset .language-text code { font-size: .62rem; line-height: 1.25 }
.md-grid { max-width: 72rem }
.long { display: inline-block; max-width: 100%; overflow: auto hidden; vertical-align: middle }
"""
"""Tables of eight columns fit beside the navigation; in a cell, paths break after a slash. Lines of
code wrap, but for pictures made of text, which are small enough."""
LONG = 40
"""Characters of a formula that may be wider than a phone: it scrolls."""
_formulas: list[str] = []


def on_files(files, config):
    """Add the pages from outside of docs/, those of the API, and the report if there is one."""
    for page, source in OUTSIDE.items():
        text = (HOME / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for name, (title, shown) in API.items():
        package = "dpmc_studies" if name == "studies" else "dpmc"
        text = f"# {title}\n\n" + "\n\n".join(f"::: {package}.{each}" for each in shown) + "\n"
        files.append(File.generated(config, f"api/{name}.md", content=text))
    files.append(File.generated(config, "site.css", content=STYLE))
    shim = HOME / "envs" / "iframe-worker.js"
    files.append(File.generated(config, "assets/iframe-worker.js", abs_src_path=str(shim)))
    made = (REPORT / "index.html").is_file()
    if made:  # one file that links lead to; the others follow as they are (on_post_build)
        first = str(REPORT / "index.html")
        files.append(File.generated(config, "report/index.html", abs_src_path=first))
    text = (
        "[The report of the last run](report/index.html) has every published number and every "
        "claim beside ours, with figures and files."
        if made
        else "`make published` writes the report in 35 seconds; `make site` then puts it here."
    )
    files.append(File.generated(config, "report.md", content=f"# The report\n\n{text}\n"))
    return files


def on_page_markdown(markdown, page, config, files):
    """Let links lead to pages, or show paths; take formulas out of the way of Markdown."""
    own = page.file.src_uri
    if own.startswith("api/") or own == "report.md":
        return markdown
    source = OUTSIDE.get(own, f"docs/{own}")

    def part(found):
        formula = found["block"] or found["inline"]
        if found["code"]:
            return found["code"]
        if formula:
            display = "block" if found["block"] else "inline"
            made = convert(formula, display=display).replace(*SIMILAR)
            _formulas.append(f'<span class="long">{made}</span>' if len(formula) > LONG else made)
            return f"formula{len(_formulas) - 1}end"
        words = PARTS.sub(part, found["words"])
        if WEB.match(found["to"]):
            return f"{found['image']}[{words}]({found['to']})"
        path, hash_, anchor = found["to"].partition("#")
        target = normpath(f"{dirname(source)}/{path}") if path else source
        to = next((uri for uri, each in OUTSIDE.items() if each == target.lstrip("/")), None)
        if to is None and target.lstrip("/").startswith("docs/"):
            to = target.lstrip("/").removeprefix("docs/")
        if to is None:
            path = target.lstrip("/")
            return (
                f"[{words}]({REPOSITORY}/blob/HEAD/{path})" if REPOSITORY else f"{words} (`{path}`)"
            )
        return f"{found['image']}[{words}]({relpath(to, dirname(own) or '.')}{hash_}{anchor})"

    return PARTS.sub(part, markdown)


def on_page_content(html, page, config, files):
    """Put formulas where they were, and let paths in cells break after a slash."""
    html = re.sub(r"(?<=<td><code>)[^<]+", lambda found: found[0].replace("/", "/<wbr>"), html)
    return re.sub(r"formula(\d+)end", lambda found: _formulas[int(found[1])], html)


def on_post_build(config):
    """Copy the report, its tables in Markdown as files; refuse pages that fetch from elsewhere."""
    if (REPORT / "index.html").is_file():
        copytree(REPORT, Path(config["site_dir"]) / "report", dirs_exist_ok=True)
    for path in Path(config["site_dir"]).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if fetched := re.findall(
            r"<(?:script|link|img)[^>]*(?:src|href)=[\"']?https?://[^\s>]*", text
        ):
            raise SystemExit(f"{os.path.relpath(path)} fetches {fetched[0]}")
