"""The errata of all studies as one Markdown page."""

from collections.abc import Iterable

from dpmc.study.erratum import (
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
        "Improvements of ours",
        "Right as written; dpmc does it otherwise, for the reason given.",
        "Here",
    ),
}


def errata_markdown(entries: Iterable[Erratum]) -> str:
    """Format errata as a Markdown page, by grade and then in the order given."""
    by_grade = {grade: [] for grade in GROUPS}
    for entry in entries:
        by_grade[entry.grade].append(entry)
    parts = [
        "# Errata\n",
        "What the papers print, what is right, and the number that shows it, by how much it "
        "matters. The numbers are computed when this page is made.\n",
    ]
    for grade, chosen in by_grade.items():
        if not chosen:
            continue
        heading, meaning, answer = GROUPS[grade]
        parts.append(f"## {heading}\n\n{meaning}\n")
        for entry in chosen:
            parts.append(
                f"### {entry.id}. {entry.title}\n\n"
                f"- **Grade:** {entry.grade}\n"
                f"- **Where:** {entry.place}\n"
                f"- **Published:** {entry.published}\n"
                f"- **{answer}:** {entry.correct}\n"
                f"- **Evidence:** {entry.evidence}\n"
            )
    return "\n".join(parts)
