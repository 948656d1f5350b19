"""Alternating least squares averaged over a posterior: the reference without privacy."""

import numpy as np

from dpmc.methods.base import Method, check_generator, check_ratings, count, with_parameters
from dpmc.methods.kernels.products import pair_products, rows_less_products
from dpmc.methods.normal import solve_rows
from dpmc.ratings import Compressed

BURN_IN = 5  # of so many iterations the first does not count
PRIOR_ROWS = 2.0  # rows at 0 that the common mean is credited with, beta_0 of the source
PRIOR_RATINGS, PRIOR_SQUARES = 1.0, 0.01  # that the noise is credited with
TOGETHER = 32  # draws whose products are summed up in one product of matrices


@with_parameters
class BayesianALS(Method):
    """Factors and offsets, averaged over draws from their posterior instead of minimised once.

    Ratings less their mean, in units of their standard deviation, are b_i + c_j + p_i . q_j plus
    noise N(0, s^2). The rows (b_i, p_i) of users are normal with a common mean and covariance, and
    so are the rows (q_j, c_j) of items. The means, covariances and s^2 have weak priors and are
    drawn as well, so there is no regularization to tune. An iteration is like one of alternating
    least squares, but with random draws instead of solutions (:func:`draw_rows`); the first rows
    are random. A prediction is the mean over all iterations except the first fifth. A user or an
    item without ratings gets the common mean, averaged over iterations.

    Source: Salakhutdinov and Mnih, "Bayesian probabilistic matrix factorization using Markov chain
    Monte Carlo" (ICML 2008), section 3; with offsets and with s^2 drawn. Rendle, Zhang and Koren,
    "On the difficulty of evaluating baselines" (arXiv 1905.01395), call the method hard to beat.

    Attributes
    ----------
    mean_, scale_ : float
        Mean and standard deviation of the ratings; 1 instead of a deviation of 0.
    user_draws_ : list of float64 arrays, each of shape (n_users, rank + 2)
        Columns b, p, 1, of every iteration that counts.
    item_draws_ : list of float64 arrays, each of shape (n_items, rank + 2)
        Columns 1, q, c.
    """

    rank: int = count()
    iterations: int = count(200)

    def fit(self, ratings, *, rng, noise_rng=None, callback=None):
        """Fit the model; ``noise_rng`` is not used. See :meth:`dpmc.methods.base.Method.fit`.

        ``rng`` draws the start and all that follows.
        """
        check_ratings(ratings)
        rng = check_generator("rng", rng)
        self.shape_ = (ratings.n_users, ratings.n_items)
        # grouped, so that the order of the input does not matter
        values = ratings.by_user.values
        self.mean_, self.scale_ = float(np.mean(values)), float(np.std(values)) or 1.0
        by_user, by_item = self._in_units(ratings.by_user), self._in_units(ratings.by_item)
        users, items = (rng.standard_normal((size, self.rank + 2)) for size in self.shape_)
        users[:, -1] = items[:, 0] = 1.0
        of_users, of_items = slice(0, self.rank + 1), slice(1, self.rank + 2)
        variance = 1.0
        for iteration in range(1, self.iterations + 1):
            users = draw_rows(by_user, users, items, of_users, variance, rng)
            items = draw_rows(by_item, items, users, of_items, variance, rng)
            variance = draw_variance(_residuals(by_item, items, users), rng)
            if iteration <= 1 + self.iterations // BURN_IN:
                self.user_draws_, self.item_draws_ = [], []
            self.user_draws_.append(users)
            self.item_draws_.append(items)
            if callback is not None:
                callback(iteration, self)
        return self

    def _in_units(self, rows):
        return rows.with_values((rows.values - self.mean_) / self.scale_)

    def predict_matrix(self):
        total = np.zeros(self.shape_)
        # the sum of several products is one product of their factors side by side
        for first in range(0, len(self.user_draws_), TOGETHER):
            some = slice(first, first + TOGETHER)
            total += np.hstack(self.user_draws_[some]) @ np.hstack(self.item_draws_[some]).T
        return self._in_ratings(total)

    def _predict_pairs(self, users, items):
        total = np.zeros(users.size)
        for rows, columns in zip(self.user_draws_, self.item_draws_, strict=True):
            total += pair_products(rows, columns, users.ravel(), items.ravel())
        return self._in_ratings(total).reshape(users.shape)

    def _in_ratings(self, total):
        return self.mean_ + self.scale_ / len(self.user_draws_) * total


def draw_rows(
    rows: Compressed,
    own: np.ndarray,
    other: np.ndarray,
    free: slice,
    variance: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return rows drawn from their posterior, given the ratings, the other side and the noise.

    A row u = m + z R^T with z ~ N(0, I) is drawn from the prior. Its residuals, with noise added,
    are regressed on the columns' factors v. This turns u into a draw from the posterior: u + (sum w
    (x - u . v + s e)) (sum w w^T + s^2 I)^-1 R^T with w = R^T v, s^2 the variance, e ~ N(0, 1) for
    each rating (Papandreou and Yuille, "Gaussian sampling by local perturbations", NIPS 2010,
    section 2). A row without ratings is m.

    ``rows`` are the ratings x, and ``other`` the factors of the columns. ``own``, shape (n_rows,
    k), are the present rows, from which m and R are drawn (:func:`draw_law`). Only the columns
    ``free`` of ``own`` are drawn again.
    """
    counts = rows.sizes
    mean, root = draw_law(own[counts > 0, free], rng)
    z = rng.standard_normal((len(own), mean.size))
    z[counts == 0] = 0.0
    drawn = own.copy()
    drawn[:, free] = mean + z @ root.T
    left = _residuals(rows, drawn, other)
    noise = rng.standard_normal(left.size)
    noise *= np.sqrt(variance)
    left += noise
    shifts = solve_rows(rows.with_values(left), other[:, free] @ root, variance)
    drawn[:, free] += shifts @ root.T
    return drawn


def draw_law(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and root R of a covariance R R^T, drawn given normal rows.

    ``rows`` have shape (n, d); the results have shapes (d,) and (d, d). The prior of the mean is
    normal around 0 with the covariance over PRIOR_ROWS. The prior of the covariance is inverse
    Wishart with the identity and d degrees of freedom, drawn by Bartlett's decomposition.
    """
    n, d = rows.shape
    centre, weight = rows.mean(axis=0), n + PRIOR_ROWS
    deviations = rows - centre
    scatter = np.eye(d) + deviations.T @ deviations
    scatter += n * PRIOR_ROWS / weight * np.outer(centre, centre)
    bartlett = np.tril(rng.standard_normal((d, d)), -1)
    bartlett[np.diag_indices(d)] = np.sqrt(rng.chisquare(d + n - np.arange(d)))
    root = np.linalg.solve(bartlett, np.linalg.cholesky(scatter).T).T
    mean = n / weight * centre + root @ rng.standard_normal(d) / np.sqrt(weight)
    return mean, root


def draw_variance(residuals: np.ndarray, rng: np.random.Generator) -> float:
    """Return the variance of noise N(0, variance), drawn given residuals.

    The prior is inverse gamma, worth PRIOR_RATINGS residuals whose squares sum to PRIOR_SQUARES.
    """
    squares = PRIOR_SQUARES + np.sum(residuals**2)
    return float(squares / rng.chisquare(PRIOR_RATINGS + residuals.size))


def _residuals(rows, own, other):
    """Return the residual of each rating."""
    return rows_less_products(rows.indptr, rows.indices, rows.values, own, other)
