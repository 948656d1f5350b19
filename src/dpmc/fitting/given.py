"""The ratings of a fit: what counts of a table that was read, and what was changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.fitting.lists import Lists
from dpmc.publication.lists import restrict
from dpmc.publication.store import lines_at
from dpmc.publication.table import Lines, resolve
from dpmc.ratings import Ratings


@dataclass(frozen=True)
class Given:
    """Ratings as read, with what was changed: for the terminal, never for a file.

    Attributes
    ----------
    ratings : Ratings
        With labels, one of a user and an item, of what is listed; within the range, if there is
        one.
    remarks : list of str
        What was left out, merged or clipped. Not private.
    """

    ratings: Ratings
    remarks: list[str]


def read_given(
    path: str | Path,
    columns: Mapping[str, str | None],
    rating_range: tuple[float, float] | None,
    lists: Lists,
    rated: bool = True,
) -> Given:
    """Return what counts of a file or a store; columns and ``rated`` as for
    :func:`dpmc.publication.store.lines_at`."""
    return given_of(lines_at(path, columns, rated), rating_range, lists)


def given_of(lines: Lines, rating_range: tuple[float, float] | None, lists: Lists) -> Given:
    """Return what counts of a table that was read."""
    every = resolve(lines, rating_range)
    ratings = restrict(every, lists.items, lists.users)
    remarks = []
    if merged := len(lines.values) - len(every):
        kept = "the latest" if lines.times is not None else "their mean"
        remarks.append(f"{merged} lines rate an item again; of such, {kept} counts")
    if unlisted := len(every) - len(ratings):
        remarks.append(f"{unlisted} ratings of what is not listed were left out")
        if not len(ratings):
            remarks.append("not one rating is of what is listed: is it the list of these ratings?")
    if rating_range is not None:
        low, high = rating_range
        if outside := int(((lines.values < low) | (lines.values > high)).sum()):
            remarks.append(f"{outside} ratings were clipped to the range {low:g} to {high:g}")
    return Given(ratings, remarks)
