"""Options that several commands have, and the ratings that they read with them."""

from dataclasses import dataclass
from pathlib import Path

import click


def check_between(option: str, value: float | None, low: float, high: float) -> None:
    """Refuse a number so large or small that computing with it would fail half way.

    What is None or no positive number is left to whoever knows what it is for.

    Raises
    ------
    InputError
        The number is positive and not in low to high.
    """
    from dpmc.errors import InputError

    if value is not None and value > 0 and not low <= value <= high:
        raise InputError(
            f"--{option.replace('_', '-')} must lie between {low:g} and {high:g}, got {value:g}."
        )


def ratings_option(command):
    """Add --ratings, the table of ratings, as ``path``."""
    return click.option(
        "--ratings",
        "path",
        required=True,
        type=click.Path(),
        help="Table of users, items and ratings: .csv or .tsv (also .gz), .parquet, or u.data of "
        "MovieLens.",
    )(command)


def range_option(command):
    """Add --rating-range."""
    return click.option(
        "--rating-range",
        nargs=2,
        type=float,
        metavar="LOWEST HIGHEST",
        help="Lowest and highest possible rating, known without the data; ratings outside are "
        "clipped.",
    )(command)


def delta_option(command):
    """Add --delta."""
    return click.option(
        "--delta",
        type=float,
        default=1e-5,
        show_default=True,
        help="Delta of the guarantee; keep it well below 1 / number of users.",
    )(command)


def column_options(command):
    """Add --user, --item, --rating and --timestamp, the columns of a table of ratings."""
    described = "Column that says which of two ratings of the same item is later."
    command = click.option("--timestamp", help=described)(command)
    for role in ("rating", "item", "user"):
        described = f"Column of {role}s.  [default: detected]"
        command = click.option(f"--{role}", help=described)(command)
    return command


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

    ratings: object
    remarks: list[str]


def read_given(path, columns, rating_range, lists) -> Given:
    """Read a table of ratings.

    Parameters
    ----------
    path : path
        A .csv, .tsv or .parquet file.
    columns : dict
        Names of the columns "user", "item", "rating" and "timestamp"; None: to be detected, or
        without timestamps.
    rating_range : (float, float) or None
    lists : dpmc.cli.lists.Lists

    Raises
    ------
    InputError
        A file that is missing, malformed or lacks a column.
    """
    from dpmc.publication.table import read_lines

    return given_of(read_lines(Path(path), columns), rating_range, lists)


def given_of(lines, rating_range, lists) -> Given:
    """Return what counts of a table that was read.

    Parameters
    ----------
    lines : dpmc.publication.table.Lines
    rating_range : (float, float) or None
    lists : dpmc.cli.lists.Lists
    """
    from dpmc.publication.lists import restrict
    from dpmc.publication.table import resolve

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


def remark(remarks: list[str]) -> None:
    """Tell the terminal, and no file, what was noticed about the ratings."""
    for each in remarks:
        click.echo(f"dpmc: {each} (not private, and not in the files).", err=True)


def simulate_option(command):
    """Add --simulate SEED."""
    described = (
        "Draw repeatable noise for experiments; the files say that they must not be published."
    )
    return click.option("--simulate", type=click.IntRange(0), metavar="SEED", help=described)(
        command
    )
