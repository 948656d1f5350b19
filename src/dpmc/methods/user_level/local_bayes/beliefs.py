"""Estimates of the items: Gaussian evidence from noised statistics, and an empirical prior.

Each item has a vector of parameters: its offset, its share in the users' level and its factors.
Each noised statistic observes this vector with a known precision. The prior is normal, with means
that are linear in the logarithm of popularity. Expectation maximisation finds the means, variances
and correlations that make the observations most likely (empirical Bayes; Efron, "Large-scale
inference", 2010, chapter 1). All of this is post-processing.
"""

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.blocks import in_pieces
from dpmc.methods.kernels.cholesky import factorise
from dpmc.methods.kernels.simd import LANES, broadcast, load, store
from dpmc.methods.user_level.local_bayes.constants import (
    FACTORS_WITHIN,
    FEATURES_EXPLAIN,
    FEATURES_SURE,
    ITEMS_WITHIN,
    LEARN_ROUNDS,
    LEAST_VARIANCE,
    LEVELS_WITHIN,
    MEAN_OFF,
    MOST_WIDER,
    NOTHING,
    RARER_DIFFER,
    SLOPE,
    SMALL_LEVEL,
    UNCORRELATED,
    UNKNOWN,
)
from dpmc.methods.user_level.local_bayes.users import in_vectors, invert, row_of_product

OFFSET, LEVEL = 0, 1
"""Places of an item's offset and of its share in the users' level; factors come after them."""


class Beliefs:
    """Evidence on the parameters of items, and a prior.

    Parameters
    ----------
    typical : float
        Typical size of a rating less its user's mean, in which the prior starts.
    level : float
        Standard deviation of users' levels, above 0, from which an item's share in them starts.
    popularity : float64 array, shape (n_items,)
        Shares of all ratings, above 0 and of sum 1. Prior means are linear in their logarithm, as
        popular items are liked, and by other users than rare ones; the prior variance of offsets is
        larger for rare items.
    rank : int
        Number of factors.
    features : float64 array, shape (n_items, n_features), optional
        Public features of the items (:mod:`~dpmc.methods.user_level.local_bayes.features`). Prior
        means of all parameters are linear in them, with learnt weights.
    threads : int
        Number of threads that work on items at the same time; it does not change the result.

    Attributes
    ----------
    level : float
    precision, sampling : float64 arrays, shape (n_items, 2 + rank, 2 + rank)
        Precisions of the observations: by the noise of privacy, and by the ratings' own noise. All
        statistics are of the same ratings, so the latter does not shrink with their number.
    score : float64 array, shape (n_items, 2 + rank)
        Precision times what was observed.
    prior_mean : float64 array, shape (n_items, 2 + rank)
    prior_variance : float64 array, shape (2 + rank,)
    prior_correlation : float64 array, shape (2 + rank, 2 + rank)
    mean, variance : float64 arrays, shape (n_items, 2 + rank)
        Means and variances of the posterior.
    own : float64 array, shape (n_items, 2 + rank)
        Part of the evidence on a parameter that depends on the ratings' own noise, from 0 to 1.
    """

    def __init__(
        self,
        typical: float,
        level: float,
        popularity: np.ndarray,
        rank: int = 0,
        features: np.ndarray | None = None,
        threads: int = 1,
        mean_variance: float = np.inf,
    ):
        n_items, size = popularity.size, 2 + rank
        self._threads = threads
        self.level = level
        self._features = np.zeros((n_items, 0)) if features is None else features
        self._weights = np.zeros((self._features.shape[1], size))
        self.know(popularity)
        self.precision = np.zeros((n_items, size, size))
        self.score = np.zeros((n_items, size))
        self.prior_variance = np.full(size, 0.05 * typical**2)
        self.prior_variance[OFFSET] = 0.1 * typical**2
        self.prior_variance[LEVEL] = (ITEMS_WITHIN * max(level, SMALL_LEVEL * typical)) ** 2
        self.prior_correlation = np.eye(size)
        self._start = self.prior_variance.copy()
        self._explained = FEATURES_EXPLAIN * self._start
        self._lines = np.zeros((size, 2))
        self._within = FACTORS_WITHIN * self._start[:, None].repeat(2, axis=1)
        self._within[OFFSET] = mean_variance + (MEAN_OFF * typical) ** 2, (SLOPE * typical) ** 2
        self._within[LEVEL] = (LEVELS_WITHIN * level) ** 2, (SLOPE * level) ** 2
        self._expected = np.zeros(size)
        self._lines[LEVEL, 0] = self._expected[LEVEL] = level
        self.prior_mean = np.tile(self._lines[:, 0], (n_items, 1))
        self.sampling = np.zeros((n_items, size, size))
        self.sampling[:, np.arange(size), np.arange(size)] = NOTHING / self.prior_variance
        self._update()

    def copy(self) -> "Beliefs":
        """Return beliefs that do not change with these."""
        other = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, np.ndarray) else value)
        return other

    def know(self, popularity: np.ndarray) -> None:
        """Set how popular items are."""
        self._popularity, self._logarithm = popularity, np.log(popularity)
        rarer = popularity @ self._logarithm - self._logarithm
        self._wider = np.exp(np.clip(RARER_DIFFER * rarer, -MOST_WIDER, MOST_WIDER))

    def _line(self):
        """Return where items lie on the line of the prior, which is flat below what is known."""
        # the part of an item's prior variance that what was observed took away: 0 says nothing
        known = 1 - self.variance[:, OFFSET] / (self.prior_variance[OFFSET] * self._wider)
        order = np.argsort(self._logarithm)
        total = np.cumsum(np.clip(known[order], 1e-6, 1))
        lowest = self._logarithm[order[np.searchsorted(total, UNKNOWN * total[-1])]]
        places = np.maximum(self._logarithm, lowest)
        return places - self._popularity @ places

    def with_factors(self, observed: np.ndarray, precision: np.ndarray) -> "Beliefs":
        """Return these beliefs with factors added, observed with a precision that is 0 for none.

        Both have shape (n_items, rank).
        """
        rank = observed.shape[1]
        given = self._popularity, rank, self._features, self._threads
        wider = type(self)(1.0, self.level, *given)
        own = slice(0, 2)
        wider.precision[:, own, own] = self.precision
        wider.sampling[:, own, own] = self.sampling
        wider.score[:, own] = self.score
        wider.prior_mean[:, own] = self.prior_mean
        wider.prior_variance[own] = self.prior_variance
        wider._weights[:, own] = self._weights
        places = np.arange(2, 2 + rank)
        wider.precision[:, places, places] = precision
        wider.score[:, 2:] = precision * observed
        known = precision.sum(axis=0)
        second = np.sum(
            precision * (observed**2 - 1 / np.where(precision > 0, precision, np.inf)), axis=0
        )
        # a moment estimate: noise is subtracted, so it can come out below 0
        start = np.where(known > 0, second / np.maximum(known, 1e-300), 0)
        wider.prior_variance[2:] = np.maximum(start, 1e-3 * np.max(observed**2, axis=0, initial=0))
        wider._start = np.append(self._start, wider.prior_variance[2:])
        wider._explained = np.append(self._explained, FEATURES_EXPLAIN * wider._start[2:])
        wider.sampling[:, places, places] = NOTHING / wider.prior_variance[2:]
        wider.prior_correlation[own, own] = self.prior_correlation
        wider._lines[own], wider._within[own] = self._lines, self._within
        wider._within[2:] = FACTORS_WITHIN * wider._start[2:, None]
        wider.learn()
        return wider

    def observe(self, observed: np.ndarray, precision: np.ndarray, sampling: np.ndarray) -> None:
        """Add an observation of all parameters, after discounting earlier ones.

        Earlier observations are of an earlier state of the users' factors. Each parameter gets
        extra variance, the same for all items: the part of the squared difference of old and new
        that their noise does not explain. ``precision`` is due to the noise of privacy and
        ``sampling`` to the ratings' own noise; both have shape (n_items, size, size).
        """
        self.sampling = sampling
        self._discount(observed, precision)
        self.precision += precision
        self.score += np.einsum("nij,nj->ni", precision, observed)

    def _discount(self, observed, precision):
        faint = np.diag(1e-6 / self.prior_variance)
        before = np.empty_like(observed)
        old, new = (np.empty(observed.shape, order="F") for _ in range(2))  # sums go by columns

        def known_of_some(own):
            inverse = np.linalg.inv(self.precision[own] + faint)
            before[own] = np.einsum("nij,nj->ni", inverse, self.score[own])
            old[own] = np.einsum("nii->ni", inverse)
            new[own] = np.einsum("nii->ni", np.linalg.inv(precision[own] + faint))

        self._in_pieces(known_of_some)
        # two noised observations of one state would differ by this; what is beyond has drifted
        expected = old + new
        weights = (old < 100 * self.prior_variance) / (expected + self.prior_variance) ** 2
        excess = np.sum(weights * ((observed - before) ** 2 - expected), axis=0)
        extra = np.maximum(excess, 0) / np.maximum(weights.sum(axis=0), 1e-300)

        def left_of_some(own):
            # (P^-1 + E)^-1 = (I + P E)^-1 P
            left = np.linalg.inv(np.eye(extra.size) + self.precision[own] * extra)
            self.score[own] = np.einsum("nij,nj->ni", left, self.score[own])
            product = left @ self.precision[own]
            self.precision[own] = (product + product.transpose(0, 2, 1)) / 2

        self._in_pieces(left_of_some)

    def learn(self) -> None:
        """Fit the prior to what was observed, and set the posterior."""
        information, score, covariance = self._update()
        line = self._line()
        for _ in range(LEARN_ROUNDS):
            if self._features.shape[1]:
                self._regress()
                self._condition(information, score, covariance)
            _maximise(
                line, self._expected, self._within, self._features @ self._weights,
                LEAST_VARIANCE * self._start, self._wider, self._lines, self.prior_mean,
                self.prior_variance, self.prior_correlation, self.mean, covariance,
            )  # fmt: skip
            self._condition(information, score, covariance)

    def _regress(self) -> None:
        """Learn how the prior means follow from the features, by generalised least squares.

        An item counts by the share of its prior variance that what was observed took away. Weights
        are normal; how large they are is learnt for each parameter, and features that mean nothing
        get weights near 0.
        """
        features, size = self._features, self.prior_variance.size
        n_features = features.shape[1]
        for i in range(size):
            wider = self._wider if i == OFFSET else 1.0
            known = np.clip(1 - self.variance[:, i] / (self.prior_variance[i] * wider), 1e-6, 1)
            ratio = self.prior_variance[i] / self._explained[i] * np.eye(n_features)
            inverse = np.linalg.inv((features.T * (known / wider)) @ features + ratio)
            left = (self.mean[:, i] - self.prior_mean[:, i]) / wider
            move = inverse @ (features.T @ left - ratio @ self._weights[:, i])
            self._weights[:, i] += move
            self.prior_mean[:, i] += features @ move
            squares = self._weights[:, i] @ self._weights[:, i]
            squares += self.prior_variance[i] * np.trace(inverse)
            usual = FEATURES_EXPLAIN * self._start[i]
            self._explained[i] = (squares + FEATURES_SURE * usual) / (n_features + FEATURES_SURE)

    def _condition(self, information, score, covariance):
        """Set the posterior, and write its covariances, shape (n_items, size, size)."""

        def of_some(own):
            _posterior(
                information[own], score[own], self._wider[own], self.prior_mean[own],
                self.prior_variance, self.prior_correlation, self.mean[own], covariance[own],
            )  # fmt: skip

        self._in_pieces(of_some)
        self.variance = np.einsum("nii->ni", covariance).copy()

    def _update(self):
        """Set the posterior, and return it with what was observed, the ratings' own noise in it."""
        information, covariance = np.empty_like(self.precision), np.empty_like(self.precision)
        score, self.own, self.mean = (np.empty_like(self.score) for _ in range(3))

        def of_some(own):
            # (P^-1 + S^-1)^-1 = S (S + P)^-1 P
            sampling, precision = self.sampling[own], self.precision[own]
            part = sampling @ np.linalg.inv(sampling + precision)
            both = part @ precision
            information[own] = (both + both.transpose(0, 2, 1)) / 2
            score[own] = np.einsum("nij,nj->ni", part, self.score[own])
            self.own[own] = 1 - np.einsum("nii->ni", part)

        self._in_pieces(of_some)
        self._condition(information, score, covariance)
        return information, score, covariance

    def _in_pieces(self, work):
        """Call work(slice) for all items, each of which is by itself, in threads."""
        n_items = self._popularity.size
        # for fewer items it does not pay to start a thread
        parts = min(self._threads, 1 + n_items // 1000)
        edges = [n_items * part // parts for part in range(parts + 1)]
        in_pieces(lambda start, stop: work(slice(start, stop)), edges)


@njit(cache=True)
def _maximise(
    line, expected, within, by_features, least, wider, lines, prior_mean, prior_variance,
    prior_correlation, mean, covariance,
):  # fmt: skip
    """Write the prior under which what was observed is likelier, given a posterior.

    An item counts for a parameter's prior by the share of the prior's variance that what was
    observed of the item took away, in lines whatever its prior variance. The lines go at once to
    where all items together see them: single ones say little, so that it would take many rounds.
    """
    n_items, size = mean.shape
    known, weights, left = np.empty((n_items, size)), np.empty(size), np.empty(size)
    totals, sure, moments = np.empty(size), np.empty(size), np.empty((size, size))
    for i in range(size):
        total = slope = squares = first = second = 0.0
        for n in range(n_items):
            prior = prior_variance[i] * (wider[n] if i == OFFSET else 1.0)
            known[n, i] = min(max(1 - covariance[n, i, i] / prior, 1e-6), 1.0)
            move = mean[n, i] - prior_mean[n, i]
            total += known[n, i]
            slope += known[n, i] * line[n]
            squares += known[n, i] * line[n] * line[n]
            first += move
            second += move * line[n]
        totals[i] = total
        pull, flat = prior_variance[i] / within[i, 0], prior_variance[i] / within[i, 1]
        first -= pull * (lines[i, 0] - expected[i])
        second -= flat * lines[i, 1]
        # by elimination; the first pivot is positive and the matrix positive definite
        total += pull
        incline = (second - slope / total * first) / (squares + flat - slope / total * slope)
        lines[i, 0] += (first - slope * incline) / total
        lines[i, 1] += incline
    moments[:] = 0
    for n in range(n_items):
        for i in range(size):
            prior_mean[n, i] = lines[i, 0] + lines[i, 1] * line[n] + by_features[n, i]
            left[i] = mean[n, i] - prior_mean[n, i]
            weights[i] = np.sqrt(known[n, i] / (wider[n] if i == OFFSET else 1.0))
            for j in range(i + 1):
                square = left[i] * left[j] + covariance[n, i, j]
                moments[i, j] += weights[i] * weights[j] * square
    for i in range(size):
        prior_variance[i] = max(moments[i, i] / totals[i], least[i])
        # a correlation of few known items is drawn towards 0
        sure[i] = np.sqrt(totals[i] / (totals[i] + UNCORRELATED) / moments[i, i])
        for j in range(i):
            both = moments[i, j] * sure[i] * sure[j]
            prior_correlation[i, j] = prior_correlation[j, i] = both


@njit(cache=True, nogil=True)
def _posterior(
    precision, score, wider, prior_mean, prior_variance, prior_correlation, mean, covariance
):
    """Write means and covariances, given what was observed and the prior.

    With F = d R of the prior's deviations d and the Cholesky factor R of its correlations, which is
    lower triangular, the posterior covariance is F (I + F' P F)^-1 F'.
    """
    n_items, size = score.shape
    width = in_vectors(size)
    factor, transposed, told, scaled, inverse = np.zeros((5, width, width))
    pull, move = np.empty(size), np.empty(width)
    root = prior_correlation.copy()
    factorise(root, LEAST_VARIANCE)
    for n in range(n_items):
        for i in range(size):
            deviation = np.sqrt(prior_variance[i] * (wider[n] if i == OFFSET else 1.0))
            for j in range(i + 1):
                factor[i, j] = transposed[j, i] = deviation * root[i, j]
            pull[i] = score[n, i]
            for k in range(size):
                pull[i] -= precision[n, i, k] * prior_mean[n, k]
        for place in range(0, size, LANES):
            total = broadcast(0.0)
            for k in range(place, size):
                total = total + load(factor, k, place) * broadcast(pull[k])
            store(total, move, place)
            for i in range(size):
                row = row_of_product(precision[n], i, factor, place, place, size)
                store(row, told, i, place)
        for i in range(size):
            for j in range(i + 1):
                scaled[i, j] = 1.0 if i == j else 0.0
            for place in range(0, i + 1, LANES):
                total = load(scaled, i, place)
                for k in range(i, size):
                    total = total + broadcast(factor[k, i]) * load(told, k, place)
                store(total, scaled, i, place)
        invert(scaled, inverse, size)
        for i in range(size):
            for place in range(0, size, LANES):
                row = row_of_product(factor, i, inverse, place, 0, i + 1)
                store(row, told, i, place)
            mean[n, i] = prior_mean[n, i]
            for j in range(size):
                mean[n, i] += told[i, j] * move[j]
            for place in range(0, i + 1, LANES):
                row = row_of_product(told, i, transposed, place, 0, i + 1)
                store(row, scaled, i, place)
            for j in range(i + 1):
                covariance[n, i, j] = covariance[n, j, i] = scaled[i, j]
