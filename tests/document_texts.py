"""The documents of the project, and the examples that stand in them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

HOME = Path(__file__).parents[1]
README = HOME / "README.md"
DOCUMENTS = (
    *(
        README,
        HOME / "CONTRIBUTING.md",
        HOME / "ARCHITECTURE.md",
        HOME / "CHANGELOG.md",
        HOME / "SECURITY.md",
    ),
    *(HOME / "config" / "README.md", HOME / "benchmarks" / "README.md"),
    *sorted((HOME / "docs").rglob("*.md")),
)
USERS, ITEMS = 60, 20


class Example(NamedTuple):
    """A command as it stands in a document.

    Attributes
    ----------
    words : list of str
        Without the remark after a "#".
    printed : str
        The lines below it, up to the next command.
    """

    words: list[str]
    printed: str


def name_of(document: Path) -> str:
    """Return the path of a document as the project's users see it."""
    return str(document.relative_to(HOME))


def blocks(document: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, in their order."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def examples(document: Path) -> Iterator[Example]:
    """Yield the commands of a document, in their order."""
    for block in blocks(document, "console"):
        for piece in ("\n" + block.replace("\\\n", " ")).split("\n$ ")[1:]:
            line, _, printed = piece.partition("\n")
            yield Example(shlex.split(line, comments=True), printed)


def program(example: Example) -> str:
    """Return the name of the program that an example starts."""
    return Path(example.words[0]).name


def write_own_files(folder: Path) -> None:
    """Write the files that examples speak of: ratings, clean or not, and what items are."""
    rng = np.random.default_rng(0)
    rows = [
        f"u{user},film {item},{rng.integers(1, 6)}"
        for user in range(USERS)
        for item in np.flatnonzero(rng.random(ITEMS) < 0.5)
    ]
    for name in ("mine.csv", "public.csv"):
        (folder / name).write_text("user,item,rating\n" + "\n".join(rows) + "\n")
    (folder / "catalogue.txt").write_text("".join(f"film {item}\n" for item in range(ITEMS)))
    years = [f"film {item},{1990 + item % 30}" for item in range(ITEMS)]
    dirty = [
        row.replace(",", ";") for row in [*rows, "u0,film 0,good", ",film 1,3", "u1,film 2,2.5"]
    ]
    text = "user;item;rating\n" + "\n".join(dirty).replace(".", ",") + "\n"
    (folder / "dirty.csv").write_text(text, encoding="latin-1")
    (folder / "features.csv").write_text("item,year\n" + "\n".join(years) + "\n")
    titles = [f"film {item},Title {item}" for item in range(ITEMS)]
    (folder / "titles.csv").write_text("item,title\n" + "\n".join(titles) + "\n")


def write_blocks(document: Path, folder: Path) -> None:
    """Write the blocks of a document that begin with the name of a file; a later one wins."""
    for language in ("python", "yaml"):
        for block in blocks(document, language):
            if name := re.match(r"# ([\w.]+)\n", block):
                (folder / name[1]).write_text(block)
