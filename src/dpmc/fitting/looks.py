"""Facts and remarks about private ratings before anything is spent, for their owner.

Facts describe how a table was read. Remarks point out what may be misread and what to look up in
the documentation of the data. Neither is covered by the guarantee, so both are for the owner only
and are written to no file. No remark proposes the value of a setting, because the guarantee does
not cover settings chosen from the rows.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dpmc.publication.pieces import Source
from dpmc.publication.reading import SKIPPED
from dpmc.publication.sources import is_usual

EXAMPLES = 3
MOST_COMPARED = 1 << 22
"""Labels that are compared with each other; of more it would take minutes."""
_PLAIN = r"^(0|[1-9][0-9]*)$"


@dataclass
class Look:
    """Facts and remarks about ratings.

    Attributes
    ----------
    facts : dict
        Topic -> finding.
    remarks : list of str
        Sentences on what needs a look.
    """

    facts: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def source(self, source: Source) -> None:
        """Report how a table was read."""
        if source.how:
            self.facts["read as"] = source.how
        if source.columns.used:
            used = [f"{role} '{name}'" for role, name in source.columns.used.items()]
            skipped = [f"'{name}'" for name in source.columns.ignored if name != SKIPPED]
            more = source.columns.ignored.count(SKIPPED)
            skipped += [f"{more} without a name"] * bool(more)
            self.facts["columns used"] = ", ".join(used)
            self.facts["columns ignored"] = ", ".join(skipped) or "none"
        if source.rows:
            missing = f", of which {source.missing:,} mean 'not rated'" if source.missing else ""
            self.facts["rows"] = f"{source.rows:,}{missing}"

    def size(self, n_users: int, n_items: int) -> None:
        """Report the numbers of users and items."""
        self.facts["users"], self.facts["items"] = f"{n_users:,}", f"{n_items:,}"

    def repeated(self, count: int, latest: bool) -> None:
        """Report ratings of items that the same user has rated before."""
        self.facts["duplicates"] = f"{count:,} rows of a user and item that have another row"
        if count:
            kept = "the latest" if latest else "their mean"
            lines = "1 line rates" if count == 1 else f"{count} lines rate"
            self.remarks.append(
                f"{lines} an item again; of such, {kept} counts: look up whether a later rating "
                "replaces an earlier one"
            )

    def unlisted(
        self, count: int, total: int, unknown: Sequence[str], listed: Sequence[str]
    ) -> None:
        """Report ratings of items that are not in the list, whose labels are ``unknown``."""
        self.facts["ratings of items that are not listed"] = _share(count, total)
        if not count:
            return
        text = f"{_are(count, total)} of items that are not in the list, and do not count"
        alike = _alike(unknown, listed)
        if alike:
            examples = ", ".join(f"'{here}' and '{there}'" for here, there in alike[:EXAMPLES])
            text += f"; {_labels(len(alike))} like a listed one, such as {examples}"
        self.remarks.append(f"{text}: look up how the list and the table write items")
        if count == total:
            self.remarks.append(
                "not one rating is of a listed item: look up whether it is the list of these "
                "ratings"
            )

    def listed(self, listed: Sequence[str], there: Iterable[str]) -> None:
        """Compare a list of items with the items of the table."""
        there = set(there)
        if len(listed) == len(there) and there.issuperset(listed):
            self.remarks.append(
                "the list holds exactly the items that were rated: was it read off the ratings? "
                "Then an item that one person alone rated would show that somebody did; look up "
                "where the list is from"
            )
        if listed[0] not in there and is_usual(listed[0]):
            self.remarks.append(
                f"the first listed item is called '{listed[0]}', and nobody rated it: look up "
                "whether the first line of the list is a header"
            )

    def outside(self, count: int, total: int, span: tuple[float, float], most: Counter) -> None:
        """Report ratings outside of the range, and the most frequent values among them."""
        low, high = span
        self.facts[f"ratings outside of {low:g} to {high:g}"] = _share(count, total)
        if not count:
            return
        frequent = ", ".join(
            f"{value:g} ({times:,} times)"
            for value, times in most.most_common(EXAMPLES)
            if times > 1
        )
        text = f"{_are(count, total)} outside of the range {low:g} to {high:g}, and clipped to it"
        if frequent:
            text += f"; most often: {frequent}"
        self.remarks.append(
            f"{text}: look up which values a rating can take, and whether one of them means that "
            "an item was not rated"
        )

    def labels(self, what: str, labels: Sequence[str]) -> None:
        """Report labels that may be two names of one user or item."""
        if "" in labels:
            self.remarks.append(
                f"rows without a {what} count as those of one {what} without a name: look up what "
                "they are"
            )
        if len(labels) > MOST_COMPARED:
            return
        groups = _groups(labels)
        if groups:
            count, (one, other) = len(groups), groups[0]
            shown = f", such as '{one}' and '{other}'" if what == "item" else ""
            self.remarks.append(
                f"{count} {what}{'s' * (count > 1)} may be written in several ways{shown}, and "
                f"each counts as another {what}: look up how {what}s are written"
            )

    def values(self, values: np.ndarray) -> None:
        """Report ratings that carry no information."""
        if values.size > 1 and values.min() == values.max():
            self.remarks.append(
                f"all ratings are {values[0]:g}: look up whether the column holds ratings"
            )


def frequent(values: np.ndarray) -> Counter:
    """Return how often each value occurs."""
    return Counter(
        dict(zip(*(each.tolist() for each in np.unique(values, return_counts=True)), strict=True))
    )


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,} ({100 * count / max(1, total):.1f} %)"


def _are(count: int, total: int) -> str:
    verb = "is" if count == 1 else "are"
    return f"{count:,} of {total:,} ratings ({100 * count / max(1, total):.1f} %) {verb}"


def _labels(count: int) -> str:
    return "1 label looks" if count == 1 else f"{count} labels look"


def _alike(unknown: Sequence[str], listed: Sequence[str]) -> list[tuple[str, str]]:
    """Return labels with listed ones that look the same."""
    if len(unknown) + len(listed) > MOST_COMPARED:
        return []
    known = {folded(each): each for each in listed}
    return [(each, known[folded(each)]) for each in unknown if folded(each) in known]


def _groups(labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return two labels of each group that look the same."""
    import pyarrow as pa
    from pyarrow import compute

    column = pa.array(labels, pa.large_string())
    if compute.all(compute.match_substring_regex(column, _PLAIN)).as_py():
        return []  # nothing but integers, each of which is written once
    first: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for each in labels:
        other = first.setdefault(folded(each), each)
        if other != each:
            found.setdefault(other, (other, each))
    return list(found.values())


def folded(label: str) -> str:
    """Return a label without case, blanks, quotes, Unicode forms and zeros."""
    text = unicodedata.normalize("NFKC", label).casefold()
    text = re.sub(r"[\s\"'`\u2018\u2019\u201c\u201d]+", "", text)
    number = re.fullmatch(r"0*([0-9]+?)(?:\.0*)?", text)
    return number[1] if number else text
