"""The errata of all studies as one Markdown page."""

from collections.abc import Iterable

from dpmc_studies.frame.showing.erratum import (
    CHANGES_CONCLUSION,
    IMPROVEMENT,
    UNSTATED,
    WITHOUT_CONSEQUENCE,
    Erratum,
)

GROUPS = {  # in the order of the page: heading, what the grade means, name of what is right
    CHANGES_CONCLUSION: (
        "Errors that change a conclusion",
        "Put right, a guarantee, theorem or finding that is stated no longer holds as stated.",
        "Correct",
    ),
    WITHOUT_CONSEQUENCE: (
        "Errors without consequence",
        "Wrong as written, but nothing that is concluded rests on it.",
        "Correct",
    ),
    UNSTATED: (
        "Unstated",
        "What is needed to repeat or to judge the work is not stated, or stated in two ways.",
        "Here",
    ),
    IMPROVEMENT: (
        "Our improvements",
        "Right as written; dpmc does it otherwise, for the reason given.",
        "Here",
    ),
}
INTRODUCTION = (
    "What the papers print, what is right, and the number that shows it, by how much it matters. "
    "Numbers of this run are filled in when the page is made; tests compute the others."
)


def by_grade(entries: Iterable[Erratum]) -> list[dict[str, object]]:
    """Return the grades that occur, worst first, each with its words and its errata in order."""
    entries = list(entries)
    groups = [
        {
            "heading": heading,
            "meaning": meaning,
            "answer": answer,
            "entries": [entry for entry in entries if entry.grade == grade],
        }
        for grade, (heading, meaning, answer) in GROUPS.items()
    ]
    return [group for group in groups if group["entries"]]


def errata_markdown(entries: Iterable[Erratum]) -> str:
    """Format errata as a Markdown page, by grade and then in the order given."""
    parts = ["# Errata\n", f"{INTRODUCTION}\n"]
    for group in by_grade(entries):
        parts.append(f"## {group['heading']}\n\n{group['meaning']}\n")
        for entry in group["entries"]:
            parts.append(
                f"### {entry.id}. {entry.title}\n\n"
                f"- **Grade:** {entry.grade}\n"
                f"- **Where:** {entry.place}\n"
                f"- **Published:** {entry.published}\n"
                f"- **{group['answer']}:** {entry.correct}\n"
                f"- **Evidence:** {entry.evidence}\n"
            )
    return "\n".join(parts)
