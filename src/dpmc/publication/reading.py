"""How a table of ratings is read: the options, and the defaults from the file name.

The ending of a file name gives only defaults, which options override. Nothing is guessed from the
content of rows, so no row changes how another one is read.
"""

import bz2
import codecs
import gzip
import lzma
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any

from dpmc.errors import InputError, ParameterError, did_you_mean

ROLES = ("user", "item", "rating", "timestamp")
OF_FILES = ("format", "separator", "encoding", "columns")
"""What can be asked for of a file alone."""
SKIPPED = "-"
"""In a list of columns: one that is not read."""
TEXT, JSON_LINES, PARQUET = "text", "JSON lines", "Parquet"
_KINDS = {
    "csv": TEXT, "tsv": TEXT, "txt": TEXT, "data": TEXT, "dat": TEXT, "inter": TEXT,
    "jsonl": JSON_LINES, "ndjson": JSON_LINES, "json": JSON_LINES, "parquet": PARQUET,
}  # fmt: skip
_PACKED = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open, "zip": None}
_SEPARATORS = {"data": "\t", "dat": "::"}
_HEADLESS = ("data", "dat")
"""Endings of files without a header, in the columns of MovieLens: :data:`ROLES`."""
MEMBERS = (
    "ml-100k/u.data", "ml-1m/ratings.dat", "ml-10M100K/ratings.dat",
    *(f"ml-{size}/ratings.csv" for size in ("20m", "25m", "32m", "latest", "latest-small")),
)  # fmt: skip
"""The ratings in each of the official archives."""
BLANKS = "blanks"
_WORDS = {
    "comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "space": " ",
    BLANKS: BLANKS,
}  # fmt: skip
"""Names of separators; "blanks" are any number of blanks and tabs."""


@dataclass(frozen=True)
class Codes:
    """Values in place of a rating that mean that an item was not rated.

    Attributes
    ----------
    numbers : frozenset of float
    texts : frozenset of str
        Texts that are not numbers; "" stands for an empty field, None and NaN, too.
    """

    numbers: frozenset[float] = frozenset()
    texts: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.texts)

    def __str__(self) -> str:
        numbers = [f"{each:g}" for each in sorted(self.numbers)]
        return ", ".join([*numbers, *(each or "empty" for each in sorted(self.texts))])


NO_CODES = Codes()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The options for reading a table of ratings.

    Attributes
    ----------
    user, item, rating, timestamp : str, optional
        Names of columns; None: found by usual names, and of times: not read.
    format : str, optional
        The ending that a file is read by, whatever its name: a key of the kinds here, and after a
        point how it is packed.
    separator, encoding : str, optional
    columns : tuple of str, optional
        Columns of a text file without a header, in order: roles, other names, and "-" to skip one.
    missing : Codes
        Rows with such a rating do not count.
    not_ratings : tuple of str
        Columns that are known to hold no ratings.
    rated : bool
        Whether there is a column of ratings; without one, each row is a like.
    """

    user: str | None = None
    item: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    format: str | None = None
    separator: str | None = None
    encoding: str | None = None
    columns: tuple[str, ...] | None = None
    missing: Codes = NO_CODES
    not_ratings: tuple[str, ...] = ()
    rated: bool = True

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the columns that are read, in the order of :data:`ROLES`."""
        return (*ROLES[: 2 + self.rated], *ROLES[3:][: self.timestamp is not None])


USUAL = Reading()
"""A table of users, items and ratings of which nothing was asked for."""


def reading_of(*, missing: Any = (), **asked: Any) -> Reading:
    """Return the options for reading, or refuse them.

    ``asked`` has attributes of :class:`Reading`; ``columns`` may be a text with commas, and
    ``missing`` has numbers and texts.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    if "format" in given:
        given["format"] = _format(given["format"])
    if "separator" in given:
        given["separator"] = _separator(given["separator"])
    if "encoding" in given:
        given["encoding"] = _encoding(given["encoding"])
    if "columns" in given:
        given["columns"] = _columns(given["columns"])
        for role in ROLES:
            if role in given and given[role] not in given["columns"]:
                raise ParameterError(
                    "{columns} names no column '{name}' for {0}.", role, name=given[role]
                )
    others = given.get("not_ratings", ())
    given["not_ratings"] = (others,) if isinstance(others, str) else tuple(others)
    return Reading(missing=codes(missing), **given)


def codes(values: object) -> Codes:
    """Return the values for "not rated", from numbers, None, NaN and texts."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        values = (values,)
    numbers, texts = set(), set()
    for value in values:
        text = value.strip() if isinstance(value, str) else None
        try:
            number = math.nan if value is None else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not math.isnan(number):
            numbers.add(number)
        else:
            texts.add(text or "")
    return Codes(frozenset(numbers), frozenset(texts))


def _format(text: object) -> str:
    ending = str(text).lower().removeprefix(".")
    kind, _, packed = ending.partition(".")
    if kind not in _KINDS or packed not in ("", *_PACKED):
        raise ParameterError(
            "{format} must be one of {kinds}, and if the file is packed .{packed} after that, such "
            "as csv.gz; got {text!r}{hint}.",
            kinds=", ".join(_KINDS),
            packed=" or .".join(_PACKED),
            text=text,
            hint=did_you_mean(kind, _KINDS),
        )
    return ending


def _separator(text: object) -> str:
    found = _WORDS.get(str(text), str(text))
    if found != BLANKS and (not found or set(found) & set('"\r\n') or not found.isascii()):
        raise ParameterError(
            "{separator} must be one or more ASCII characters, no quote among them, or one of "
            "{words}; got {text!r}.",
            words=", ".join(word for word in _WORDS if word.isalpha()),
            text=text,
        )
    return found


def _encoding(text: object) -> str:
    try:
        found = codecs.lookup(str(text))
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding:
        raise ParameterError(
            "{encoding} must be a name of a text encoding, such as utf-8, utf-16 or latin-1; got "
            "{text!r}.",
            text=text,
        )
    return found.name


def _columns(given: object) -> tuple[str, ...]:
    names = given.split(",") if isinstance(given, str) else given
    names = tuple(str(name).strip() for name in names)  # type: ignore
    named = [name for name in names if name != SKIPPED]
    if "" in names or len(set(named)) < len(named):
        raise ParameterError(
            "{columns} must name each column of the file once, in their order, such as "
            "user,item,rating,- (- skips a column); got {given!r}.",
            given=given,
        )
    return names


@dataclass(frozen=True)
class Form:
    """How one file is read.

    Attributes
    ----------
    kind : str
        :data:`TEXT`, :data:`JSON_LINES` or :data:`PARQUET`.
    packed : str
        "gz", "bz2", "xz", "zip", or "" if it is not.
    encoding : str
    separator : str or None
        None: the one of comma, semicolon, tab and bar that the header has most of.
    names : tuple of str or None
        Names of the columns; None: the header has them.
    recbole : bool
        The header names types: "user_id:token" is the column "user_id".
    quoted : bool
        Fields may stand in double quotes.
    because : str
        Reason for this form, for messages.
    rated : bool
        Whether rows have a rating, and so a digit.
    """

    kind: str
    packed: str
    encoding: str
    separator: str | None
    names: tuple[str, ...] | None
    recbole: bool
    quoted: bool
    because: str
    rated: bool

    def __str__(self) -> str:
        """Return how it is read, in words."""
        if self.kind != TEXT:
            how = self.kind
        else:
            header = "a header" if self.names is None else f"the columns {', '.join(self.names)}"
            by = "" if self.separator is None else f" {_in_words(self.separator)} between fields,"
            how = f"text with{by} {header} and the encoding {self.encoding}"
        return how + (f", packed as .{self.packed}" if self.packed else "")


def _in_words(separator: str) -> str:
    words = {sign: word for word, sign in _WORDS.items() if word.isalpha()}
    return words.get(separator, f"'{separator}'")


def form_of(path: PurePath, reading: Reading) -> Form:
    """Return how a file is read: as it was asked for, or else by the ending of its name."""
    *_, before, last = ("", "", *(suffix.lower()[1:] for suffix in path.suffixes))
    ending, packed = (before, last) if last in _PACKED else (last, "")
    because = f"its name ends in .{last}" if last else "its name has no ending"
    if reading.format is not None:
        ending, _, packed = reading.format.partition(".")
        because = f"the format {reading.format} was asked for"
    separator = reading.separator or _SEPARATORS.get(ending)
    names = reading.columns
    # a separator that the ending does not stand for: then neither does the rest
    headless = ending in _HEADLESS and reading.separator is None
    if names is None and headless:
        names = ROLES
    if separator is None and names is not None:
        separator = ","
    return Form(
        kind=_KINDS.get(ending, TEXT),
        packed=packed,
        encoding=reading.encoding or "utf-8",
        separator=separator,
        names=names,
        recbole=ending == "inter",
        quoted=len(separator or ",") == 1 and not headless,
        because=because,
        rated=reading.rated,
    )


def files_of(path: Path, reading: Reading) -> list[Path]:
    """Return the files that a table is in: one, or those of a folder of Parquet."""
    if path.is_dir():  # of whatever name: Spark's ends in .parquet itself
        files = sorted(each for each in path.rglob("*.parquet") if each.is_file())
        if not files:
            raise InputError(f"{path} is a folder without .parquet files: name a file.")
        return files
    return [path]


@dataclass(frozen=True)
class OpenFile:
    """A file that is open: its bytes, unpacked, how they are read, and the share read so far."""

    stream: IO[bytes]
    form: Form
    share: Callable[[], float]


@contextmanager
def opened(path: Path, reading: Reading) -> Iterator[OpenFile]:
    """Open a file, unpacked; of a zip archive the one table in it."""
    form = form_of(path, reading)
    with readable(path, form), open(path, "rb") as file:
        size = max(1, os.fstat(file.fileno()).st_size)
        if form.packed == "zip":
            with _in_archive(path, file, form, reading) as (stream, form):
                yield OpenFile(stream, form, lambda: min(1.0, file.tell() / size))
            return
        unpack = _PACKED.get(form.packed)
        with unpack(file) if unpack else nullcontext(file) as stream:
            yield OpenFile(stream, form, lambda: file.tell() / size)


@contextmanager
def _in_archive(path: Path, file: IO[bytes], form: Form, reading: Reading) -> Iterator[tuple]:
    """Open the one table in an archive, or the ratings in one of MovieLens."""
    with zipfile.ZipFile(file) as archive:
        there = [each for each in archive.infolist() if _counts(each.filename)]
        official = [each for each in there if each.filename in MEMBERS]
        if len(official or there) != 1:
            raise InputError(
                f"{path} must hold one file, a table of ratings, and holds {len(there)}: unpack "
                "it and name the table."
            )
        member = (official or there)[0]
        if member.flag_bits & 1:
            raise InputError(f"{path} asks for a password: unpack it and name the table.")
        if reading.format is None:
            inner = form_of(PurePath(member.filename), reading)
            form = Form(**vars(inner) | {"packed": "zip"})
            if inner.packed or inner.kind == PARQUET:
                raise InputError(f"{path} holds a file that is packed itself: unpack it.")
        with archive.open(member) as stream:
            yield stream, form


def _counts(name: str) -> bool:
    *folders, last = PurePath(name).parts
    return not (name.endswith("/") or last.startswith(".") or "__MACOSX" in folders)


@contextmanager
def readable(path: Path, form: Form | None = None) -> Iterator[None]:
    """Turn errors of the file system and of Arrow into one sentence; Arrow's own quote values."""
    import pyarrow as pa

    try:
        yield
    except zipfile.BadZipFile:
        raise InputError(f"{path} is not a whole zip archive: fetch it again.") from None
    except NotImplementedError:
        raise InputError(f"{path} is packed in a way that is not read here: unpack it.") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        problem = getattr(error, "strerror", None)
        if problem is None and form is not None and form.packed:
            raise ParameterError(
                "{path} is damaged, or not packed as .{packed}, which was assumed because "
                "{because}: name what it is with {format}.",
                path=path,
                packed=form.packed,
                because=form.because,
            ) from None
        raise InputError(f"{path} cannot be read: {problem or 'it is damaged'}.") from None
    except pa.ArrowException:
        raise InputError(f"{path} is not a whole Parquet file.") from None
