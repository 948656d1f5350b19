"""Link the ids of claims, and our own words, in the documents: `.venv/bin/python envs/links.py`.

An id (H34) is a link wherever it is in prose, a word of docs/glossary.md where a page first uses
it. Run it after you edit a document; what is linked already stays as it is.
"""

import re
import sys
from os.path import relpath
from pathlib import Path

from dpmc_studies.report.claims_page import anchors_of, linked, outside

HOME = Path(__file__).parents[1]
CLAIMS, GLOSSARY = HOME / "docs" / "claims.md", HOME / "docs" / "glossary.md"
GENERATED = (CLAIMS, GLOSSARY, HOME / "docs" / "items.md")
"""Pages that define ids and words, or are made of files."""
WORDS = {
    "a-irls": r"A-IRLS",
    "cell": r"cells?",
    "claim": r"claims?(?= \[[A-Z]\d)",
    "entry-level": r"entry[ -]level",
    "user-level": r"user[ -]level",
    "frame": r"the frame(?! of)",
    "ledger": r"ledgers?",
    "local-bayes": r"Local Bayes",
    "local-ease": r"[Ll]ocal EASE",
    "nominal": r"nominal epsilons?",
    "overlay": r"overlays?",
    "planted-fault": r"planted faults?",
    "predicate": r"predicates?",
    "reading": r"(?:other|every|each|by) readings?",
    "relation": r"(?<!a )relations?",
    "replayed": r"replayed neighbours?|replays",
    "searched": r"searched settings",
    "store": r"(?:a|the) store",
    "study": r"stud(?:y|ies)",
    "trial": r"trials?",
    "verdict": r"verdicts?",
}
"""The words of the glossary that pages link to, as patterns; others are in it for themselves."""
AT_HOME = {
    "own-ratings.md": {"verdict"},  # of dpmc verify
    "relations.md": {"relation", "entry-level", "user-level"},
    "local_bayes.md": {"local-bayes"},
    "ranking.md": {"local-ease"},
}
"""Pages that explain a word themselves, or use it otherwise."""


def with_links(document: Path, text: str) -> str:
    """Return the text of a document with its links."""
    here = document.parent
    claims, glossary = (relpath(page, here).replace("\\", "/") for page in (CLAIMS, GLOSSARY))
    text = linked(text, claims, anchors_of(CLAIMS.read_text(encoding="utf-8")))
    if document in GENERATED or document.name == "CHANGELOG.md":
        return text
    for anchor, pattern in WORDS.items():
        target = f"{glossary}#{anchor}"
        if f"({target})" in text or anchor in AT_HOME.get(document.name, ()):
            continue
        word = re.compile(rf"(?<![\w/*-])(?:{pattern})(?![\w/-])")
        done = False

        def once(part: str, word=word, target=target) -> str:
            nonlocal done
            found = None if done else word.search(part)
            if found is None:
                return part
            done = True
            return f"{part[: found.start()]}[{found[0]}]({target}){part[found.end() :]}"

        text = outside(text, once)
    return text


def main(documents: list[Path]) -> None:
    """Rewrite the documents that lack a link."""
    for document in documents:
        text = document.read_text(encoding="utf-8")
        if document not in GENERATED and (new := with_links(document, text)) != text:
            document.write_text(new, encoding="utf-8")
            print(f"linked {document.relative_to(HOME)}")


if __name__ == "__main__":
    names = sys.argv[1:] or [
        *HOME.glob("*.md"),
        *(
            each
            for place in ("config", "benchmarks", "docs")
            for each in (HOME / place).rglob("*.md")
        ),
    ]
    main(sorted(Path(name).resolve() for name in names))
