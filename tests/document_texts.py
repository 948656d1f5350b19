"""The documents of the project, and the examples that stand in them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
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
CLUSTER = HOME / "docs" / "cluster.md"
"""Its YAML is of profiles of Snakemake, and its programs are those of a cluster."""
USERS, ITEMS = 60, 20


class Block(NamedTuple):
    """A fenced block of a document; ``language`` is what stands behind its first fence."""

    line: int
    language: str
    text: str


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


def text_of(document: Path) -> str:
    """Return a document without the links of ids and of words of the glossary."""
    link = r"\[([^\[\]]+)\]\([./\w]*(?:claims|glossary)\.md#[\w-]+\)"
    return re.sub(link, r"\1", document.read_text(encoding="utf-8"))


def words_of(document: Path) -> str:
    """Return what a document says, in one line, without those links."""
    return " ".join(text_of(document).split())


def fenced(document: Path) -> list[Block]:
    """Return all fenced blocks of a document, in their order, one that is not closed to its end."""
    text = document.read_text(encoding="utf-8")
    pattern = r"^ *(```+|~~~+) *(.*)\n(?s:(.*?))(?:^ *\1[`~]* *$|\Z)"
    return [
        Block(text[: found.start()].count("\n") + 1, found[2].strip(), dedent(found[3]))
        for found in re.finditer(pattern, text, flags=re.MULTILINE)
    ]


def blocks(document: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, in their order."""
    return [block.text for block in fenced(document) if block.language == language]


def examples(document: Path) -> Iterator[Example]:
    """Yield the commands of a document, in their order."""
    for block in blocks(document, "console"):
        for piece in ("\n" + block.replace("\\\n", " ")).split("\n$ ")[1:]:
            line, _, printed = piece.partition("\n")
            yield Example(shlex.split(line, comments=True), printed)


NOT_RUN = {
    r"git .*": "it clones, commits or publishes",
    r"make (test|lint).*": "this is what runs the tests",
    r"make \.venv/installed": "the tests run in what it installs",
    r"dpmc diff results/reference/\S+ results/reference/\S+": "verdicts that are kept and differ;"
    " tests/reproduction/frame/test_difference.py",
    r"make clean reproduce .*|make reproduce TARGET=check": "an hour: a full run and the reference;"
    " tests/reproduction/workflow/test_regression.py checks a smaller one",
    r"make .* CONFIG=config/large\.yaml": "2.5 CPU hours; test_planned_jobs.py plans it",
    r"make .* CONFIG=config/once/(drawn-matrices|new-data)\.yaml": "48 CPU minutes, or more",
    r"make .* PROFILE=.*|squeue .*|tmux .*": "it needs Slurm; tests/reproduction/slurm",
    r"make published": "tests/contract/test_published.py makes it",
    r"docker .*": "it needs Docker; tests/test_environments.py reads the container's recipe",
    r"make page": "it needs MovieLens 100K; tests/library/publication/test_page.py makes pages",
    r"python -m venv .*|adapters/bin/python .*": "other packages; CI runs both lines",
    r"dpmc plan --measure .*": "it writes the costs in the package; test_costs.py measures",
    r"\S*dpmc reference update --study huber": "it takes a full run; test_reference.py updates one",
    r"dpmc fit .* --dask .*": "it needs a scheduler of Dask; tests/library/methods/test_dask.py",
}
"""Commands that no test runs, as patterns of them, and why."""
NOT_CODE = {
    ("ARCHITECTURE.md", "text"): "a picture",
    ("benchmarks/README.md", ""): "benchmarks, up to 15 minutes each; tests/test_benchmarks.py",
    ("docs/cluster.md", "yaml"): "profiles of Snakemake; test_examples.py compares their options",
    ("docs/extend.md", "yml"): "an entry of claims; tests/reproduction/frame/test_comparing.py",
    ("docs/extend.md", "text"): "a picture",
    ("docs/local_bayes.md", "text"): "formulas",
    ("docs/own-ratings.md", "text"): "rows of a table",
    ("docs/python.md", "text"): "an installation; tests/test_wheel.py",
    ("docs/scale.md", "py"): "it needs Slurm and dask-jobqueue; tests/library/methods/test_dask.py",
}
"""Other blocks that no test runs, by document and language, and why."""


def why_not_run(example: Example) -> str | None:
    """Return why no test runs a command; None if one does."""
    command = " ".join(example.words)
    return next((why for each, why in NOT_RUN.items() if re.fullmatch(each, command)), None)


def is_of_the_workflow(example: Example) -> bool:
    """Say whether a command takes the folder of the project, as in test_documents.py."""
    words = [program(example), *example.words[1:]]
    of_dpmc = words[0] == "dpmc" and words[1] in ("plan", "diff", "reference")
    return (
        of_dpmc
        or words[:2] in (["make", "reproduce"], ["make", "help"])
        or (words[0] == "snakemake")
    )


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
    films = range(ITEMS + 1)  # a catalogue has one, too, that nobody rated
    (folder / "catalogue.txt").write_text("".join(f"film {item}\n" for item in films))
    years = [f"film {item},{1990 + item % 30}" for item in films]
    dirty = [
        row.replace(",", ";") for row in [*rows, "u0,film 0,good", ",film 1,3", "u1,film 2,2.5"]
    ]
    text = "user;item;rating\n" + "\n".join(dirty).replace(".", ",") + "\n"
    (folder / "dirty.csv").write_text(text, encoding="latin-1")
    (folder / "features.csv").write_text("item,year\n" + "\n".join(years) + "\n")
    of_today = [*years, "new film,2021"]
    (folder / "features-of-today.csv").write_text("item,year\n" + "\n".join(of_today) + "\n")
    titles = [f"film {item},Title {item}" for item in films]
    (folder / "titles.csv").write_text("item,title\n" + "\n".join(titles) + "\n")


def write_blocks(document: Path, folder: Path) -> None:
    """Write the blocks of a document that begin with the name of a file; a later one wins."""
    for language in ("python", "yaml"):
        for block in blocks(document, language):
            if name := re.match(r"# ([\w.]+)\n", block):
                (folder / name[1]).write_text(block)
