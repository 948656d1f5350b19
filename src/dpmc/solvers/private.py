"""What all calibrated solvers share: budget in, noise out, bounds enforced, guarantee stated."""

from abc import abstractmethod
from functools import cached_property
from numbers import Integral, Real

import numpy as np

from dpmc.errors import InputError
from dpmc.privacy.guarantee import Guarantee, covered
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_LEVEL, check_relation
from dpmc.privacy.sensitivity import NORMS, Sensitivities
from dpmc.ratings import Compressed, Ratings
from dpmc.solvers.base import Solver, check_choice, check_count, check_generator, check_positive
from dpmc.solvers.private_choice import choose_ratings
from dpmc.solvers.private_kernels import column_counts, column_sums, gram_sums, residual_sums


class PrivateSolver(Solver):
    """A model that keeps to a privacy budget.

    Ratings are clipped to a public range and centred on its middle; at user level at most k
    ratings of each user count, chosen by that user's own randomness, so that the choice of one
    does not depend on the others. Whatever is learnt of the ratings of others comes through
    :class:`Statistics`, a fixed number of times and in shapes that are public: that of the
    matrix, at user level only the number of items. The noise is that of
    :func:`dpmc.privacy.calibration.calibrate` for that number, times each sensitivity.

    Predictions are item offset + user factors . item factors, clipped to the public range.
    A fit without any ratings is possible, because to refuse it would tell something.

    Parameters
    ----------
    relation : str
        What neighbouring data sets differ in, see :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        Budget of the whole fit.
    mechanism : {"gaussian", "laplace", "huber"}
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

    item_offsets_: np.ndarray
    user_factors_: np.ndarray
    item_factors_: np.ndarray

    def __init__(self, *, relation, epsilon, delta, mechanism, rating_range, ratings_per_user):
        self.relation = check_relation(relation)
        self.epsilon = check_positive("epsilon", epsilon)
        self.delta = check_positive("delta", delta, zero=True)
        self.mechanism = check_choice("mechanism", mechanism, tuple(NORMS))
        self.rating_range = check_range(rating_range)
        self.ratings_per_user = check_ratings_per_user(relation, ratings_per_user)
        self.bounds = self._bounds(1.0)

    @property
    @abstractmethod
    def releases(self) -> int:
        """How many noised statistics a fit releases: known before it sees any data."""

    @cached_property
    def calibration(self):
        """The noise that the budget asks for (:class:`dpmc.privacy.guarantee.Calibration`)."""
        from dpmc.privacy.calibration import calibrate

        return calibrate(
            self.mechanism, releases=self.releases, epsilon=self.epsilon, delta=self.delta
        )

    def _bounds(self, factor_bound: float) -> Sensitivities:
        low, high = self.rating_range
        return Sensitivities(
            relation=self.relation,
            mechanism=self.mechanism,
            half_range=(high - low) / 2,
            factor_bound=factor_bound,
            ratings_per_user=self.ratings_per_user,
        )

    @property
    def centre(self) -> float:
        """Middle of the public range."""
        return sum(self.rating_range) / 2

    @abstractmethod
    def _fit(self, ratings, statistics, rng, callback) -> None:
        """Learn from clipped and centred ratings through ``statistics``."""

    def fit(self, ratings, *, rng, noise_rng=None, callback=None, ledger=None):
        """Fit the model within its budget and return it.

        Parameters
        ----------
        ratings : Ratings
            Not modified. Their order does not matter.
        rng : numpy.random.Generator
            Draws the start and, at user level, which ratings of each user count. Or a seed.
        noise_rng : numpy.random.Generator, optional
            Draws the noise; needed if there is no ledger. Or a seed.
        callback : callable, optional
            Called as ``callback(iteration, model)`` after each outer iteration, counted from 1.
        ledger : dpmc.privacy.ledger.Ledger, optional
            Used instead of simulated noise: to audit a fit, or for noise fit for publication.

        Raises
        ------
        InputError
            Something else than ratings, a missing generator, a budget that cannot be met; with
            noise for publication also too many ratings of an item, see :func:`check_terms`.
        PrivacyViolation
            A bound did not hold, another number of releases was made, or noise for publication is
            not what the budget asks for: a fault of the program.
        """
        if not isinstance(ratings, Ratings):
            raise InputError(f"ratings must be dpmc.ratings.Ratings, got {type(ratings).__name__}.")
        rng = check_generator("rng", rng)
        if ledger is None:
            noise_rng = check_generator("noise_rng", noise_rng)
            ledger = Ledger(FloatNoise(self.calibration.noise, noise_rng), self.releases)
        self.__dict__.pop("guarantee_", None)  # a fit that fails has none
        if not ledger.noise.simulated:
            self._check_publication(ledger, ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        statistics = Statistics(ledger, self.bounds, self.calibration.noise.std())
        self._fit(ratings, statistics, rng, callback)
        ledger.close()
        self.guarantee_ = self._guarantee(ledger)
        return self

    def _check_publication(self, ledger: Ledger, ratings: Ratings) -> None:
        """Refuse what a guarantee of published results cannot rest on, before any release.

        Raises
        ------
        PrivacyViolation
            Noise other than calibrated.
        InputError
            More terms in a sum than those whose rounding errors are accounted for.
        """
        if getattr(ledger.noise, "mechanism", None) != self.calibration.noise:
            raise PrivacyViolation(
                f"noise for publication must be {self.calibration.noise}, as calibrated"
            )
        check_terms("item", ratings.items)
        if not self.bounds.user_level:  # else users add up their own alone, and nothing is released
            check_terms("user", ratings.users)

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

    def _chosen(self, ratings: Ratings, rng) -> Compressed:
        """Return the ratings that count, by user, clipped to the public range and centred."""
        rows = ratings.by_user
        if self.bounds.user_level:
            rows = choose_ratings(rows, self.ratings_per_user, int(rng.integers(2**63)))
        return self._bounded(rows)

    def _bounded(self, rows: Compressed) -> Compressed:
        values = np.clip(rows.values, *self.rating_range) - self.centre
        return Compressed(rows.indptr, rows.indices, values)

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        matrix = self.user_factors_ @ self.item_factors_.T
        matrix += self.item_offsets_
        return np.clip(matrix, *self.rating_range, out=matrix)

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        return np.clip(products + self.item_offsets_[items], *self.rating_range)


class Statistics:
    """The statistics through which a calibrated solver sees ratings: bounded, noised, counted.

    Each method checks what its sensitivity rests on. ``rows`` are users and the blocks items, or
    the reverse at entry level; public counts and Gram matrices are no releases.

    Parameters
    ----------
    ledger : dpmc.privacy.ledger.Ledger
    bounds : dpmc.privacy.sensitivity.Sensitivities
    noise : float
        Standard deviation of the noise at sensitivity 1, which is public.
    """

    def __init__(self, ledger: Ledger, bounds: Sensitivities, noise: float):
        self.ledger = ledger
        self.bounds = bounds
        self.noise = noise

    def noise_std(self, sensitivity: float) -> float:
        """Return the standard deviation of the noise on a release."""
        return self.noise * sensitivity

    def gram(self, rows: Compressed, factors: np.ndarray, n_columns: int) -> np.ndarray:
        """Return upper triangles of Gram matrices, see :func:`gram_sums`."""
        self._check(rows, factors=factors)
        exact = gram_sums(rows, factors, n_columns)
        return self._release("gram", exact, self.bounds.gram())

    def right_hand_side(
        self, rows: Compressed, factors: np.ndarray, n_columns: int, value_bound: float
    ) -> np.ndarray:
        """Return sums of f x, shape (n_columns, rank), where |x| <= value_bound."""
        self._check(rows, factors=factors, value_bound=value_bound)
        exact = residual_sums(rows, factors, np.zeros((n_columns, factors.shape[1])))
        return self._release("right_hand_side", exact, self.bounds.right_hand_side(value_bound))

    def residual(
        self, rows: Compressed, factors: np.ndarray, theta: np.ndarray, threshold: float
    ) -> np.ndarray:
        """Return sums of f psi(x - f^T theta), shape (n_columns, rank)."""
        self._check(rows, factors=factors, value_bound=self.bounds.half_range)
        exact = residual_sums(rows, factors, theta, threshold)
        return self._release("residual", exact, self.bounds.residual(threshold))

    def sums(self, rows: Compressed, n_columns: int) -> np.ndarray:
        """Return the sums of the values by column, shape (n_columns,)."""
        self._check(rows, value_bound=self.bounds.half_range)
        return self._release("sums", column_sums(rows, n_columns), self.bounds.sums())

    def counts(self, rows: Compressed, n_columns: int) -> np.ndarray:
        """Return the numbers of ratings by column, shape (n_columns,)."""
        self._check(rows)
        return self._release("counts", column_counts(rows, n_columns), self.bounds.counts())

    def total_sum(self, rows: Compressed) -> float:
        """Return the sum of all values."""
        self._check(rows, value_bound=self.bounds.half_range)
        exact = np.array([rows.values.sum()])
        return float(self._release("total_sum", exact, self.bounds.total_sum())[0])

    def total_count(self, rows: Compressed) -> float:
        """Return the number of all ratings."""
        self._check(rows)
        exact = np.array([float(rows.values.size)])
        return float(self._release("total_count", exact, self.bounds.total_count())[0])

    def _release(self, what, exact, sensitivity):
        return self.ledger.release(what, exact, sensitivity) if sensitivity else exact

    def _check(self, rows, factors=None, value_bound=None):
        if self.bounds.user_level:  # only then are the rows users
            self.bounds.check_counts(np.diff(rows.indptr))
        if factors is not None:
            self.bounds.check_factors(factors)
        if value_bound is not None:
            self.bounds.check_values(rows.values, value_bound)


def check_terms(what: str, index: np.ndarray) -> None:
    """Refuse a sum of more terms than those whose rounding errors exact noise accounts for.

    Parameters
    ----------
    what : {"item", "user"}
    index : integer array, shape (n_ratings,)
        Whose sums the terms, one for each rating, belong to.

    Raises
    ------
    InputError
        More than :data:`dpmc.privacy.release.MOST_TERMS` in one sum.
    """
    from dpmc.privacy.release import MOST_TERMS

    most = np.bincount(index, minlength=1).max()
    if most > MOST_TERMS:
        raise InputError(
            f"One {what} has {most} ratings, and exact noise is for {MOST_TERMS} at most: leave "
            "some out at random, or fit with simulated noise, which is not for publication."
        )


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
    return float(low), float(high)


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
