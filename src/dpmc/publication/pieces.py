"""Reads private tables of ratings piece by piece; messages reveal nothing about any row.

One person's rows must change neither how other rows are read nor any message. Each row is therefore
read by itself, no label makes a table fail, and the error for a malformed row names its line and
what is expected there, never its content. These are all reasons for an error (docs/own-ratings.md
lists them for users):

- the file cannot be read or unpacked, or does not have the format that was named or assumed;
- a column is missing, several have its name, or one may hold ratings although each row is to be a
  like;
- a row has another number of fields, an open quote, or is not a JSON object;
- bytes cannot be decoded; a line has more than 16 MiB, or a label as many characters;
- a rating is not a finite number, or a time neither a number nor a date;
- information is already lost in the input: an array that NumPy turned into text, or labels that are
  floats too large to tell integers apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from dpmc.errors import InputError, ParameterError
from dpmc.publication import fields
from dpmc.publication.lines import TextLines, fields_in, header_of, objects_in, parsed
from dpmc.publication.numbering import Numbering
from dpmc.publication.reading import (
    JSON_LINES,
    PARQUET,
    ROLES,
    OpenFile,
    Reading,
    files_of,
    form_of,
    opened,
    readable,
)
from dpmc.publication.sources import Columns, choose

ROWS, ROWS_OF_NUMBERS = 1 << 17, 1 << 20
"""Of a Parquet file, that are read at a time: with labels of text, and with integers alone, each of
which is spelled once a time."""
_EXPECTED = {"rating": fields.FINITE, "timestamp": fields.NUMBER_OR_DATE}


@dataclass
class Source:
    """Where ratings are from; only for the owner of the ratings.

    Attributes
    ----------
    how : str
        Description of how they were read.
    columns : Columns
    rows, missing : int
        Number of rows, and number of those that stand for "not rated".
    """

    how: str = ""
    columns: Columns = field(default_factory=lambda: Columns({}, ()))
    rows: int = 0
    missing: int = 0


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    Attributes
    ----------
    users, items : int32 arrays, shape (n_rows,)
        Numbers of spellings.
    values : float64 array, shape (n_rows,)
    times : float64 array, shape (n_rows,), or None
        Larger is later. Exact for whole numbers up to 2**53.
    share : float
        Approximate share of the table that has been read.
    """

    users: np.ndarray
    items: np.ndarray
    values: np.ndarray
    times: np.ndarray | None
    share: float


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows as they were read: labels as Arrow text, others as numbers, by role.

    ``refused`` makes the error of the first of the rows that are refused.
    """

    labels: list
    numbers: dict[str, tuple[np.ndarray, np.ndarray | None]]
    refused: Callable[[np.ndarray], InputError]
    share: float


def read_pieces(
    path: Path, reading: Reading, users: Numbering, items: Numbering, source: Source
) -> Iterator[Piece]:
    """Yield a private table, one rating a row, whose labels are numbered on the way.

    A table is a text file, a file of JSON lines or Parquet, packed or not, or a folder of Parquet
    files: see :mod:`dpmc.publication.reading`. Each row of a text file is one line; it needs a
    header unless its columns are named. JSON lines have the keys user, item and rating, unless
    others are named. ``source`` records what was read.

    Raises
    ------
    InputError
        See the list above. The message holds nothing of any row.
    """
    path = Path(path)
    files = files_of(path, reading)
    with readable(path), ThreadPoolExecutor(2) as pool:
        for place, file in enumerate(files):
            for part in _parts(file, reading, source, pool):
                piece = piece_of(part, reading, users, items, source, pool.map)
                yield Piece(**vars(piece) | {"share": (place + part.share) / len(files)})


def _parts(path, reading, source, pool) -> Iterator[Part]:
    if path.suffix.lower() == ".parquet" or form_of(path, reading).kind == PARQUET:
        yield from _of_parquet(path, reading, source, pool)
        return
    with opened(path, reading) as file:
        of = _of_json if file.form.kind == JSON_LINES else _of_text
        yield from of(file, path, reading, source)


def piece_of(part, reading, users, items, source, apply=map) -> Piece:
    """Return the rows that count, with their labels numbered."""
    _, missing = part.numbers.get("rating", (None, None))
    bad = np.zeros(len(part.labels[0]), dtype=bool)
    for numbers, _ in part.numbers.values():
        bad |= ~np.isfinite(numbers)
    source.rows += bad.size
    labels, kept = part.labels, None
    if missing is not None and missing.any():
        source.missing += int(missing.sum())
        kept, bad = ~missing, bad & ~missing
    if bad.any():
        raise part.refused(bad)
    if kept is not None:
        labels = [_kept(column, kept) for column in labels]
    codes = list(apply(Numbering.codes, (users, items), labels))
    others = [numbers if kept is None else numbers[kept] for numbers, _ in part.numbers.values()]
    if not reading.rated:
        others = [np.ones(codes[0].size), *others]
    return Piece(*codes, others[0], others[1] if len(others) > 1 else None, part.share)


def _kept(column, rows: np.ndarray):
    import pyarrow as pa

    return column.filter(pa.array(rows))


def _of_text(file: OpenFile, path: Path, reading: Reading, source: Source) -> Iterator[Part]:
    import pyarrow as pa

    form, lines = file.form, TextLines(file.stream, str(path), file.form)
    names, where = form.names, str(path)
    if names is None:
        names, form = header_of(lines.header(), form)
        where += ", line 1"
    source.columns = chosen = choose(where, names, reading, form)
    source.how = f"{form}, because {form.because}"
    fault = partial(_fault_of_text, path, form, names, chosen, reading)
    kinds = dict.fromkeys(chosen.used.values(), pa.string())
    fast = dict(kinds)
    if reading.rated and not reading.missing.texts:
        fast[chosen.used["rating"]] = pa.float64()
    for first, block in lines.blocks():
        table = parsed(block, form, names, fast) or parsed(block, form, names, kinds)
        if table is None:
            raise fault(first, block)
        columns = dict(zip(chosen.used, table.columns, strict=True))
        numbers = numbers_in(columns, chosen.used, reading)
        refused = partial(fault, first, block)
        yield Part([columns["user"], columns["item"]], numbers, refused, file.share())


def numbers_in(columns: Mapping, names: Mapping[str, str], reading: Reading) -> dict:
    """Return ratings and times, by role, with the rows that stand for "not rated"."""
    found = {}
    if "rating" in columns:
        where = f"The column '{names['rating']}'"
        found["rating"] = fields.number_column(columns["rating"], where, reading.missing)
    if "timestamp" in columns:
        where = f"The column '{names['timestamp']}'"
        found["timestamp"] = fields.number_column(columns["timestamp"], where, read=fields.to_time)
    return found


def _of_json(file: OpenFile, path: Path, reading: Reading, source: Source) -> Iterator[Part]:
    lines = TextLines(file.stream, str(path), file.form)
    keys = {role: getattr(reading, role) or role for role in reading.roles}
    source.columns, source.how = Columns(keys, ()), f"{file.form}, because {file.form.because}"
    known = {*keys.values(), *reading.not_ratings}
    for first, block in lines.blocks():
        rows, places = [], []
        for line, row in objects_in(block, first, str(path)):
            _check_keys(f"{path}, line {line}", row, keys, known, reading)
            rows.append([row.get(key) for key in keys.values()])
            places.append(line)
        values = zip(*rows, strict=True) if rows else [()] * len(keys)
        columns = dict(zip(keys, values, strict=True))
        labels = [fields.spelled_column(columns[role], str(path)) for role in ROLES[:2]]
        numbers = numbers_in(columns, keys, reading)
        where = partial("{}, line {}".format, path)
        refused = partial(first_bad_row, where, places, numbers, keys)
        yield Part(labels, numbers, refused, file.share())


def _check_keys(where: str, row: Mapping, keys: Mapping, known: set, reading: Reading) -> None:
    for role in ROLES[:2]:
        if keys[role] not in row:
            raise ParameterError(
                "{where}: the key '{key}' is expected in each object; name another with {0}.",
                role,
                where=where,
                key=keys[role],
            )
    if not reading.rated and not known.issuperset(row):
        raise ParameterError(
            "{where}: there are further keys, and each row would be a like, the worst rating too: "
            "if ratings are among them, say with {likes_from} from which on one is a like; name "
            "each key that holds no ratings with {not_ratings}.",
            where=where,
        )


def _of_parquet(path, reading, source, pool) -> Iterator[Part]:
    """Yield the rows of a Parquet file; columns of labels are made text in threads of a pool."""
    import pyarrow as pa
    from pyarrow import parquet

    with open(path, "rb") as stream, parquet.ParquetFile(stream) as file:
        source.columns = chosen = choose(str(path), tuple(file.schema_arrow.names), reading)
        source.how = PARQUET
        names = list(chosen.used.values())
        schema = pa.schema([file.schema_arrow.field(name) for name in names])
        wheres = [f"{path}: the column '{name}'" for name in names[:2]]
        first, n_rows = 0, file.metadata.num_rows
        numbered = all(pa.types.is_integer(kind) for kind in schema.types[:2])
        most = ROWS_OF_NUMBERS if numbered else ROWS
        # group by group: Arrow keeps what it read of all groups that it was asked for
        batches = chain.from_iterable(
            file.iter_batches(most, row_groups=[group], columns=names)
            for group in range(file.num_row_groups)
        )
        for batch in batches if n_rows else [pa.RecordBatch.from_pylist([], schema=schema)]:
            every = [pa.chunked_array([column]) for column in batch.select(names).columns]
            labels = list(pool.map(fields.spelled_column, every[:2], wheres))
            numbers = numbers_in(dict(zip(chosen.used, every, strict=True)), chosen.used, reading)
            where, places = partial("{}, row {}".format, path), range(first + 1, first + most + 1)
            refused = partial(first_bad_row, where, places, numbers, chosen.used)
            yield Part(labels, numbers, refused, (first + batch.num_rows) / max(1, n_rows))
            first += batch.num_rows


def first_bad_row(
    where: Callable, places: Sequence[int], numbers: Mapping, names: Mapping, bad: np.ndarray
) -> InputError:
    """Return what is wrong with the first bad row of those at some places of a file."""
    row = int(bad.argmax())
    role = next(role for role, (found, _) in numbers.items() if not np.isfinite(found[row]))
    return InputError(f"{where(places[row])}: {_expected(role, names)}.")


def _fault_of_text(path, form, names, chosen, reading, first: int, block: bytes, bad=None):
    """Return what is wrong with the first line that is refused, of some from a number on."""
    for line, octets in enumerate(block.split(b"\n"), first):
        if octets:
            found = _fault(f"{path}, line {line}", octets, form, names, chosen, reading)
            if found is not None:
                return found
    return InputError(f"{path}: a line from {first} on is no row of {len(names)} fields.")


def _fault(where: str, octets: bytes, form, names, chosen, reading) -> InputError | None:
    row = fields_in(octets.decode("utf-8", "surrogateescape"), form)
    if row is None:
        advice = "each row must be one line: close it"
        return InputError(f"{where}: a quote is left open, and {advice}.")
    if len(row) != len(names):
        return ParameterError(
            "{where}: {n} fields are expected{header}; {found} were found. The file was read "
            "as {form}, because {because}; {separator}, {columns} and {format} change that.",
            where=where,
            n=len(names),
            header=", as in the header" if form.names is None else "",
            found=len(row),
            form=form,
            because=form.because,
        )
    own = {role: row[names.index(name)] for role, name in chosen.used.items()}
    if any("\ud800" <= char <= "\udfff" for role in ROLES[:2] for char in own[role]):
        return ParameterError(
            "{where}: bytes that are not {assumed} text; {encoding} names another encoding, "
            "such as latin-1.",
            where=where,
            assumed=form.encoding,
        )
    columns = {role: [own[role]] for role in own if role not in ROLES[:2]}
    numbers = numbers_in(columns, chosen.used, reading)
    missing = numbers["rating"][1] if reading.rated else None
    if missing is not None and missing[0]:
        return None
    for role, (found, _) in numbers.items():
        if not np.isfinite(found[0]):
            return InputError(f"{where}: {_expected(role, chosen.used)}.")
    return None


def _expected(role: str, names: Mapping[str, str]) -> str:
    return f"{_EXPECTED[role]} is expected in the column '{names[role]}'"
