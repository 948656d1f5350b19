"""The book of what fits of the same ratings have spent: a file to which lines are only added.

A book is about one body of ratings and one relation, and has one budget. Its first line says so;
each fit adds a line before it draws any noise, and, when its model is written, another with the
digest of that model. So a fit that is killed in between counts as spent. What a book cannot see are
fits that were not entered.

A line is a JSON object with the digest of itself and of the line before. Digests have no key: they
find a line that was changed, left out or put in, and not a file that was cut off or made anew. Half
a line was cut off while it was written, before any noise was drawn, and does not count; a line that
lacks nothing but its end does, as an editor may have taken that.
"""

import fcntl
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from dpmc import __version__
from dpmc.errors import InputError, ParameterError
from dpmc.files import content_digest, file_digest, flush, naming
from dpmc.mechanisms import Gaussian, Laplace
from dpmc.privacy.guarantee import ACCOUNTANTS, ROUNDING
from dpmc.privacy.relations import check_relation
from dpmc.privacy.spending import Cost, keeps, left, total
from dpmc.publication.folder import describe_law

FORMAT = "dpmc-ledger-1"
_START = f'{{"format": "{FORMAT}"'.encode()
PATIENCE = 120.0
"""Seconds that a fit waits for others, each of which has the file while it adds up what is spent:
whoever may read a file can lock it, for ever."""
NOISES = {each.__name__.lower(): each for each in (Gaussian, Laplace)}


@dataclass(frozen=True)
class Entry:
    """One fit.

    Attributes
    ----------
    at : str
        When it was entered, UTC.
    method : str
    cost : Cost
    model : str or None
        SHA-256 of its ``guarantee.json``; None: it was killed or failed, or still runs.
    """

    at: str
    method: str
    cost: Cost
    model: str | None = None


@dataclass(frozen=True)
class Pages:
    """What a book says.

    Attributes
    ----------
    relation : str
        A key of :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        The budget.
    entries : tuple of Entry
        The earliest first.
    digest : str
        Of the last line, and so of all.
    """

    relation: str
    epsilon: float
    delta: float
    entries: tuple[Entry, ...]
    digest: str

    @property
    def costs(self) -> list[Cost]:
        """Of all entries."""
        return [each.cost for each in self.entries]

    def spent(self) -> tuple[float, str]:
        """Return the epsilon that all entries keep to together at the budget's delta, and how it is
        accounted for (a key of :data:`dpmc.privacy.guarantee.ACCOUNTANTS`)."""
        return total(self.costs, self.delta)

    def left(self) -> float:
        """Return the largest epsilon of one more fit like the last one; 0: there is none.

        If there is no entry yet, that is all of it.
        """
        if not self.entries:
            return self.epsilon
        return left(self.costs, self.epsilon, self.delta, self.costs[-1])

    def sentence(self) -> str:
        """Return what was spent in words."""
        spent, accountant = self.spent()
        return (
            f"epsilon {up(spent)} of {self.epsilon:g} at delta {self.delta:g}, accounted "
            f"{ACCOUNTANTS[accountant]}"
        )


@dataclass
class Book:
    """A book, for one fit.

    Attributes
    ----------
    path : Path
        Of its file, which need not exist yet.
    relation, method : str
    cost : Cost
        Of the fit.
    budget : (float, float) or None
        Epsilon and delta: needed by a new book, and else what it was begun with.
    """

    path: Path
    relation: str
    method: str
    cost: Cost
    budget: tuple[float, float] | None = None
    _entry: int = 0
    _entered: bytes = b""

    def check(self, *, simulated: bool) -> None:
        """Refuse a fit that would overspend, unless it is simulated; :meth:`enter` does so again.

        Raises
        ------
        InputError
            The same; or something else is in the file, it was changed, it is about another relation
            or has another budget, or it is new and without a budget.
        """
        pages = self._pages(_read(self.path) if self.path.exists() else b"")
        if not simulated:
            self._refuse_beyond(pages)

    def enter(self) -> None:
        """Write down what the fit costs, on the disk, or refuse it. Other processes have to wait.

        A line on standard error says that the book is new, which one whose name is misspelt is too.

        Raises
        ------
        InputError
            As :meth:`check`, or the file cannot be written or locked.
        """
        with self._open(os.O_CREAT) as (stored, append):
            pages = self._pages(stored)
            self._refuse_beyond(pages)
            cost, lines = self.cost, []
            if not stored:
                budget = {"epsilon": pages.epsilon, "delta": pages.delta}
                lines.append({"format": FORMAT, "relation": pages.relation, **budget})
            self._entry = len(pages.entries) + 1
            lines.append(
                {
                    "entry": self._entry,
                    "at": _now(),
                    "method": self.method,
                    "epsilon": cost.epsilon,
                    "delta": cost.delta,
                    "noise": describe_law(cost.noise),
                    "releases": cost.releases,
                    "list_delta": cost.list_delta,
                    "dpmc": __version__,
                }
            )
            self._entered = (stored + append(lines)).rstrip()
        if not stored and sys.stderr is not None:
            bar = "\r" if sys.stderr.isatty() else ""  # which this is written over
            new = f"{self.path} is a new ledger: no earlier fit of these ratings is in it."
            print(f"{bar}dpmc: {new}", file=sys.stderr, flush=True)

    def name(self, guarantee: Path) -> None:
        """Write down which model the entry was for: the digest of the file of its guarantee."""
        with self._open(0) as (stored, append):
            if not stored.startswith(self._entered):
                raise InputError(f"{self.path} was replaced by another while the fit ran.")
            append([{"of": self._entry, "at": _now(), "model": file_digest(guarantee)}])

    def if_stopped(self) -> str:
        """Return what a fit that is stopped now has spent, in words."""
        if not self._entry:
            return f"Nothing was spent of {self.path}."
        return f"{self.path}, entry {self._entry}, counts as spent."

    def sentence(self) -> str:
        """Return what was spent in words; of a fit that was not entered, what it would be."""
        pages = self._pages(_read(self.path) if self.path.exists() else b"")
        if self._entry:
            return f"{self.path}, entry {self._entry}: spent so far {pages.sentence()}."
        together = [*pages.costs, self.cost]
        verdict = "within" if keeps(together, pages.epsilon, pages.delta) else "beyond"
        return (
            f"{self.path}: not entered, because simulated noise is not for publication. With noise "
            f"for publication this fit would bring it to epsilon "
            f"{up(total(together, pages.delta)[0])} at delta {pages.delta:g}, {verdict} the budget "
            f"of {pages.epsilon:g}."
        )

    def _refuse_beyond(self, pages: Pages) -> None:
        together = [*pages.costs, self.cost]
        if keeps(together, pages.epsilon, pages.delta):
            return
        most = left(pages.costs, pages.epsilon, pages.delta, self.cost)
        raise InputError(
            f"This fit would bring {self.path} to epsilon {up(total(together, pages.delta)[0])} at "
            f"delta {pages.delta:g}, beyond its budget of {pages.epsilon:g}, of which "
            f"{up(pages.spent()[0])} is spent: a fit like this one may have an epsilon of at most "
            f"{down(most)}. Nothing was spent."
        )

    def _pages(self, stored: bytes) -> Pages:
        """Return what the file says; of a new one, what its first line will say."""
        if not stored:
            if self.budget is None:
                raise ParameterError(
                    "There is no {ledger} {path} yet: give {budget} too, the epsilon and delta "
                    "that all fits of these ratings may spend together.",
                    path=self.path,
                )
            return Pages(self.relation, *self.budget, (), "")
        pages = _pages_of(stored, self.path)
        if pages.relation != self.relation:
            raise ParameterError(
                "{path} is about the relation {its}, and this fit about {mine}; such guarantees do "
                "not add up: give a {ledger} of its own to each relation.",
                path=self.path,
                its=pages.relation,
                mine=self.relation,
            )
        if self.budget not in (None, (pages.epsilon, pages.delta)):
            raise ParameterError(
                "{path} was begun with the budget epsilon {epsilon:g}, delta {delta:g}, which "
                "cannot be changed: leave out {budget}.",
                path=self.path,
                epsilon=pages.epsilon,
                delta=pages.delta,
            )
        return pages

    @contextmanager
    def _open(self, flags: int) -> Iterator[tuple[bytes, Callable]]:
        """Yield what is stored, and what appends lines; meanwhile no other fit has the file."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | flags, 0o600)
        except OSError as error:
            raise InputError(f"{self.path} cannot be written: {error.strerror}.") from None
        try:
            _lock(descriptor, self.path)
            if not _is_still(self.path, descriptor):
                raise InputError(
                    f"{self.path} was replaced by another just now: look which of them is the "
                    "ledger of these ratings."
                )
            with open(descriptor, "rb", closefd=False) as stream:
                stored = _whole_lines(stream.read(), self.path)
            yield stored, partial(self._append, descriptor, stored)
        finally:
            os.close(descriptor)

    def _append(self, descriptor: int, stored: bytes, lines: list[dict]) -> bytes:
        """Put lines on the disk, all of them or none, and return what was added."""
        added = _text_of(lines, _pages_of(stored, self.path).digest if stored else "")
        if stored and not stored.endswith(b"\n"):
            added = b"\n" + added
        text = added
        with naming(self.path):
            if os.fstat(descriptor).st_size > len(stored):  # of a line that was cut off
                os.ftruncate(descriptor, len(stored))  # refused where a file may only grow
            try:
                while text:
                    text = text[os.write(descriptor, text) :]
                os.fsync(descriptor)
                flush(self.path.resolve().parent)  # which may have got a new name
            except OSError:
                os.ftruncate(descriptor, len(stored))
                raise
        return added


def read(path: str | os.PathLike) -> Pages:
    """Return what a book says.

    Raises
    ------
    InputError
        There is none, something else is in the file, or it was changed.
    """
    return _pages_of(_read(Path(path)), Path(path))


def _read(path: Path) -> bytes:
    try:
        return _whole_lines(path.read_bytes(), path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def _lock(descriptor: int, path: Path) -> None:
    """Lock a file as soon as nobody else has it."""
    late = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > late:
                raise InputError(
                    f"{path} was not written, because {_holder(descriptor)} has had it locked for "
                    f"{PATIENCE:g} s, and a fit does for moments: end it if it is no fit, and let "
                    "only those read the file who may fit."
                ) from None
            time.sleep(0.05)
        except OSError as error:
            raise InputError(
                f"{path} cannot be locked ({error.strerror}), so that two fits could spend the "
                "same budget: keep it on another file system."
            ) from None


def _holder(descriptor: int) -> str:
    """Return which processes have locked a file, as far as the system tells."""
    status = os.fstat(descriptor)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:  # not Linux
        locks = []
    found = [f"process {each[4]}" for each in locks if each[1] == "FLOCK" and each[5] == device]
    return " and ".join(found) or "another process"


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _whole_lines(stored: bytes, path: Path) -> bytes:
    """Return a file without a line that was cut off; refuse one that may be something else."""
    end = stored.rfind(b"\n") + 1
    try:
        json.loads(stored[end:])
        return stored
    except ValueError:
        if end == 0 and not _START.startswith(stored[: len(_START)]):
            raise InputError(f"{path} is no ledger of dpmc fit.") from None
        return stored[:end]


def _text_of(lines: list[dict], before: str) -> bytes:
    """Return lines as they are stored, after one whose digest is ``before``."""
    text = ""
    for line in lines:
        line = {**line, "before": before}
        before = content_digest(line)
        text += json.dumps({**line, "digest": before}, allow_nan=False) + "\n"
    return text.encode()


def _pages_of(stored: bytes, path: Path) -> Pages:
    """Return what the lines of a file say."""
    (first, *others), digest = _checked(stored, path)
    try:
        entries: list[Any] = []
        for line in others:
            if "model" in line:
                of = line["of"] - 1
                entries[of] = replace(entries[of], model=line["model"])
            else:
                entries.append(Entry(line["at"], line["method"], _cost_of(line)))
        relation, budget = check_relation(first["relation"]), (first["epsilon"], first["delta"])
        return Pages(relation, *budget, tuple(entries), digest)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path} is no ledger of dpmc fit ({error}).") from None


def _cost_of(line: Mapping) -> Cost:
    law = dict(line["noise"])
    noise = NOISES[law.pop("law")](**law)
    return Cost(line["epsilon"], line["delta"], noise, line["releases"], line["list_delta"])


def _checked(stored: bytes, path: Path) -> tuple[list[dict], str]:
    """Return the lines of a file, and the digest of the last one; refuse what was changed."""
    lines, before = [], ""
    for number, text in enumerate(stored.splitlines(), start=1):
        try:
            line = json.loads(text)
            digest = line.pop("digest")
            whole = line["before"] == before and digest == content_digest(line)
        except (ValueError, KeyError, TypeError, AttributeError):
            line, whole = {}, False
        if number == 1 and line.get("format") != FORMAT:
            break
        if not whole:
            raise InputError(
                f"{path}, line {number}, is not as dpmc wrote it, or a line before it is missing: "
                "put back the file as it was, because without it nobody knows what was spent."
            )
        lines.append(line)
        before = digest
    if not lines:
        raise InputError(f"{path} is no ledger of dpmc fit.")
    return lines, before


def down(epsilon: float) -> str:
    """Return an epsilon as text, rounded down to four digits."""
    digits = 3 - math.floor(math.log10(epsilon)) if epsilon else 0
    return f"{math.floor(epsilon * 10**digits) / 10**digits:.4g}"


def up(epsilon: float) -> str:
    """Return an epsilon as text, rounded up to four digits, but for what counts as the same."""
    if not 0 < epsilon < math.inf:
        return f"{epsilon:g}"
    digits = 3 - math.floor(math.log10(epsilon))
    return f"{math.ceil(epsilon / ROUNDING * 10**digits) / 10**digits:.4g}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
