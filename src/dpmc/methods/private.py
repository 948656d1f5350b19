"""The base of all calibrated methods: budget in, noise out, bounds enforced, guarantee stated."""

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property, partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import (
    Method,
    check_count,
    check_generator,
    choice,
    positive,
    with_parameters,
)
from dpmc.methods.blocks import Change, LabelledBlocks, counted, in_blocks
from dpmc.methods.kernels.private import column_counts
from dpmc.methods.private_choice import Keyed, Seeded, secret_generator
from dpmc.methods.private_statistics import Statistics
from dpmc.methods.publishable import Publishable
from dpmc.privacy.guarantee import Guarantee, ItemList, covered
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_LEVEL, check_relation
from dpmc.privacy.selection import Selection
from dpmc.privacy.sensitivity import NORMS, Sensitivities
from dpmc.privacy.sums import MOST_USERS
from dpmc.ratings import Compressed, Ratings

EVERY_RATING = int(np.iinfo(np.int32).max)
"""More ratings than a user can have: all count, where something else bounds their effect."""

TINY = 1e-30
"""Settings of a published fit are not smaller, nor larger than its inverse: their squares and the
products of several stay far from where floating-point numbers end, and clipping would fail."""

SMALLEST_RANGE = 1e-9
"""Length of a rating range as a share of its larger end: half of the digits are left."""


@with_parameters
class PrivateMethod(Publishable, Method):
    """A model that keeps to a privacy budget.

    Ratings are clipped to a public range and centred on its middle. At user level at most k ratings
    of each user count. Each user's own randomness chooses them, so that no choice depends on other
    users. The model learns from the ratings only through
    :class:`dpmc.methods.private_statistics.Statistics`, a fixed number of times and in public
    shapes: the shape of the matrix, or at user level only the number of items. The noise of a
    release is its sensitivity times the noise that :func:`dpmc.privacy.calibration.calibrate` gives
    for this number of releases.

    With simulated noise a fit is repeatable: ``rng`` and ``noise_rng`` seed it. With noise for
    publication it must not be, so generators and seeds are refused. The operating system's random
    bits then give the noise, the choice and the start (:class:`dpmc.methods.private_choice.Keyed`),
    and ratings need labels of users.

    Predictions are item offset + user factors . item factors, clipped to the public range. A fit
    without ratings is allowed, because refusing it would reveal that there are none.

    Parameters
    ----------
    relation : str
        Difference between neighbouring data sets, see :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        Budget of the whole fit.
    mechanism : {"gaussian", "laplace", "huber"}
    norm : {1, 2}, optional
        Norm of sensitivities, see :func:`dpmc.privacy.calibration.calibrate`.
    rating_range : (float, float)
        Lowest and highest rating, known without looking at the ratings. Others are clipped to it.
    ratings_per_user : int
        k, at user level and only there.

    Attributes
    ----------
    item_offsets_ : float64 array, shape (n_items,)
    user_factors_ : float64 array, shape (n_users, rank)
    item_factors_ : float64 array, shape (n_items, rank)
    guarantee_ : dpmc.privacy.guarantee.Guarantee
    bounds : dpmc.privacy.sensitivity.Sensitivities
    """

    relation: str
    epsilon: float = positive()
    rating_range: tuple[float, float]
    delta: float = positive(1e-5, zero=True)
    mechanism: str = choice(tuple(NORMS), "gaussian")
    norm: int | None = None
    ratings_per_user: int | None = None

    threads = 1
    """That work for users at the same time. Nothing that is learnt depends on it."""

    by_blocks = False
    """Whether :meth:`fit` takes ratings by blocks (:class:`dpmc.methods.blocks.LabelledBlocks`), so
    that they need not be in memory."""

    def __new__(cls, **settings):
        self = super().__new__(cls)
        self._constructed_with = settings
        return self

    def __post_init__(self):
        super().__post_init__()
        self.relation = check_relation(self.relation)
        self.rating_range = check_range(self.rating_range)
        self.ratings_per_user = check_ratings_per_user(self.relation, self.ratings_per_user)
        self.bounds = self._bounds(1.0)

    @property
    @abstractmethod
    def releases(self) -> int:
        """Number of noised statistics that a fit releases, known before it sees any data."""

    planned: ClassVar[tuple[str, ...]] = ()
    """Names of the settings that :meth:`item_sensitivities` depends on."""

    def item_sensitivities(self, bounds: Sensitivities) -> dict[str, float]:
        """Return the sensitivities of the statistics of items, for given bounds.

        None if the method's earlier releases bound its later statistics.
        """
        return {}

    @property
    def n_factors(self) -> int:
        """Columns of ``item_factors_`` and ``user_factors_``."""
        return self.rank

    @cached_property
    def calibration(self):
        """The noise that the budget asks for (:class:`dpmc.privacy.calibration.Calibration`)."""
        from dpmc.privacy.calibration import calibrate

        return calibrate(
            self.mechanism,
            releases=self.releases,
            epsilon=self.epsilon,
            delta=self.delta,
            norm=self.norm,
        )

    def _bounds(self, factor_bound: float) -> Sensitivities:
        low, high = self.rating_range
        return Sensitivities(
            relation=self.relation,
            mechanism=self.mechanism,
            half_range=(high - low) / 2,
            factor_bound=factor_bound,
            ratings_per_user=self.ratings_per_user,
            norm=self.norm,
        )

    @property
    def centre(self) -> float:
        """Middle of the public range."""
        return sum(self.rating_range) / 2

    @abstractmethod
    def _fit(self, ratings, statistics, randomness, callback) -> None:
        """Learn from clipped and centred ratings through ``statistics``.

        ``randomness`` (:class:`dpmc.methods.private_choice.Seeded` or ``Keyed``) draws the start
        and chooses which ratings of each user count.
        """

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None, ledger=None, selection=None):
        """Fit the model within its budget and return it.

        Parameters
        ----------
        ratings : Ratings, or LabelledBlocks where the method takes them
            Not modified. Their order does not matter.
        rng : numpy.random.Generator or int, optional
            Draws the start and, at user level, which ratings of each user count; needed with
            simulated noise, and refused with noise for publication. An audit, which replays what a
            published fit does, gives a :class:`dpmc.methods.private_choice.Keyed` instead.
        noise_rng : numpy.random.Generator, optional
            Draws the noise; needed if there is no ledger. Or a seed.
        callback : callable, optional
            Called as ``callback(iteration, model)`` after each outer iteration, counted from 1.
        ledger : dpmc.privacy.ledger.Ledger, optional
            Used instead of simulated noise: to audit a fit, or for noise fit for publication.
        selection : dpmc.privacy.selection.Selection, optional
            The list of items is not public: choose it privately, through the same ledger. The
            model's own budget is then ``selection.fit_epsilon`` and ``fit_delta``, and the ledger
            is for :meth:`releases_with` it; ``guarantee_`` is that of all.

        Raises
        ------
        InputError
            Something else than ratings, a missing generator, a budget that cannot be met; with
            noise for publication also a generator or a seed, users without labels, or more of them
            (or, at entry level, of ratings) than :data:`dpmc.privacy.sums.MOST_USERS`.
        PrivacyViolation
            A bound did not hold, another number of releases was made, or noise for publication is
            not what the budget asks for: a fault of the program.
        """
        if not isinstance(ratings, Ratings | LabelledBlocks if self.by_blocks else Ratings):
            raise InputError(f"ratings must be dpmc.ratings.Ratings, got {type(ratings).__name__}.")
        if ledger is None:
            noise_rng = check_generator("noise_rng", noise_rng)
            noise = FloatNoise(self.calibration.noise, noise_rng)
            ledger = Ledger(noise, self.releases_with(selection))
        if selection is None and not ratings.n_items:
            raise InputError("There are no items: a fit needs their list, also without ratings.")
        self.__dict__.pop("guarantee_", None)  # a fit that fails has none
        if not ledger.noise.simulated:
            self._check_publication(ledger, ratings)
        randomness = self._randomness(ratings, rng, noise_rng, ledger)
        listed = None
        if selection is not None:
            ratings, listed = self._select(ratings, selection, ledger, randomness)
            randomness = randomness.of(ratings)
        self.user_labels_, self.item_labels_ = ratings.user_labels, ratings.item_labels
        self.shape_ = (ratings.n_users, ratings.n_items)
        noise = self.calibration.noise.std()
        statistics = Statistics(ledger, self.bounds, noise, self.threads)
        self._fit(ratings, statistics, randomness, callback)
        ledger.close()
        self.guarantee_ = self._guarantee(ledger)
        if selection is not None:
            self.guarantee_ = replace(
                self.guarantee_, epsilon=selection.epsilon, delta=selection.delta, listed=listed
            )
        return self

    def releases_with(self, selection: Selection | None) -> float:
        """Return the joint cost of a fit and a private choice of items, in releases of the fit."""
        return self.releases if selection is None else selection.releases(self.releases)

    def _select(self, ratings, selection, ledger, randomness) -> tuple[Ratings, ItemList]:
        """Return the ratings of the items that are listed, by label, and how these were found."""
        if self.mechanism != "gaussian":
            raise InputError("A private choice of items needs gaussian noise.")
        mine, its = ((each.relation, each.ratings_per_user) for each in (self.bounds, selection))
        if mine != its:
            raise InputError(
                "A private choice of items needs the relation and the number of ratings of a user "
                f"of the model, {mine[0]} and {mine[1]}, got {its[0]} and {its[1]}."
            )
        if ratings.item_labels is None:
            raise InputError("A private choice of items needs ratings with item_labels.")
        together = self.releases_with(selection) ** 0.5 * selection.noise_multiplier
        # both draw from one ledger with one noise, which must be as large as both together need
        if not self.calibration.noise.std() >= together * (1 - 1e-9):
            raise PrivacyViolation("the noise is not that of the share left by the choice of items")
        rows = in_blocks(ratings, self.threads)
        rows = rows.then(randomness.choices(selection.ratings_per_user))
        counts = counted(partial(_rated, self.bounds, ratings.n_items), rows).astype(float)
        items, threshold = selection.select(ratings.item_labels, counts, ledger)
        if not items.size:
            raise InputError(
                "No item was rated by enough users to be listed privately: with noise of standard "
                f"deviation {selection.noise_std:.3g} it takes {threshold:.0f}; give a larger "
                "share, epsilon or delta, or a public list of items. The share is spent."
            )
        found = ItemList(selection.share, selection.list_delta, selection.noise_std, threshold)
        return ratings.take_items(items), found

    def _randomness(self, ratings, rng, noise_rng, ledger) -> Seeded | Keyed:
        if ledger.noise.simulated:
            return rng if isinstance(rng, Keyed) else Seeded(check_generator("rng", rng))
        if rng is not None or noise_rng is not None:
            raise InputError(
                "A fit with noise for publication takes neither rng nor noise_rng, because whoever "
                "knows them could undo it: leave them out, or simulate the noise."
            )
        return Keyed.fresh(ratings) if self.bounds.user_level else Seeded(secret_generator())

    def _check_publication(self, ledger: Ledger, ratings: Ratings) -> None:
        """Refuse what a guarantee of published results cannot rest on, before any release."""
        self.check_settings()
        if getattr(ledger.noise, "mechanism", None) != self.calibration.noise:
            raise PrivacyViolation(
                f"noise for publication must be {self.calibration.noise}, as calibrated"
            )
        if isinstance(ratings, Ratings):  # blocks have labels that were checked
            _check_labels(ratings)
        what = "users" if self.bounds.user_level else "ratings"
        number = ratings.n_users if self.bounds.user_level else len(ratings)
        if number > MOST_USERS:
            raise InputError(
                f"There are {number} {what}, and exact noise is for {MOST_USERS} at most: leave "
                "some out at random, or fit with simulated noise, which is not for publication."
            )

    def check_settings(self) -> None:
        """Refuse settings that no guarantee of published results can rest on, without the ratings.

        InputError names a setting that was changed after the noise was made for it, or one so small
        or large that numbers would over- or underflow and clipping would fail.
        """
        # the noise was calibrated for the settings at construction: whoever changed one since would
        # publish with noise of another budget
        anew = type(self)(**self._constructed_with)
        changed = [name for name, value in vars(anew).items() if vars(self).get(name) != value]
        changed += ["calibration"] * (anew.calibration != self.calibration)
        if changed:
            raise InputError(
                f"{changed[0]} was changed after construction, and the noise was not: make another "
                "model."
            )
        if self.norm not in (None, NORMS[self.mechanism]):
            raise InputError(
                f"norm must be {NORMS[self.mechanism]} in a fit for publication with "
                f"{self.mechanism} noise: what is proven for the other is about continuous noise."
            )
        for name, value in vars(self).items():
            numbers = value if name == "rating_range" else (value,)
            sizes = [abs(each) for each in numbers if isinstance(each, float) and each]
            budget = name in ("epsilon", "delta")
            if not budget and any(not TINY <= size <= 1 / TINY for size in sizes):
                raise InputError(
                    f"{name} must lie between {TINY:g} and {1 / TINY:g} in a fit for publication, "
                    f"or clipping fails for rounding; got {value!r}."
                )

    def _guarantee(self, ledger) -> Guarantee:
        return Guarantee(
            relation=self.relation,
            epsilon=self.epsilon,
            delta=self.delta,
            mechanism=self.mechanism,
            noise_multiplier=self.calibration.noise.std(),
            accountant=self.calibration.accountant,
            releases=self.releases,
            publishable=covered(self.relation),
            simulated=ledger.noise.simulated,
        )

    def __str__(self) -> str:
        """Return the guarantee as a sentence, once there is one."""
        name = type(self).__name__
        if not hasattr(self, "guarantee_"):
            return f"{name}, not fitted: no guarantee yet."
        return f"{name}: {self.guarantee_.sentence()}"

    def _chosen(self, ratings: Ratings, randomness) -> Compressed:
        """Return the ratings that count, by user, clipped to the public range and centred."""
        rows = ratings.by_user
        if self.bounds.user_level:
            rows = randomness.choose(rows, self.ratings_per_user)
        return self._bounded(rows)

    @property
    def _bounding(self) -> Change:
        """The function that clips the ratings of a block to the public range and centres them."""
        return partial(bounded, self.rating_range, self.centre)

    def _bounded(self, rows: Compressed) -> Compressed:
        return self._bounding(0, rows)

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        matrix = self.user_factors_ @ self.item_factors_.T
        matrix += self.item_offsets_
        return np.clip(matrix, *self.rating_range, out=matrix)

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        return np.clip(products + self.item_offsets_[items], *self.rating_range)


def bounded(rating_range: tuple[float, float], centre: float, first: int, rows: Compressed):
    """Return the ratings of a block, clipped to a range, less its centre."""
    clipped = rows.clipped(*rating_range)
    return clipped.with_values(clipped.values - centre)


def _rated(bounds, n_items, first, rows):
    bounds.check_counts(rows.sizes)
    return column_counts(rows, n_items)


def _check_labels(ratings):
    for what, labels in (("user", ratings.user_labels), ("item", ratings.item_labels)):
        if labels is not None and len(set(np.asarray(labels).tolist())) < len(labels):
            raise InputError(f"Two {what}s have the same label: number each of them once.")


def check_range(rating_range) -> tuple[float, float]:
    """Return a public rating range as floats, or raise InputError."""
    try:
        low, high = rating_range
        numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in (low, high))
    except (TypeError, ValueError):
        numbers = False
    if not numbers or not -np.inf < low < high < np.inf:
        raise InputError(
            "rating_range must be two numbers, the lowest and the highest rating, known without "
            "looking at the ratings: the noise is scaled to it, and a range taken from the data "
            f"would give its extremes away; got {rating_range!r}."
        )
    low, high = float(low), float(high)
    if not high - low >= SMALLEST_RANGE * max(abs(low), abs(high)):
        raise InputError(
            f"rating_range must be no shorter than {SMALLEST_RANGE:g} of its larger end, or "
            f"rounding hides the ratings and moves bounds; got {rating_range!r}."
        )
    return low, high


def check_ratings_per_user(relation: str, value: int | None) -> int | None:
    """Return k where the relation needs it, or raise InputError."""
    if relation not in USER_LEVEL:
        if value is not None:
            raise InputError(
                f"ratings_per_user has no meaning with the relation {relation}, which protects "
                f"single ratings; got {value!r}."
            )
        return None
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(
            "ratings_per_user must be an integer of at least 1, chosen without looking at the "
            "ratings: the noise is scaled to it, and the largest number in the data would give "
            f"away the user who has it; got {value!r}."
        )
    return check_count("ratings_per_user", value)
