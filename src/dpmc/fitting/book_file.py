"""The file of a book: a SQLite database to which rows are added, but never changed.

Each row has the digest of the row before it, and the first row the digest of the last. Digests have
no key. They reveal rows that were changed, removed or inserted, but not that all digests were
recomputed or that the file is an older copy.

SQLite locks the file and rolls back incomplete writes. A row that was added survives a power loss
(``synchronous=EXTRA``).
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import ADVICE, atomic_path, content_digest, flush

try:
    import sqlite3
except ModuleNotFoundError:
    raise InputError(
        "A ledger needs the module sqlite3, which this Python was built without: use another one."
    ) from None

APPLICATION, VERSION = int.from_bytes(b"dpmc"), 1
"""By which SQLite and others know the file, and which of its formats it is."""
_TIME = "TEXT NOT NULL CHECK (length(at) = 20 AND at NOT GLOB '*[^-0-9TZ:]*')"
_NUMBERS = """epsilon REAL NOT NULL CHECK (epsilon BETWEEN 1e-9 AND 1e15),
    delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1)"""
SCHEMA = [
    # numbers that dpmc fit can write, so that what is spent can be computed of all of them
    f"""CREATE TABLE budget (
    at {_TIME},
    relation TEXT NOT NULL CHECK (
        relation IN ('user_add_remove', 'user_replace', 'entry_add_remove', 'entry_change')),
    {_NUMBERS},
    last TEXT NOT NULL -- digest of the row that was added last, to whichever table
) STRICT""",
    f"""CREATE TABLE fits (
    entry INTEGER PRIMARY KEY CHECK (entry >= 1),
    at {_TIME},
    method TEXT NOT NULL CHECK (method <> '' AND method NOT GLOB '*[^a-z_]*'),
    {_NUMBERS},
    noise TEXT NOT NULL CHECK (noise IN ('gaussian', 'laplace')),
    scale REAL NOT NULL CHECK (scale BETWEEN 1e-16 AND 1e20), -- at sensitivity 1
    releases REAL NOT NULL CHECK (releases BETWEEN 1 AND 1e12),
    list_delta REAL NOT NULL CHECK (list_delta >= 0 AND list_delta <= delta),
    dpmc TEXT NOT NULL,
    before TEXT NOT NULL -- digest of the row that was added before, to whichever table
) STRICT""",
    f"""CREATE TABLE models (
    entry INTEGER PRIMARY KEY REFERENCES fits,
    at {_TIME},
    model TEXT NOT NULL CHECK (length(model) = 64 AND model NOT GLOB '*[^0-9a-f]*'),
    before TEXT NOT NULL
) STRICT""",
]
PATIENCE = 120.0
"""Seconds that a fit waits for others, each of which has the file while it adds up what is spent:
whoever may read a file can lock it, for ever."""
CHANGED = (
    "{} is not as dpmc wrote it: put back the file as it was, because without it nobody knows what "
    "was spent."
)
OTHER = "{} is no ledger of dpmc fit."
REPLACED = "{} was replaced meanwhile: look which file is the ledger of these ratings."


class BookFile:
    """The file of a book within a transaction.

    Attributes
    ----------
    budget : sqlite3.Row
    fits, models : list of sqlite3.Row
        In the order of their entries.
    digests : list of str
        Digests of all rows, in the order in which they were added.

    Raises
    ------
    InputError
        It is something else, or was changed.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path):
        def ask(*questions: str) -> list[sqlite3.Row]:
            return [row for each in questions for row in connection.execute(each)]

        self._connection = connection
        made_by = ask("PRAGMA application_id", "PRAGMA user_version")
        if [each[0] for each in made_by] != [APPLICATION, VERSION]:
            raise InputError(OTHER.format(path))
        if [each[0] for each in ask("SELECT sql FROM sqlite_schema ORDER BY rowid")] != SCHEMA:
            raise InputError(CHANGED.format(path))  # before anything in it is evaluated
        # each value, too: somebody may have told SQLite not to look at conditions
        found = ask("PRAGMA integrity_check", "PRAGMA foreign_key_check")
        budgets, self.fits, self.models = (
            ask(f"SELECT * FROM {table} ORDER BY rowid") for table in ("budget", "fits", "models")
        )
        if [each[0] for each in found] != ["ok"] or len(budgets) != 1:
            raise InputError(CHANGED.format(path))
        (self.budget,) = budgets
        self.digests = [_digest_of(self.budget)]
        rows = self.fits + self.models
        follows = {row["before"]: row for row in rows}
        while self.digests[-1] in follows:
            self.digests.append(_digest_of(follows.pop(self.digests[-1])))
        if len(self.digests) != 1 + len(rows) or self.digests[-1] != self.budget["last"]:
            raise InputError(CHANGED.format(path))

    def add(self, table: str, **values: object) -> str:
        """Add a row, and return its digest."""
        return _add(self._connection, table, before=self.digests[-1], **values)


@contextmanager
def opened(path: Path, *, adding: bool = False) -> Iterator[BookFile]:
    """Yield an existing file; rows added in the block are stored at its end, all or none.

    With ``adding``, other processes have to wait.
    """
    with _in_words(path, "written" if adding else "read"):
        place = _place(path)
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(OTHER.format(path))
        with _connected(place) as connection:
            connection.execute("BEGIN IMMEDIATE" if adding else "BEGIN")
            yield BookFile(connection, path)
            connection.execute("COMMIT")
            if not (path.exists() and os.path.samestat(found, path.stat())):
                raise InputError(REPLACED.format(path))


def begin(path: Path, relation: str, epsilon: float, delta: float) -> bool:
    """Begin a book, whole or not at all; return False if another process has done so meanwhile."""
    place = _place(path)
    journal = Path(f"{place}-journal")
    # SQLite would write it back into the new file; unless another process has begun one just now
    if journal.exists() and not place.exists():
        raise InputError(
            f"{journal} is part of a ledger that is not there: put that back, or remove both."
        )
    with _in_words(path, "written"):
        try:
            with atomic_path(place, private=True, replace=False) as new, _connected(new) as made:
                made.execute("BEGIN")
                made.execute(f"PRAGMA application_id={APPLICATION}")
                made.execute(f"PRAGMA user_version={VERSION}")
                for table in SCHEMA:
                    made.execute(table)
                budget = {"relation": relation, "epsilon": epsilon, "delta": delta}
                _add(made, "budget", **budget, last="")
                made.execute("COMMIT")
        except FileExistsError:
            return False
        flush(place.parent)  # which has got a new name
        return True


def _place(path: Path) -> Path:
    """Return the file that links may lead to: SQLite's journal is beside that."""
    return Path(os.path.realpath(path))


@contextmanager
def _connected(place: Path) -> Iterator[sqlite3.Connection]:
    """Yield a file that exists as a database whose transactions are on the disk when they end."""
    if sqlite3.sqlite_version_info < (3, 37):
        raise InputError(
            f"A ledger needs SQLite 3.37 or later, and this Python has {sqlite3.sqlite_version}: "
            "use another Python."
        )
    file = f"{place.as_uri()}?mode=rw"  # else sqlite3 makes one that is not there
    with closing(sqlite3.connect(file, PATIENCE, uri=True, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=DELETE")  # another program may have changed it
        connection.execute("PRAGMA synchronous=EXTRA")
        yield connection


@contextmanager
def _in_words(path: Path, done: str) -> Iterator[None]:
    """Let what the file system or SQLite refuses end in a sentence."""
    try:
        yield
    except OSError as error:
        why = ADVICE.get(error.errno or 0, error.strerror)
        raise InputError(f"{path} cannot be {done}: {why}.") from None
    except sqlite3.Error as error:
        sentences = {
            "SQLITE_NOTADB": OTHER,
            "SQLITE_CORRUPT": CHANGED,
            "SQLITE_READONLY_DBMOVED": REPLACED,
            "SQLITE_BUSY": "{} cannot be {done}, because another process has had it locked for "
            f"{PATIENCE:g} s, and a fit does for moments: end it if it is no fit, and let only "
            "those read the file who may fit.",
            "SQLITE_FULL": f"{{}} cannot be {{done}}: {ADVICE[errno.ENOSPC]}.",
            "": "{} cannot be {done} ({error}): look whether you may write it and its folder.",
        }
        name = getattr(error, "sqlite_errorname", "")
        sentence = next(text for start, text in sentences.items() if name.startswith(start))
        raise InputError(sentence.format(path, done=done, error=error)) from None


def _add(connection: sqlite3.Connection, table: str, **values: object) -> str:
    """Add a row and return its digest, which is that of what SQLite has made of the values."""
    values["at"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    insert = f"INSERT INTO {table} ({names}) VALUES ({marks})"
    number = connection.execute(insert, tuple(values.values())).lastrowid
    (row,) = connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,))
    digest = _digest_of(row)
    connection.execute("UPDATE budget SET last = ?", (digest,))
    return digest


def _digest_of(row: sqlite3.Row) -> str:
    named = zip(row.keys(), row, strict=True)
    return content_digest({name: value for name, value in named if name != "last"})
