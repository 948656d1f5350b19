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
        "Mistakes that change a conclusion",
        "Without the mistake, a guarantee, theorem or finding no longer holds as stated.",
        "Correct",
    ),
    WITHOUT_CONSEQUENCE: (
        "Mistakes without consequence",
        "It is wrong as written, but no conclusion rests on it.",
        "Correct",
    ),
    UNSTATED: (
        "Unstated",
        "The paper does not state what a repetition needs, or states it in two ways.",
        "Here",
    ),
    IMPROVEMENT: (
        "Our improvements",
        "The paper is right; dpmc differs for the reason given.",
        "Here",
    ),
}
INTRODUCTION = (
    "What the papers print, what is right, and the number that proves it. The worst come first."
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
    parts = ["# Mistakes in the papers\n", f"{INTRODUCTION}\n"]
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
