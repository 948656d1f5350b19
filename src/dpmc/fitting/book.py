"""The book (ledger) of the budget that fits of the same ratings have spent.

A book records the fits of one body of ratings under one relation and one budget. Each fit is
entered before its first noise is drawn, so a fit that is killed counts as spent. When its model is
written, the digest of the model is added. A book cannot know of fits that were not entered.
"""

import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from dpmc import __version__
from dpmc.errors import InputError, ParameterError
from dpmc.files import file_digest
from dpmc.fitting.book_file import REPLACED, BookFile, begin, opened
from dpmc.mechanisms import Gaussian, Laplace
from dpmc.privacy.guarantee import ACCOUNTANTS, ROUNDING
from dpmc.privacy.spending import Cost, keeps, left, total

NOISES = {"gaussian": Gaussian, "laplace": Laplace}


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
    """The content of a book.

    Attributes
    ----------
    relation : str
        A key of :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        The budget.
    entries : tuple of Entry
        The earliest first.
    digests : tuple of str
        Digests of all rows in order; each is also a digest of all rows before it.
    """

    relation: str
    epsilon: float
    delta: float
    entries: tuple[Entry, ...] = ()
    digests: tuple[str, ...] = ()

    @property
    def costs(self) -> list[Cost]:
        """Costs of all entries."""
        return [each.cost for each in self.entries]

    def spent(self) -> tuple[float, str]:
        """Return the epsilon that all entries keep to together at the budget's delta, and how it is
        accounted for (a key of :data:`dpmc.privacy.guarantee.ACCOUNTANTS`)."""
        return total(self.costs, self.delta)

    def left(self) -> float:
        """Return the largest epsilon of one more fit like the last one; 0 if nothing is left.

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
        Path of the file, which need not exist yet.
    relation, method : str
    cost : Cost
        Cost of the fit.
    budget : (float, float) or None
        Epsilon and delta: needed by a new book, and else what it was begun with.
    entry : int
        Number of the fit's entry, from 1; 0 if it was not entered.
    """

    path: Path
    relation: str
    method: str
    cost: Cost
    budget: tuple[float, float] | None = None
    entry: int = 0
    _digest: str = ""

    def check(self, *, simulated: bool) -> None:
        """Refuse a fit that would overspend, unless it is simulated; :meth:`enter` does so again.

        Raises
        ------
        InputError
            The same; or something else is in the file, it was changed, it is about another relation
            or has another budget, or it is new and without a budget or a folder.
        """
        pages = self._pages()
        if not simulated:
            self._refuse_beyond(pages)

    def enter(self) -> None:
        """Enter the cost of the fit on disk, or refuse the fit. Other processes have to wait.

        A line on standard error says that the book is new, which one whose name is misspelt is too.

        Raises
        ------
        InputError
            As :meth:`check`, or the file cannot be written or locked.
        """
        pages = self._pages()
        self._refuse_beyond(pages)
        new = not pages.digests and begin(self.path, pages.relation, pages.epsilon, pages.delta)
        try:
            with opened(self.path, adding=True) as file:
                pages = self._own(_pages_of(file))
                # again, under the lock: another fit may have spent since
                self._refuse_beyond(pages)
                self.entry = len(pages.entries) + 1  # Ctrl-C from here on may come too late
                cost = self.cost
                self._digest = file.add(
                    "fits", entry=self.entry, method=self.method, epsilon=cost.epsilon,
                    delta=cost.delta, noise=type(cost.noise).__name__.lower(),
                    scale=cost.noise.scale, releases=cost.releases, list_delta=cost.list_delta,
                    dpmc=__version__,
                )  # fmt: skip
        except InputError:
            self.entry = 0
            raise
        if new and sys.stderr is not None:
            bar = "\r" if sys.stderr.isatty() else ""  # which this is written over
            said = f"{self.path} is a new ledger: no earlier fit of these ratings is in it."
            print(f"{bar}dpmc: {said}", file=sys.stderr, flush=True)

    def name(self, guarantee: Path) -> None:
        """Write down which model the entry was for: the digest of the file of its guarantee."""
        model = file_digest(guarantee)
        with opened(self.path, adding=True) as file:
            if self._digest not in file.digests:
                raise InputError(REPLACED.format(self.path))
            file.add("models", entry=self.entry, model=model)

    def if_stopped(self) -> str:
        """Return in words the budget that a fit has spent if it is stopped now."""
        if not self.entry:
            return f"Nothing was spent of {self.path}."
        return f"{self.path}, entry {self.entry}, counts as spent."

    def sentence(self) -> str:
        """Return in words the budget spent; for a fit that was not entered, what it would spend."""
        pages = self._pages()
        if self.entry:
            return f"{self.path}, entry {self.entry}: spent so far {pages.sentence()}."
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

    def _pages(self) -> Pages:
        """Return what the file says; if there is none yet, what it will say."""
        if os.path.exists(self.path):
            return self._own(read(self.path))
        # a misspelt name would be a new book with nothing spent: so it takes a budget to begin one
        if self.budget is None:
            raise ParameterError(
                "There is no {ledger} {path} yet: give {budget} too, the epsilon and delta "
                "that all fits of these ratings may spend together.",
                path=self.path,
            )
        folder = Path(os.path.realpath(self.path)).parent
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder} for a new ledger: make it first.")
        return Pages(self.relation, *self.budget)

    def _own(self, pages: Pages) -> Pages:
        """Return pages that this fit may be added to, or refuse it."""
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


def read(path: str | os.PathLike) -> Pages:
    """Return the content of a book.

    Raises
    ------
    InputError
        There is none, something else is in the file, or it was changed.
    """
    with opened(Path(path)) as file:
        return _pages_of(file)


def _pages_of(file: BookFile) -> Pages:
    named = {row["entry"]: row["model"] for row in file.models}
    entries = []
    for row in file.fits:
        noise = NOISES[row["noise"]](row["scale"])
        cost = Cost(row["epsilon"], row["delta"], noise, row["releases"], row["list_delta"])
        entries.append(Entry(row["at"], row["method"], cost, named.get(row["entry"])))
    relation, epsilon, delta = (file.budget[name] for name in ("relation", "epsilon", "delta"))
    return Pages(relation, epsilon, delta, tuple(entries), tuple(file.digests))


def down(epsilon: float) -> str:
    """Return an epsilon as text, rounded down to four digits."""
    digits = 3 - math.floor(math.log10(epsilon)) if epsilon else 0
    return f"{math.floor(epsilon * 10**digits) / 10**digits:.4g}"


def up(epsilon: float) -> str:
    """Return an epsilon as text, rounded up to four digits, up to rounding errors."""
    if not 0 < epsilon < math.inf:
        return f"{epsilon:g}"
    digits = 3 - math.floor(math.log10(epsilon))
    return f"{math.ceil(epsilon / ROUNDING * 10**digits) / 10**digits:.4g}"
