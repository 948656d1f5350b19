"""The errata of all studies as one Markdown page."""

from collections.abc import Iterable

from dpmc.study.erratum import Erratum


def errata_markdown(entries: Iterable[Erratum]) -> str:
    """Format errata as a Markdown page."""
    parts = [
        "# Errata\n",
        "What the papers print, what is right, and the number that shows it. The numbers are "
        "computed when this page is made.\n",
    ]
    for entry in entries:
        parts.append(
            f"## {entry.id}. {entry.title}\n\n"
            f"- **Where:** {entry.place}\n"
            f"- **Published:** {entry.published}\n"
            f"- **Correct:** {entry.correct}\n"
            f"- **Evidence:** {entry.evidence}\n"
        )
    return "\n".join(parts)
