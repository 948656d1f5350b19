"""Twenty paragraphs drawn by a seed, to be rated against the rules of style in CONTRIBUTING.md.

`.venv/bin/python benchmarks/paragraphs.py SEED` prints them: from README and the documents, the
texts of the report, and docstrings of public names, five of each kind where there are so many. The
ratings of a round belong to its seed; the next round takes the next seed.
"""

import ast
import random
import re
import sys
from pathlib import Path

import yaml

HOME = Path(__file__).resolve().parents[1]
EACH = 5
SHORTEST = 25
"""Words of a paragraph."""


def prose(text: str) -> list[str]:
    """Return the paragraphs of a text in Markdown that are neither code, tables nor headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [part for part in parts if not part.startswith(("|", "#")) and long_enough(part)]


def long_enough(part: str) -> bool:
    """Whether a paragraph has enough words to be rated."""
    return len(part.split()) >= SHORTEST


def strings(value: object) -> list[str]:
    """Return the texts of a YAML file."""
    if isinstance(value, dict):
        return [each for part in value.values() for each in strings(part)]
    if isinstance(value, list):
        return [each for part in value for each in strings(part)]
    return [value] if isinstance(value, str) else []


def docstrings(path: Path) -> list[str]:
    """Return the docstrings of a module and of its public classes and functions."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        is_documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if is_documented and not getattr(node, "name", "").startswith("_"):
            parts = re.split(r"\n[A-Z]\w+\n-+\n", ast.get_docstring(node) or "")
            found += prose(parts[0])  # without the sections on parameters
    return found


def kinds() -> dict[str, list[tuple[str, str]]]:
    """Return kind -> (where, paragraph) of all that can be drawn, in a fixed order."""
    pages = [HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))]
    texts = sorted((HOME / "src").rglob("*.yaml"))
    found = {
        "documents": [(page, part) for page in pages for part in prose(page.read_text("utf-8"))],
        "report": [
            (path, " ".join(part.split()))
            for path in texts
            for part in strings(yaml.safe_load(path.read_text("utf-8")))
            if long_enough(part)
        ],
    }
    for package in ("dpmc", "dpmc_studies"):
        paths = sorted((HOME / "src" / package).rglob("*.py"))
        found[package] = [(path, part) for path in paths for part in docstrings(path)]
    return {
        kind: [(str(path.relative_to(HOME)), part) for path, part in parts]
        for kind, parts in found.items()
    }


if __name__ == "__main__":
    rng = random.Random(int(sys.argv[1]))
    for kind, parts in kinds().items():
        for where, part in rng.sample(parts, EACH):
            print(f"[{kind}] {where}\n{part}\n")
