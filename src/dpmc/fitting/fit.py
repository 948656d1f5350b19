"""A fit for publication before, while and after it sees a rating."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmc.errors import NeedsALook, ParameterError
from dpmc.fitting.checks import checked
from dpmc.fitting.looks import Look
from dpmc.fitting.ratings import PreparedRatings
from dpmc.fitting.settings import make_model, method_of, selection_of, settings_of
from dpmc.methods.blocks import LabelledBlocks, cores, counted
from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed
from dpmc.privacy import policy
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.privacy.recommendation import Plan
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.release import GridNoise
from dpmc.privacy.selection import Selection
from dpmc.privacy.spending import Cost
from dpmc.publication.features import Features
from dpmc.ratings import Compressed, Ratings

if TYPE_CHECKING:
    from dpmc.fitting.book import Book


@dataclass(frozen=True)
class Fit:
    """Everything that a fit needs except ratings: a method within its budget, and its noise.

    Attributes
    ----------
    method : str
        A key of :data:`dpmc.fitting.parameters.METHODS`.
    model : PrivateMethod
    selection : Selection or None
        A private choice of items.
    rank : int or None
        If it was given.
    seed : int or None
        Seed of simulated noise; None: exact noise for publication.
    book : Book or None
        Book in which the fit is entered, unless it is simulated.
    stop_if_remarks : bool
        Whether a remark on the ratings ends the fit before anything is spent.
    """

    method: str
    model: Any
    selection: Selection | None
    rank: int | None
    seed: int | None
    book: "Book | None" = None
    stop_if_remarks: bool = False

    @property
    def rating_range(self) -> tuple[float, float] | None:
        """The range to which ratings are clipped; None for a ranking, which needs likes only."""
        return None if self.model.ranks else self.model.rating_range

    @property
    def rated(self) -> bool:
        """Whether a table has a column of ratings; without one, each row is a like."""
        return not self.model.ranks or self.model.likes_from is not None

    @property
    def names_users(self) -> bool:
        """Whether the publication names users, so that their list has to be public."""
        return self.model.relation not in USER_LEVEL

    @property
    def statistics(self) -> int:
        """Approximate number of statistics; a fit can release a few more or less."""
        planned = max(self.model.releases, getattr(self.model, "iterations", 0))
        return int(planned) + (self.selection is not None)

    @property
    def plan(self) -> Plan:
        """The facts about the noise before a fit."""
        model, settings = self.model, {"releases": self.model.releases}
        settings |= {name: getattr(model, name) for name in model.planned}

        def sensitivities(mechanism: str) -> dict[str, float]:
            return model.item_sensitivities(replace(model.bounds, mechanism=mechanism))

        return Plan(model.relation, self.method, model.releases, settings, sensitivities)

    def ledger(self) -> Ledger:
        """Return a ledger; noise too faint for a grid fails here, before the ratings are read.

        Noise for publication is drawn after the fit was entered in its book.
        """
        noise, releases = self.model.calibration.noise, self.model.releases_with(self.selection)
        if self.seed is not None:
            return Ledger(FloatNoise(noise, np.random.default_rng([self.seed, 1])), releases)
        exact = GridNoise(noise)
        # noise that no grid is fine enough for is refused here, while nothing is spent
        exact.add(np.zeros(1), 1.0)
        ledger = Ledger(exact, releases)
        if self.book is not None:
            ledger.begin = self.book.enter
        return ledger

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Add to errors in the block which entry of a book counts as spent, if there is one."""
        try:
            yield
        except BaseException as error:  # Ctrl-C, too
            if self.book is not None and self.book.entry:
                error.add_note(self.book.if_stopped())
            raise

    def run(
        self,
        ratings: Ratings | LabelledBlocks,
        ledger: Ledger,
        features: Features | None = None,
    ) -> None:
        """Fit the model, on all cores; a seed draws the start and the choice of ratings, too.

        If users are protected, the random choices depend on a keyed hash of the labels, as for
        publication, so the order of the users changes nothing. ``features`` is for methods that
        take ``item_features``.
        """
        selection, model = self.selection, self.model
        rng: np.random.Generator | Keyed | None = None
        if self.seed is not None:
            drawn = np.random.default_rng([self.seed, 0])
            rng = Keyed(ratings, drawn.bytes(32), drawn) if model.bounds.user_level else drawn
        model.threads = cores()
        more = {} if features is None else {"item_features": features}
        model.fit(ratings, rng=rng, ledger=ledger, selection=selection, **more)

    def look(self, prepared: PreparedRatings, features: Features | None = None) -> Look:
        """Return facts and remarks about the ratings before anything is spent: not private."""
        ratings, look = prepared.ratings, prepared.look
        if features is not None and self.selection is None:
            without = len(set(np.asarray(ratings.item_labels)).difference(features.labels))
            if without:
                look.remarks.append(f"{without} of {ratings.n_items} items have no features")
        look.remarks += self._odd_rank(ratings) + self._on_numbers(ratings)
        look.remarks += self._on_budget(ratings.n_users)
        at_once = self.model.delta * ratings.n_users
        look.facts["delta times the number of users"] = f"{at_once:.2g}"
        return look

    def stop_if_asked(self, look: Look) -> None:
        """Refuse to go on where a remark is to stop a fit; nothing is spent before."""
        if self.stop_if_remarks and look.remarks:
            count = len(look.remarks)
            remarks = "1 remark" if count == 1 else f"{count} remarks"
            raise NeedsALook(f"Stopped because of {remarks}; nothing was spent.")

    def objections(self, users: int | None = None) -> list[str]:
        """Return reasons not to publish the fit, given the number of users if it is known."""
        cost = cost_of(self.model, self.selection)
        return policy.objections(cost.epsilon, cost.delta, users)

    def _on_budget(self, users: int) -> list[str]:
        """Return what ``dpmc verify`` will say of the budget, before it is spent."""
        cost, against = cost_of(self.model, self.selection), self.objections(users)
        terms = (cost.noise, cost.releases, self.model.relation, cost.list_delta)
        small = policy.at_small_delta(cost.epsilon, cost.delta, *terms)
        refused = [policy.refusal("the model", against)] if against else []
        return policy.remarks(small, cost.delta) + refused

    def _odd_rank(self, ratings: Ratings | LabelledBlocks) -> list[str]:
        """Refuse a rank beyond a public number; to refuse it for another would tell that number."""
        remarks = []
        for what, count, public in (
            ("items", ratings.n_items, self.selection is None),
            ("users", ratings.n_users, self.names_users),
        ):
            if self.rank is None or count == 0 or self.rank <= count:
                continue
            if public:
                raise ParameterError(
                    "{rank} must be at most {count} for {count} {what}, got {value}.",
                    count=count,
                    what=what,
                    value=self.rank,
                )
            remarks.append(f"the rank {self.rank} is beyond the number of {what}, {count}")
        return remarks

    def _on_numbers(self, ratings: Ratings | LabelledBlocks) -> list[str]:
        model, remarks = self.model, []
        if model.ranks:
            ratings = model.likes(ratings)
        most = ratings.n_items if model.ratings_per_user is None else model.ratings_per_user
        number, unused = counted(partial(_numbers, most), ratings)
        if not number:
            remarks.append(f"there are no {'likes' if model.ranks else 'ratings'} to learn from")
        if unused:
            remarks.append(
                f"{unused} ratings beyond {most} a user have no part in the item factors"
            )
        return remarks


def _numbers(most: int, first: int, rows: Compressed) -> tuple[int, int]:
    """Return how many ratings there are, and how many beyond so many of a user."""
    return rows.values.size, np.maximum(rows.sizes - most, 0).sum()


def prepare(options: Mapping[str, Any]) -> Fit:
    """Return the fit that parameters ask for, or refuse them.

    Options are values of :data:`dpmc.fitting.parameters.PARAMETERS` by name; a missing one or None
    was not given. ``items_privately`` is an option; lists are not. A fit that would exceed its
    ledger's budget is refused, as is one for publication whose settings allow no guarantee.
    """
    options = checked(options)
    method, settings = method_of(options), settings_of(options)
    selection = selection_of(settings, options["items_privately"])
    model = make_model(method, settings, selection)
    seed, book = options["simulate"], None
    if seed is None:
        model.check_settings()
    if options["ledger"] is not None:
        from dpmc.fitting.book import Book  # the one part that needs SQLite

        cost = cost_of(model, selection)
        book = Book(Path(options["ledger"]), model.relation, method, cost, options["budget"])
        book.check(simulated=seed is not None)
    return Fit(method, model, selection, options["rank"], seed, book, options["stop_if_remarks"])


def cost_of(model: PrivateMethod, selection: Selection | None) -> Cost:
    """Return the cost of a fit, with a private choice of items if there is one."""
    noise, releases = model.calibration.noise, model.releases_with(selection)
    if selection is None:
        return Cost(model.epsilon, model.delta, noise, releases)
    return Cost(selection.epsilon, selection.delta, noise, releases, selection.list_delta)
