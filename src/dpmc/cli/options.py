"""Options that several commands have: those of a fit are made of its declared parameters."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from dpmc.cli.help import option_of
from dpmc.errors import InputError
from dpmc.fitting.parameters import (
    BUDGET,
    COUNT,
    FILE,
    FLAG,
    LABELS,
    LEVEL,
    NUMBER,
    PARAMETERS,
    RANGE,
    SEED,
    SHARE,
    TABLE,
    TEXT,
)

_KINDS = {
    COUNT: {"type": int},
    NUMBER: {"type": float},
    LEVEL: {"type": float, "metavar": "NUMBER"},
    SHARE: {"type": float, "metavar": "SHARE"},
    RANGE: {"type": float, "nargs": 2, "metavar": "LOWEST HIGHEST"},
    SEED: {"type": click.IntRange(0), "metavar": "SEED"},
    TEXT: {},
    LABELS: {"type": click.Path(), "metavar": "FILE"},
    TABLE: {"type": click.Path(), "metavar": "FILE"},
    FILE: {"type": click.Path(), "metavar": "FILE"},
    BUDGET: {"metavar": "EPS,DELTA"},
    FLAG: {"is_flag": True},
}


class _Choice(click.Choice):
    """The values of a parameter, refused as in a program: with the nearest one."""

    def convert(self, value, param, ctx):
        if value not in self.choices:
            from dpmc.fitting.checks import refuse_choice

            refuse_choice(PARAMETERS[param.name], value)
        return super().convert(value, param, ctx)


def fit_option(name: str, **changes):
    """Return a decorator that adds the option of a parameter of a fit.

    ``name`` is a key of :data:`dpmc.fitting.parameters.PARAMETERS`; ``changes`` are those of
    ``click.option``, where a command differs from ``dpmc fit``.
    """
    each = PARAMETERS[name]
    settings = {"default": each.default, "required": each.required} | _KINDS[each.kind]
    if each.choices:
        settings["type"] = _Choice(each.choices)
    settings["help"] = each.meaning.format(**{other: option_of(other) for other in PARAMETERS})
    if each.otherwise:
        settings["help"] += f"  [default: {each.otherwise}]"
    settings |= changes
    if settings["default"] is None:  # click takes a None that is given for a value
        del settings["default"]
    return click.option(option_of(name), name, **settings)


def fit_options(command):
    """Add the options of all parameters of a fit but its lists."""
    for name in reversed(PARAMETERS):
        if name == "relation":
            command = fit_option(name, required=True, default=None)(command)
        elif name not in ("items", "users"):
            command = fit_option(name)(command)
    return command


READING = (
    "user", "item", "rating", "timestamp", "format", "separator", "encoding", "columns", "missing",
    "not_ratings",
)  # fmt: skip
"""What says how a table of ratings is read."""
OF_TABLES = ("path", *READING)


def ratings_option(command):
    """Add --ratings, the table of ratings, as ``path``."""
    return click.option(
        "--ratings",
        "path",
        required=True,
        type=click.Path(),
        help="Table of users, items and ratings: text with a header (.csv and the like), JSON "
        "lines (.jsonl), .parquet, a folder of these, u.data or ratings.dat of MovieLens, or "
        "RecBole's .inter; text may be packed (.gz, .bz2, .xz, or one table in a .zip). Or a store "
        "(dpmc store).",
    )(command)


def reading_options(command):
    """Add the options that say how a table of ratings is read: see :data:`READING`."""
    described = {
        "not_ratings": "Column that holds no ratings, in a table of which each row is a like; may "
        "be given more than once.",
        "missing": "Rating that means that an item was not rated, such as 0 or an empty text; may "
        "be given more than once.",
        "columns": "Columns of a file without a header, in their order, such as "
        "user,item,rating,- where - skips one.",
        "encoding": "Encoding of a text file, such as latin-1 or utf-16.  [default: utf-8]",
        "separator": "What is between fields: a text, or one of comma, semicolon, tab, pipe, space "
        "and blanks (any number of them).  [default: what the header has most of]",
        "format": "Ending by which a file is read, whatever its name, such as csv, jsonl or "
        "csv.gz.  [default: that of its name]",
        "timestamp": "Column that says which of two ratings of the same item is later.",
    }
    for name in reversed(READING):
        many = name in ("not_ratings", "missing")
        command = click.option(
            f"--{name.replace('_', '-')}",
            multiple=many,
            metavar={"missing": "VALUE", "not_ratings": "COLUMN"}.get(name),
            help=described.get(name, f"Column of {name}s.  [default: detected]"),
        )(command)
    return command


def reading_in(options: dict, rated: bool = True):
    """Take the options of :func:`reading_options` out, and return what they ask for."""
    from dpmc.publication.reading import reading_of

    return reading_of(**{name: options.pop(name) for name in READING}, rated=rated)


def list_options(command):
    """Add --items, --items-are-public, --users and --users-are-public."""
    for what in ("users", "items"):
        command = click.option(
            f"--{what}-are-public",
            is_flag=True,
            help=f"Take the list of {what} from the ratings, because everybody knows it anyway.",
        )(command)
        command = fit_option(what)(command)
    return command


def remark(remarks: list[str]) -> None:
    """Tell the terminal, and no file, what was noticed about the ratings."""
    for each in remarks:
        click.echo(f"dpmc: {each} (for your eyes only; it is in no file).", err=True)


@contextmanager
def stopping(book, cluster: bool = False) -> Iterator[None]:
    """Let Ctrl-C end in a sentence, which says what is spent of a book of fits, if there is one."""
    try:
        yield
    except KeyboardInterrupt:
        what = "Stopped, and the cluster with it." if cluster else "Stopped."
        raise InputError(what if book is None else f"{what} {book.if_stopped()}") from None


@contextmanager
def progress(total: int, label: str, *, hidden: bool = False) -> Iterator[Callable[..., None]]:
    """Yield what counts a step on standard error, where a terminal sees it until all is done.

    If anything has to be compiled first, one line says so, on a terminal or not.
    """
    if hidden or sys.stderr is None:
        yield lambda *_: None
        return
    from dpmc.fitting.compiling import noticed  # numba takes a while to import

    if not sys.stderr.isatty():
        with noticed():
            yield lambda *_: None
        return
    begin, done = time.monotonic(), -1

    def step(*_) -> None:
        nonlocal done
        done += 1
        line = f"\r{label}: {done / total:4.0%}, {done}/{total} done"
        if done > total:  # more than were planned
            line = f"\r{label}: {done} done"
        elif done:
            line += f", {(time.monotonic() - begin) / done * (total - done):.0f} s left"
        sys.stderr.write(line.ljust(60))
        sys.stderr.flush()

    step()
    try:
        with noticed("\r"):
            yield step
    finally:
        sys.stderr.write("\r" + " " * 60 + "\r")


@contextmanager
def progress_of(stage: str, *, hidden: bool = False) -> Iterator[Callable[[float], None]]:
    """Yield what shows the share of a stage that is done, by percent."""
    done = 0
    with progress(100, stage, hidden=hidden) as step:

        def report(share: float) -> None:
            nonlocal done
            while done < int(100 * share):
                done += 1
                step()

        yield report
